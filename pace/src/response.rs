//! The level and the outcome of a request, from the head of its response.

use http::StatusCode;
use http::header::{HeaderMap, RETRY_AFTER};
use std::time::Duration;

const LEVEL: &str = "x-kubernetes-pf-prioritylevel-uid";
/// A rejection without `Retry-After`.
const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(1);
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The effect of a response on the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The latency says something.
    Served,
    /// With the time until the next attempt.
    Rejected(Duration),
    /// Failures take another time than successes.
    Failed,
}

impl Outcome {
    pub(crate) fn of(status: StatusCode, headers: &HeaderMap) -> Self {
        let after = headers.get(RETRY_AFTER).and_then(|value| {
            let text = value.to_str().ok()?.trim();
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            // A number with more digits is too large.
            let seconds = || {
                text.parse()
                    .map_or(LONGEST_RETRY_AFTER, Duration::from_secs)
            };
            is_number.then(|| seconds().min(LONGEST_RETRY_AFTER))
        });
        match (status, after) {
            (StatusCode::TOO_MANY_REQUESTS, after) => {
                Self::Rejected(after.unwrap_or(DEFAULT_RETRY_AFTER))
            }
            (StatusCode::SERVICE_UNAVAILABLE, Some(after)) => Self::Rejected(after),
            (status, _) if status.is_success() => Self::Served,
            _ => Self::Failed,
        }
    }
}

/// The UID of the level; empty for a server without flow control, and `None` for responses from before flow control.
pub(crate) fn level(status: StatusCode, headers: &HeaderMap) -> Option<&str> {
    match headers.get(LEVEL) {
        Some(uid) => uid.to_str().ok(),
        None if status.is_success() => Some(""),
        None => None,
    }
}
