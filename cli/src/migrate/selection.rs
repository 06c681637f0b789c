//! The options that select files of folders.

use crate::failure::Failure;
use k8s_flowcontrol_manifests::files::Selection;

/// The options that select files of folders.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SelectionArgs {
    /// A glob of files and folders to exclude, as in .gitignore; can be repeated. A file .flowcontrolignore does the same
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,

    /// Also examine files that git ignores, and folders named vendor, node_modules and target
    #[arg(long)]
    no_ignore: bool,
}

impl SelectionArgs {
    /// The selection of the files.
    /// Errors: if a glob is invalid.
    pub(crate) fn selection(&self) -> Result<Selection, Failure> {
        Selection::new(&self.exclude, self.no_ignore)
            .map_err(|error| Failure::usage(format!("the glob of --exclude is invalid: {error}")))
    }
}
