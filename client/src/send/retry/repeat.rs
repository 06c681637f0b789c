//! Whether a request may be sent again. The table is in the documentation of [`RetryPolicy`](crate::client::RetryPolicy).

use crate::error::{Effect, Error, ErrorKind, Reached};
use crate::request::http_request::HttpRequest;

/// Whether a request with an unknown outcome may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Yes, because it stores nothing.
    Harmless,
    /// Yes, because the server rejects it if it has been carried out before.
    Guarded,
    /// No, because it might be carried out twice.
    Never,
}

impl Repeat {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        if !request.is_write() {
            Self::Harmless
        } else if request.guarded {
            Self::Guarded
        } else {
            Self::Never
        }
    }

    /// Whether the request may be sent again after this failure.
    pub(crate) fn allows(self, failure: RetryClass) -> bool {
        match failure {
            RetryClass::NotCarriedOut => true,
            RetryClass::Unknown => self != Self::Never,
            RetryClass::Final => false,
        }
    }

    /// Whether the request may change an object.
    pub(crate) fn is_write(self) -> bool {
        self != Self::Harmless
    }

    /// Whether an error may be caused by an earlier attempt with unknown outcome.
    pub(crate) fn may_be_self_inflicted(self, error: &Error) -> bool {
        self == Self::Guarded && matches!(error.code(), Some(404 | 409 | 412))
    }
}

/// The effect of a failed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryClass {
    /// The server did not carry it out.
    NotCarriedOut,
    /// The server may have carried it out.
    Unknown,
    /// Another attempt would fail too, or the time is over.
    Final,
}

impl RetryClass {
    pub(crate) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::TimedOut { .. } => Self::Final,
            ErrorKind::Send { is, .. } if is.tls || is.fatal => Self::Final,
            ErrorKind::Send { is, .. } if is.connect || is.unprocessed => Self::NotCarriedOut,
            // The head counts, even if the body broke off.
            _ if error.head_code() == Some(429) => Self::NotCarriedOut,
            // API servers send `Retry-After` with a rejection. A proxy that lost the response sends 503 alone.
            _ if error.head_code() == Some(503) && error.retry_after().is_some() => {
                Self::NotCarriedOut
            }
            _ if error.is_retryable() => Self::Unknown,
            _ => Self::Final,
        }
    }

    /// The effect of a request. `is_unclear`: an earlier attempt may have been carried out.
    pub(crate) fn effect(error: &Error, is_write: bool, is_unclear: bool) -> Effect {
        match () {
            () if !is_write => Effect::None,
            () if Self::may_have_taken_effect(error) => Effect::Possible,
            () if is_unclear => Effect::PossibleBefore,
            () => Effect::None,
        }
    }

    /// Whether the server may have carried out the attempt that failed.
    pub(super) fn may_have_taken_effect(error: &Error) -> bool {
        match error.kind() {
            _ if Self::of(error) == Self::NotCarriedOut => false,
            ErrorKind::Send { is, .. } => !is.connect && !is.unprocessed,
            ErrorKind::Argument(_) | ErrorKind::Setup | ErrorKind::NotServed(_) => false,
            ErrorKind::VersionChanged { .. } | ErrorKind::Lossy { .. } => false,
            ErrorKind::TimedOut {
                reached: Reached::Nothing,
                ..
            } => false,
            _ => match error.head_code() {
                Some(code) => code == 408 || !(300..500).contains(&code),
                None => true,
            },
        }
    }

    /// Whether the server is able to answer: the error is its judgement of the request, such as 404 or 409.
    pub(crate) fn is_answer(error: &Error) -> bool {
        Self::of(error) == Self::Final && error.code().is_some_and(|code| code < 500)
    }
}
