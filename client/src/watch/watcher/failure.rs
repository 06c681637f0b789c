//! Failures of a watcher's requests, by their effect on the next one.

use crate::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchFailure {
    /// The resource version or token is too old.
    Expired,
    /// The server has not reached the resource version.
    TooNew,
    /// The server rejects the request as invalid.
    Rejected,
    /// An `ERROR` event ended the watch: it may do so again at the same resource version.
    ErrorEvent,
    /// No connection.
    Unreachable,
    /// The connection broke, so that another server may answer the next request.
    Lost,
    /// 429: the server has not looked at the request.
    Unprocessed,
    /// The same request may succeed later.
    Temporary,
    /// Any other error, such as a missing permission. An administrator may grant it, so the request is repeated.
    Other,
}

impl WatchFailure {
    pub(super) fn of(error: &Error) -> Self {
        if error.is_expired() {
            Self::Expired
        } else if is_too_new(error) {
            Self::TooNew
        } else if error.is_connect() {
            Self::Unreachable
        } else if error.is_connection_lost() {
            Self::Lost
        } else if error.is_too_many_requests() {
            Self::Unprocessed
        } else if error.is_error_event() {
            Self::ErrorEvent
        } else if error.is_invalid() || error.is_bad_request() {
            Self::Rejected
        } else if error.is_retryable() {
            Self::Temporary
        } else {
            Self::Other
        }
    }
}

fn is_too_new(error: &Error) -> bool {
    let causes = error.causes().iter();
    let mut reasons = causes.filter_map(|cause| cause.reason.as_deref());
    let message = error.status().and_then(|status| status.message.as_deref());
    // Servers before 1.19 send no reason.
    reasons.any(|reason| reason == "ResourceVersionTooLarge")
        || message.is_some_and(|message| message.contains("Too large resource version"))
}
