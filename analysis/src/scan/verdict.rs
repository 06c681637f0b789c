//! The verdict about a cluster.

use k8s_flowcontrol_types::__named as named;
use serde::Serialize;

named! {
    /// The result of the scan of a cluster.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    #[non_exhaustive]
    pub enum Verdict {
        /// No client of an old version was found.
        Clean = "clean",
        /// Clients of old versions were found.
        Outdated = "outdated",
        /// No client was found, but parts of the cluster could not be read.
        Incomplete = "incomplete",
        /// The user is not allowed to read the objects.
        Forbidden = "forbidden",
        /// The credentials were not accepted.
        Unauthorized = "unauthorized",
        /// The connection failed.
        Unreachable = "unreachable",
        /// The scan took too long.
        Timeout = "timeout",
        /// Another error occurred.
        Failed = "failed",
    }
    /// The verdict as a word in lower case.
    pub fn as_str;
}

impl Verdict {
    /// Whether the whole cluster could be read.
    pub fn is_known(self) -> bool {
        matches!(self, Self::Clean | Self::Outdated)
    }
}
