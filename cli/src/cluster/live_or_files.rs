//! The choice between files and a cluster, for commands that take either.

use super::connect::ClusterArgs;
use crate::documents::FileArgs;
use crate::failure::Failure;

/// The options for the objects of files, or instead for the objects of a cluster.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LiveOrFiles {
    #[command(flatten)]
    pub(crate) files: FileArgs,

    /// Use the objects of a cluster; naming one, as with `--context`, does the same
    #[arg(long)]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,
}

impl LiveOrFiles {
    /// The cluster, if it is used.
    ///
    /// # Errors
    /// If files are named, too.
    pub(crate) fn cluster(&self) -> Result<Option<&ClusterArgs>, Failure> {
        let is_live = self.live || self.cluster.is_named();
        match is_live && !self.files.is_empty() {
            true => Err(
                Failure::usage("files and a cluster exclude each other").hint(
                    "remove `--filename`, or `--live` and the flags that name a cluster or a user",
                ),
            ),
            false => Ok(is_live.then_some(&self.cluster)),
        }
    }
}
