//! The options of a migration.

use k8s_flowcontrol::{ApiVersion, Release};

/// The options of a migration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The target version.
    pub(crate) to: ApiVersion,
    /// The release whose rules apply, if it serves the version.
    pub(crate) release: Option<Release>,
    /// The handling of fields of another version.
    pub(crate) mend: Option<Mend>,
    /// Whether losses are accepted.
    pub(crate) allow_loss: bool,
}

/// The meaning to keep for a field that a server ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Mend {
    /// Write the values that servers use now
    Live,
    /// Write the values that the file intends
    File,
}
