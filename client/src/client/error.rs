//! Everything that can go wrong with a request, behind one opaque type.

use super::head::Head;
use super::warnings::Warning;
use crate::convert::Loss;
use crate::meta::{Status, StatusCause};
use http::Method;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

mod display;

/// What went wrong with a request.
///
/// Ask what it means for your program with the predicates ([`is_not_found`](Self::is_not_found),
/// [`is_conflict`](Self::is_conflict), [`is_retryable`](Self::is_retryable), …); what the server said is in
/// [`status`](Self::status) and [`causes`](Self::causes). The text names the request, what was wrong and what
/// to do; it holds no credentials.
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
    kind: Kind,
    line: Option<RequestLine>,
    head: Option<Head>,
    source: Option<Box<dyn StdError + Send + Sync>>,
    /// How often the request was sent; 0 when it was not.
    attempts: u32,
}

/// Method and path of the request that failed.
#[derive(Clone, Debug)]
pub(crate) struct RequestLine {
    pub(crate) method: Method,
    pub(crate) path: String,
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// The caller asked for something that cannot be sent.
    Argument(String),
    /// The client could not be set up; the source says why.
    Setup,
    /// The request did not reach the server, or no answer came.
    Send {
        server: String,
        timeout: bool,
        tls: bool,
        /// No connection came about, so that nothing was sent.
        connect: bool,
        /// The server has said that it did not look at the request.
        unprocessed: bool,
    },
    /// The time that the caller gave ran out.
    TimedOut { what: String, limit: Duration },
    /// The answer broke off.
    Body { timeout: bool },
    /// The answer, or a line of a watch, is longer than the limit in bytes.
    TooLong {
        what: &'static str,
        limit: usize,
        setting: &'static str,
    },
    /// The server answered a `Status`.
    Status(Box<Status>),
    /// The server, or something before it, answered an error that is no `Status`.
    NotStatus {
        content_type: String,
        excerpt: String,
    },
    /// The answer does not decode.
    Decode {
        what: String,
        message: String,
        excerpt: String,
    },
    /// A watch ended in the middle of an event.
    CutOff,
    /// Nothing came for so long.
    Silent(Duration),
    /// The group is not served in a version that the crate knows.
    NotServed(String),
    /// The write would lose or change something.
    Lossy {
        version: &'static str,
        losses: Vec<Loss>,
    },
}

impl Error {
    pub(crate) fn new(kind: Kind) -> Self {
        Self(Box::new(Inner {
            kind,
            line: None,
            head: None,
            source: None,
            attempts: 0,
        }))
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(Kind::Argument(message.into()))
    }

    pub(crate) fn setup(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(Kind::Setup).with_source(source)
    }

    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn at(mut self, line: &RequestLine) -> Self {
        self.0.line.get_or_insert_with(|| line.clone());
        self
    }

    pub(crate) fn with_head(mut self, head: Head) -> Self {
        self.0.head = Some(head);
        self
    }

