//! The options of a migration.

use k8s_flowcontrol::{ApiVersion, Release};

/// What a migration is to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The wanted version.
    pub(crate) to: ApiVersion,
    /// The release whose rules count, where it serves the version.
    pub(crate) release: Option<Release>,
    /// What is done about fields of one version under another.
    pub(crate) mend: Option<Mend>,
    /// Whether losses are accepted.
    pub(crate) allow_loss: bool,
}

/// Which of two is right: what a server makes of a field that it does not know, or what the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Mend {
    /// Write what runs now
    Live,
    /// Write what the file means to say
    File,
}
