//! What may be sent twice. The table is in the documentation of [`RetryPolicy`](crate::config::RetryPolicy).

use crate::client::error::{Error, Kind};
use crate::client::request::HttpRequest;

/// Whether a request that may have been carried out may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It stores nothing.
    Harmless,
    /// A server refuses it the second time.
    Guarded,
    /// It might be carried out twice.
    Never,
}

impl Repeat {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        if request.method.is_safe() || request.get("dryRun") == Some("All") {
            Self::Harmless
        } else if request.guarded {
            Self::Guarded
        } else {
            Self::Never
        }
    }

    /// Whether a request that failed like this may be sent again.
    pub(crate) fn allows(self, failure: Failure) -> bool {
        match failure {
            Failure::NotCarriedOut => true,
            Failure::Unknown => self != Self::Never,
            Failure::Final => false,
        }
    }

    /// Whether an error after an attempt of unknown outcome may be that attempt's own doing.
    pub(crate) fn may_be_own_doing(self, error: &Error) -> bool {
        self == Self::Guarded && matches!(error.code(), Some(404 | 409 | 412))
    }
}

/// What a failure says of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nothing has happened at the server.
    NotCarriedOut,
    /// Something may have happened.
    Unknown,
    /// The same request would fail again, or nobody waits any more.
    Final,
}

impl Failure {
    pub(crate) fn of(error: &Error) -> Self {
        match error.kind() {
            Kind::Send { tls: true, .. } => Self::Final,
            Kind::Send { connect: true, .. } => Self::NotCarriedOut,
            Kind::Send {
                unprocessed: true, ..
            } => Self::NotCarriedOut,
            _ if error.code() == Some(429) => Self::NotCarriedOut,
            // Servers ask to come back when they turn something away; what loses the answer of a server
            // behind it says 503 alone.
            _ if error.code() == Some(503) && error.retry_after().is_some() => Self::NotCarriedOut,
            _ if error.is_retryable() => Self::Unknown,
            _ => Self::Final,
        }
    }
}

#[cfg(test)]
mod tests;