    pub(crate) fn with_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.0.kind
    }

    pub(crate) fn status_mut(&mut self) -> Option<&mut Status> {
        match &mut self.0.kind {
            Kind::Status(status) => Some(status),
            _ => None,
        }
    }

    /// The object is not there (404), or the server does not serve the path.
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(404)
    }

    /// An object of that name is there already (409, reason `AlreadyExists`).
    pub fn is_already_exists(&self) -> bool {
        self.code() == Some(409) && self.reason() == "AlreadyExists"
    }

    /// Someone else changed the object, or owns a field that an apply wants (409, any other reason).
    ///
    /// After a replace: get the object again, repeat the change, replace again.
    pub fn is_conflict(&self) -> bool {
        self.code() == Some(409) && self.reason() != "AlreadyExists"
    }

    /// The object breaks the server's rules (422); [`causes`](Self::causes) says which.
    pub fn is_invalid(&self) -> bool {
        self.code() == Some(422)
    }

    /// The server could not make sense of the request (400).
    pub fn is_bad_request(&self) -> bool {
        self.code() == Some(400)
    }

    /// The credentials are missing or not accepted (401).
    pub fn is_unauthorized(&self) -> bool {
        self.code() == Some(401)
    }

    /// The user may not do that (403).
    pub fn is_forbidden(&self) -> bool {
        self.code() == Some(403)
    }

    /// The resource version or continue token is too old (410): list again.
    ///
    /// For a list the fresh token of [`continue_token`](Self::continue_token) is another way on.
    pub fn is_expired(&self) -> bool {
        self.code() == Some(410)
    }

    /// The server is busy (429): wait for [`retry_after`](Self::retry_after) and try again.
    pub fn is_too_many_requests(&self) -> bool {
        self.code() == Some(429)
    }

    /// Whether API Priority and Fairness itself turned the request away, rather than what the request
    /// asked for: a 429 in plain text with the headers of the classification.
    pub fn is_rejected_by_flow_control(&self) -> bool {
        self.is_too_many_requests()
            && matches!(self.0.kind, Kind::NotStatus { .. })
            && self.flow_schema_uid().is_some()
            && self.priority_level_uid().is_some()
    }

    /// Time ran out: in the client (see [`Config::with_timeout`](crate::config::Config::with_timeout)), or at the
    /// server (408, 504, or the reasons `Timeout` and `ServerTimeout`).
    pub fn is_timeout(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::TimedOut { .. }
                | Kind::Silent(_)
                | Kind::Send { timeout: true, .. }
                | Kind::Body { timeout: true }
        ) || matches!(self.code(), Some(408 | 504))
            || matches!(self.reason(), "Timeout" | "ServerTimeout")
    }

    /// No connection to the server came about: refused, unreachable, no such name, not trusted, too slow.
    ///
    /// Nothing was sent. A connection that broke later [`is_retryable`](Self::is_retryable), but not this.
    pub fn is_connect(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::Send { connect: true, .. } | Kind::Send { tls: true, .. }
        )
    }

    /// How often the request was sent before this error was handed on: more than once when it was
    /// [retried](crate::client::RetryPolicy), 0 when it was not sent at all.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// A write that would lose or change meaning in the version that the server speaks; nothing was sent.
    ///
    /// [`losses`](Self::losses) says what; `.allow_loss()` on the request sends it all the same.
    pub fn is_lossy(&self) -> bool {
        matches!(self.0.kind, Kind::Lossy { .. })
    }

    /// The request itself was wrong and nothing was sent: a name that is no path segment, an apply without
    /// field manager.
    pub fn is_argument(&self) -> bool {
        matches!(self.0.kind, Kind::Argument(_))
    }

    /// The answer, or an event of a watch, was not what the documents promise.
    pub fn is_decode(&self) -> bool {
        matches!(self.0.kind, Kind::Decode { .. })
    }

    /// The same request may succeed later: the server is busy or starting (429, 503, 504 and the like), or the
    /// connection failed.
    ///
    /// It may also have been carried out. What is safe to repeat has been repeated already, see
    /// [`RetryPolicy`](crate::client::RetryPolicy); beyond that it is for the caller to say.
    pub fn is_retryable(&self) -> bool {
        match &self.0.kind {
            Kind::Send { tls, .. } => !tls,
            Kind::Body { .. } | Kind::CutOff | Kind::Silent(_) => true,
            _ => match self.code() {
                Some(408 | 429 | 502 | 503 | 504) => true,
                Some(500..) => self.is_timeout() || self.retry_after().is_some(),
                _ => false,
            },
        }
    }

    /// The HTTP status code, or for a failed watch the code of its last event.
    pub fn code(&self) -> Option<u16> {
        match (&self.0.kind, &self.0.head) {
            (Kind::Status(status), _) if status.code.is_some_and(|code| code > 0) => {
                status.code.and_then(|code| u16::try_from(code).ok())
            }
            (Kind::Status(_) | Kind::NotStatus { .. } | Kind::Decode { .. }, Some(head)) => {
                Some(head.code)
            }
            _ => None,
        }
    }

    /// What the server said, when it said it as a `Status`.
    pub fn status(&self) -> Option<&Status> {
        match &self.0.kind {
            Kind::Status(status) => Some(status),
            _ => None,
        }
    }

    /// The single faults that the server found, each with the path of the member; empty when it named none.
    pub fn causes(&self) -> &[StatusCause] {
        self.status()
            .and_then(|status| status.details.as_ref())
            .map_or(&[], |details| &details.causes)
    }

    /// What the refused write would have lost; empty unless [`is_lossy`](Self::is_lossy).
    pub fn losses(&self) -> &[Loss] {
        match &self.0.kind {
            Kind::Lossy { losses, .. } => losses,
            _ => &[],
        }
    }

    /// How long the server asks to wait before the next try.
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

    /// The token with which a list whose own token is expired can go on, with what is there now.
    ///
    /// The rest then belongs to another resource version than the pages before.
    pub fn continue_token(&self) -> Option<&str> {
        let token = self.status()?.metadata.as_ref()?.r#continue.as_deref()?;
        (!token.is_empty()).then_some(token)
    }

    /// The warnings that came with the answer.
    pub fn warnings(&self) -> &[Warning] {
        self.0.head.as_ref().map_or(&[], |head| &head.warnings)
    }

    /// The id under which the server's audit log has the request.
    pub fn audit_id(&self) -> Option<&str> {
        self.0.head.as_ref()?.audit_id.as_deref()
    }

    /// The UID of the FlowSchema that classified the request.
    pub fn flow_schema_uid(&self) -> Option<&str> {
        self.0.head.as_ref()?.flow_schema_uid.as_deref()
    }

    /// The UID of the priority level that the request was given.
    pub fn priority_level_uid(&self) -> Option<&str> {
        self.0.head.as_ref()?.priority_level_uid.as_deref()
    }

    fn reason(&self) -> &str {
        self.status()
            .and_then(|status| status.reason.as_deref())
            .unwrap_or_default()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            kind,
            line,
            head,
            source,
            attempts,
        } = &*self.0;
        f.debug_struct("Error")
            .field("kind", kind)
            .field("request", line)
            .field("answer", head)
            .field("source", source)
            .field("attempts", attempts)
            .finish()
    }
}

impl From<crate::config::ConfigError> for Error {
    fn from(error: crate::config::ConfigError) -> Self {
        Self::setup(error)
    }
}
