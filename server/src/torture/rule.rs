//! The rules by which a client is judged.

use serde::Serialize;
use std::fmt;

/// A rule that a client broke, see [`Finding`](super::Finding).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// A create was sent again after its outcome was unknown, without a read in between. With a generated name this makes two objects.
    RepeatedCreate,
    /// More than a third of the requests that got `Retry-After` were sent again before that time.
    IgnoredRetryAfter,
    /// The same watch, or the same request without success, came more than 20 times within a second.
    Hammering,
    /// A watch or page that got 410 was requested again with the same version or token.
    ReusedExpired,
    /// A watch began at an older version than the client has seen, so it sees old events again.
    WentBack,
    /// A replace without resourceVersion overwrites whatever others wrote.
    UnconditionalReplace,
    /// More than 20 requests in a row had an expired token.
    KeptExpiredToken,
    /// A watch with `sendInitialEvents` was sent more than 3 times after it was rejected.
    RepeatedWatchList,
    /// There were as many connections as requests, although the server kept them open.
    NoReuse,
}

impl Rule {
    /// The sentence of a report.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::RepeatedCreate => {
                "repeated a create without knowing whether the first one took effect"
            }
            Self::IgnoredRetryAfter => "sent a request again before the time in Retry-After",
            Self::Hammering => {
                "sent a watch, or a request that failed, more than 20 times within a second"
            }
            Self::ReusedExpired => "used an expired version or continue token again after 410",
            Self::WentBack => "watched from an older version than it had seen",
            Self::UnconditionalReplace => {
                "replaced an object without resourceVersion, which overwrites changes of others"
            }
            Self::KeptExpiredToken => "sent more than 20 requests in a row with an expired token",
            Self::RepeatedWatchList => {
                "sent a watch with sendInitialEvents again and again after it was rejected"
            }
            Self::NoReuse => "opened a connection for every request",
        }
    }

    /// Whether data can be lost or doubled, or the server overloaded. Other rules are about efficiency, or depend on what the program
    /// does with the data.
    pub fn is_violation(self) -> bool {
        !matches!(
            self,
            Self::WentBack | Self::UnconditionalReplace | Self::NoReuse
        )
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}
