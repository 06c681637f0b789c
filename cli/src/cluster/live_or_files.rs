//! The choice between files and a cluster, for commands that take either.

use super::connect::ClusterArgs;
use crate::documents::FileArgs;
use crate::failure::Failure;

/// The options for the objects of a cluster instead of those of files.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LiveOrFiles {
    /// Use the objects of a cluster; naming one, as with `--context`, does the same
    #[arg(long, conflicts_with = "files")]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,
}

impl LiveOrFiles {
    /// Whether to use the cluster.
    ///
    /// # Errors
    /// If files are named, too.
    pub(crate) fn is_live(&self, files: &FileArgs) -> Result<bool, Failure> {
        let is_live = self.live || self.cluster.is_named();
        match is_live && !files.is_empty() {
            true => Err(Failure::usage("files and a cluster exclude each other")
                .hint("remove `--filename`, or the flags that name a cluster or a user")),
            false => Ok(is_live),
        }
    }

    /// The cluster.
    pub(crate) fn cluster(&self) -> &ClusterArgs {
        &self.cluster
    }
}
