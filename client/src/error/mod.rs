//! Errors of requests, as one opaque type.
//!
//! `kind` has the facts of each failure. `display` makes the text of them, and `predicates` the meaning for programs. A failed
//! connection has its facts from `transport::error`, and its cause and remedy in words from `transport::explanation`.

use crate::config::RetryLimit;
use crate::convert::Loss;
use crate::meta::{Status, StatusCause};
use crate::response::head::Head;
use crate::response::warnings::Warning;
use crate::transport;
use http::Method;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

mod display;
mod kind;
mod predicates;

pub(crate) use kind::{Effect, ErrorKind, Reached};

/// The error of a request, a watch or a client's setup.
///
/// Its predicates:
///
/// | predicate | usual reaction |
/// |---|---|
/// | [`is_not_found`](Self::is_not_found), [`is_already_exists`](Self::is_already_exists) | depends on the program |
/// | [`is_version_not_served`](Self::is_version_not_served) | use [`Client::negotiated`](crate::Client::negotiated), or another version |
/// | [`is_conflict`](Self::is_conflict) | read the object again and repeat the change |
/// | [`is_invalid`](Self::is_invalid), [`is_bad_request`](Self::is_bad_request), [`is_argument`](Self::is_argument) | correct the request |
/// | [`is_unauthorized`](Self::is_unauthorized), [`is_forbidden`](Self::is_forbidden) | correct the credentials or the permissions |
/// | [`is_setup`](Self::is_setup) | correct the configuration |
/// | [`is_expired`](Self::is_expired) | list again |
/// | [`is_too_many_requests`](Self::is_too_many_requests), [`is_timeout`](Self::is_timeout), [`is_connect`](Self::is_connect), [`is_retryable`](Self::is_retryable) | try later, and a write after a look at [`may_have_taken_effect`](Self::may_have_taken_effect); the client has already [retried](crate::client::RetryPolicy) where that is safe |
/// | [`is_permanent`](Self::is_permanent) | stop, and report the error: the same request fails until its cause is corrected |
/// | [`is_lossy`](Self::is_lossy) | allow the loss, or use only fields of the server's version |
/// | [`is_decode`](Self::is_decode) | check the server's URL, and proxies before it; otherwise report a bug of the server or of this crate |
///
/// [`status`](Self::status) and [`causes`](Self::causes) contain the server's reason. The text names the request, the reason
/// and, if there is one, a remedy. It contains no credentials of the client.
///
/// ```no_run
/// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
/// match client.flow_schemas().get("mine").await {
///     Ok(schema) => println!("{} is there", schema.metadata.name.unwrap_or_default()),
///     Err(error) if error.is_not_found() => println!("it is not there"),
///     Err(error) => return Err(error),
/// }
/// # Ok(())
/// # }
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    line: Option<RequestLine>,
    head: Option<Head>,
    source: Option<Box<dyn StdError + Send + Sync>>,
    /// 0 if the request was not sent.
    attempts: u32,
    effect: Effect,
    /// The limit that ended the retries.
    retry_limit: Option<RetryLimit>,
    not_served: Option<NotServed>,
}

/// An API version that the server does not serve.
#[derive(Clone, Debug)]
pub(crate) struct NotServed {
    pub(crate) group: String,
    pub(crate) version: String,
    /// The versions that it serves; `None` if they are unknown.
    pub(crate) served: Option<Vec<String>>,
}

