//! The verdict about a cluster.

use serde::Serialize;
use std::fmt;

/// The result of the scan of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// No client of an old version was found.
    Clean,
    /// Clients of old versions were found.
    Outdated,
    /// No client was found, but parts of the cluster could not be read.
    Incomplete,
    /// The user is not allowed to read the objects.
    Forbidden,
    /// The credentials were not accepted.
    Unauthorized,
    /// The connection failed.
    Unreachable,
    /// The scan took too long.
    Timeout,
    /// Another error occurred.
    Failed,
}

impl Verdict {
    /// Whether the whole cluster could be read.
    pub fn is_known(self) -> bool {
        matches!(self, Self::Clean | Self::Outdated)
    }
}

impl Verdict {
    /// The verdict as a word in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Outdated => "outdated",
            Self::Incomplete => "incomplete",
            Self::Forbidden => "forbidden",
            Self::Unauthorized => "unauthorized",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
