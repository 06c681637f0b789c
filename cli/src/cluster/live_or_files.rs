//! Files, a cluster, or both, for commands that look at a configuration.

use super::connect::ClusterArgs;
use crate::documents::FileArgs;

/// The options for the objects of files, or instead for the objects of a cluster.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LiveOrFiles {
    #[command(flatten)]
    pub(crate) files: FileArgs,

    /// Use the objects of a cluster, as if the files were applied to it; naming one, as with `--context`, does the same
    #[arg(long)]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,
}

impl LiveOrFiles {
    /// The cluster, if it is used.
    pub(crate) fn cluster(&self) -> Option<&ClusterArgs> {
        (self.live || self.cluster.is_named()).then_some(&self.cluster)
    }
}