/// Method and path of the request that failed.
#[derive(Clone, Debug)]
pub(crate) struct RequestLine {
    pub(crate) method: Method,
    pub(crate) path: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            line: None,
            head: None,
            source: None,
            attempts: 0,
            effect: Effect::None,
            retry_limit: None,
            not_served: None,
        }))
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Argument(message.into()))
    }

    pub(crate) fn setup(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Setup).with_source(source)
    }

    /// A response, or a part of it, with another content than `expected`.
    pub(crate) fn decode(expected: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Decode {
            expected: expected.into(),
            message: message.into(),
            excerpt: String::new(),
        })
    }

    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn at(mut self, line: &RequestLine) -> Self {
        self.set_line(line);
        self
    }

    pub(crate) fn set_line(&mut self, line: &RequestLine) {
        self.0.line.get_or_insert_with(|| line.clone());
    }

    pub(crate) fn with_head(mut self, head: Head) -> Self {
        self.0.head = Some(head);
        self
    }

    pub(crate) fn with_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    pub(crate) fn with_effect(mut self, effect: Effect) -> Self {
        self.0.effect = effect;
        self
    }

    pub(crate) fn with_retry_limit(mut self, limit: RetryLimit) -> Self {
        self.0.retry_limit = Some(limit);
        self
    }

    pub(crate) fn with_not_served(mut self, not_served: NotServed) -> Self {
        self.0.not_served = Some(not_served);
        self
    }

    pub(crate) fn head(&self) -> Option<&Head> {
        self.0.head.as_ref()
    }

    pub(crate) fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    pub(crate) fn status_mut(&mut self) -> Option<&mut Status> {
        match &mut self.0.kind {
            ErrorKind::Status(status) => Some(status),
            _ => None,
        }
    }

    /// The number of attempts: more than one if the request was [sent again](crate::client::RetryPolicy), 0 if it was not
    /// sent, and for the errors of an open watch or log. An attempt whose connection failed counts.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The code of the server's [`Status`](Self::status), or else the HTTP status code; for a failed watch, the code in its last event.
    /// They differ only if a server or a proxy mixes them up: a `Status` of a failure is an error also with the HTTP code 200.
    /// `None` if the body of the response ended early or was too long.
    pub fn code(&self) -> Option<u16> {
        match (&self.0.kind, &self.0.head) {
            (ErrorKind::Status(status), _) if status_code(status).is_some() => status_code(status),
            (
                ErrorKind::Status(_) | ErrorKind::NotStatus { .. } | ErrorKind::Decode { .. },
                Some(head),
            ) => Some(head.code),
            _ => None,
        }
    }

    /// The status code, also of a response whose body could not be read.
    pub(crate) fn head_code(&self) -> Option<u16> {
        let head = self.0.head.as_ref();
        match self.kind() {
            ErrorKind::TimedOut {
                reached: Reached::Head(code),
                ..
            } => Some(*code),
            _ => self.code().or(head.map(|head| head.code)),
        }
    }

    /// Whether the failed request is a write that the server may have carried out, completely or in part.
    ///
    /// The connection broke or the time ran out while the request was sent or later, the response could not be read, or the
    /// server returned a code, such as 500, that does not show the outcome. `false` for reads, dry runs, and if the server
    /// rejected each attempt or never received it. Read the object to learn the outcome.
    pub fn may_have_taken_effect(&self) -> bool {
        self.0.effect != Effect::None
    }

    /// The server's `Status`, if the response contained one.
    pub fn status(&self) -> Option<&Status> {
        match &self.0.kind {
            ErrorKind::Status(status) => Some(status),
            _ => None,
        }
    }

    /// The invalid fields and their reasons; empty if the server named none.
    pub fn causes(&self) -> &[StatusCause] {
        self.status()
            .and_then(|status| status.details.as_ref())
            .map_or(&[], |details| &details.causes)
    }

    /// The fields that the write would lose or change; empty unless [`is_lossy`](Self::is_lossy).
    pub fn losses(&self) -> &[Loss] {
        match &self.0.kind {
            ErrorKind::Lossy { losses, .. } => losses,
            _ => &[],
        }
    }

    /// The time that the server asks to wait before the next attempt, at most 68 years.
    pub fn retry_after(&self) -> Option<Duration> {
        let details = self.status().and_then(|status| status.details.as_ref());
        self.0
            .head
            .as_ref()
            .and_then(|head| head.retry_after)
            .or_else(|| {
                let seconds = details?.retry_after_seconds?;
                u64::try_from(seconds)
                    .ok()
                    .filter(|seconds| *seconds > 0)
                    .map(Duration::from_secs)
            })
    }

    /// The token to continue a list after its own token has expired.
    ///
    /// The remaining pages then come from the current state instead of the resource version of the earlier pages.
    pub fn continue_token(&self) -> Option<&str> {
        let token = self.status()?.metadata.as_ref()?.r#continue.as_deref()?;
        (!token.is_empty()).then_some(token)
    }

    /// All headers of the response; `None` without a response.
    pub fn headers(&self) -> Option<&http::HeaderMap> {
        self.0.head.as_ref().map(|head| &*head.headers)
    }

    /// The warnings in the response.
    pub fn warnings(&self) -> &[Warning] {
        self.0.head.as_ref().map_or(&[], |head| &head.warnings)
    }

    /// The ID of the request in the server's audit log.
    pub fn audit_id(&self) -> Option<&str> {
        self.0.head.as_ref()?.audit_id.as_deref()
    }

    /// The UID of the FlowSchema that classified the request.
    pub fn flow_schema_uid(&self) -> Option<&str> {
        self.0.head.as_ref()?.flow_schema_uid.as_deref()
    }

    /// The UID of the request's priority level.
    pub fn priority_level_uid(&self) -> Option<&str> {
        self.0.head.as_ref()?.priority_level_uid.as_deref()
    }

    /// The error that caused this one, such as the error of a [layer](crate::Client::layer) or of a custom transport.
    ///
    /// Use `downcast_ref` to get the program's own error. Unlike `source` it also returns a cause whose text is already
    /// a part of this error's text.
    pub fn get_ref(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.source.as_deref()
    }

    /// The causes, from the outermost to the innermost.
    fn causes_in_order(&self) -> impl Iterator<Item = &(dyn StdError + 'static)> {
        let cause = self.get_ref().into_iter();
        cause.flat_map(|cause| transport::causes(cause))
    }

    fn reason(&self) -> &str {
        self.status()
            .and_then(|status| status.reason.as_deref())
            .unwrap_or_default()
    }
}

