//! The verdict about a cluster.

use k8s_flowcontrol::Error;
use serde::Serialize;
use std::fmt;

/// The result of the scan of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
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
    /// The verdict after an error of reading.
    pub(super) fn of(error: &Error) -> Self {
        if error.is_forbidden() {
            Self::Forbidden
        } else if error.is_unauthorized() {
            Self::Unauthorized
        } else if error.is_connect() {
            Self::Unreachable
        } else if error.is_timeout() {
            Self::Timeout
        } else if error.code().is_none() && error.is_retryable() {
            Self::Unreachable
        } else {
            Self::Failed
        }
    }

    /// Whether the whole cluster could be read.
    pub(crate) fn is_known(self) -> bool {
        matches!(self, Self::Clean | Self::Outdated)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clean => "clean",
            Self::Outdated => "outdated",
            Self::Incomplete => "incomplete",
            Self::Forbidden => "forbidden",
            Self::Unauthorized => "unauthorized",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::Failed => "failed",
        })
    }
}