/// The code in a `Status`, unless it cannot be one of HTTP.
fn status_code(status: &Status) -> Option<u16> {
    let code = u16::try_from(status.code?).ok()?;
    (100..1000).contains(&code).then_some(code)
}

/// A cause whose text is a part of this error's text is not a source, so that the text of a chain of errors has it once; it is
/// available from [`Error::get_ref`].
impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source: &(dyn StdError + 'static) = self.get_ref()?;
        match &self.0.kind {
            ErrorKind::Setup => source.source(),
            ErrorKind::Send { is, .. } if is.fatal => source.source(),
            ErrorKind::Argument(_)
            | ErrorKind::Send { .. }
            | ErrorKind::TooLong { .. }
            | ErrorKind::Body { .. }
            | ErrorKind::Decode { .. } => None,
            _ => Some(source),
        }
    }
}

/// The text of the error and of its sources; with `{:#?}` all of its parts.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            let mut text = self.to_string();
            for error in self.causes_in_order() {
                let cause = error.to_string();
                // Many errors repeat their cause.
                if !text.contains(&cause) {
                    text.push_str("; caused by: ");
                    text.push_str(&cause);
                }
            }
            return f.write_str(&text);
        }
        let Inner {
            kind,
            line,
            head,
            source,
            attempts,
            effect,
            retry_limit,
            not_served,
        } = &*self.0;
        f.debug_struct("Error")
            .field("kind", kind)
            .field("request", line)
            .field("response", head)
            .field("source", source)
            .field("attempts", attempts)
            .field("effect", effect)
            .field("retry_limit", retry_limit)
            .field("not_served", not_served)
            .finish()
    }
}

impl From<crate::config::ConfigError> for Error {
    fn from(error: crate::config::ConfigError) -> Self {
        Self::setup(error)
    }
}
