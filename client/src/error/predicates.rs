//! The meaning of an error for a program.

use super::{Error, ErrorKind, Reached};
use crate::meta::StatusDetails;
use http::Method;

impl Error {
    /// The object does not exist (404), or the server does not have the path.
    ///
    /// False for a version that the server does not serve, since the object may exist in another version, see
    /// [`is_version_not_served`](Self::is_version_not_served).
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(404) && !self.is_version_not_served()
    }

    /// The server does not serve the API version of the request (404); an older or newer server may serve it.
    ///
    /// The text of the error names the versions that it serves.
    /// [`Client::negotiated`](crate::Client::negotiated) chooses among them.
    pub fn is_version_not_served(&self) -> bool {
        self.0.not_served.is_some() || matches!(self.kind(), ErrorKind::NotServed(_))
    }

    /// A 404 without the name and kind of a missing object.
    pub(crate) fn names_no_object(&self) -> bool {
        let details = self.status().and_then(|status| status.details.as_ref());
        let is_named = |details: &StatusDetails| details.name.is_some() || details.kind.is_some();
        self.code() == Some(404) && !details.is_some_and(is_named)
    }

    /// A 404 about a path that an API server does not serve.
    pub(crate) fn lacks_path(&self) -> bool {
        self.names_no_object() && !self.is_html()
    }

    /// The response is a page of something else than an API server.
    pub(super) fn is_html(&self) -> bool {
        let content_type = self.head().map_or("", |head| &head.content_type);
        // An event of a watch has no head.
        let excerpt = match self.kind() {
            ErrorKind::Decode { excerpt, .. } | ErrorKind::NotStatus { excerpt, .. } => excerpt,
            _ => "",
        };
        let begins = |text: &str, begin: &str| {
            let text = text.get(..begin.len());
            text.is_some_and(|text| text.eq_ignore_ascii_case(begin))
        };
        begins(content_type, "text/html")
            || begins(excerpt, "<html")
            || begins(excerpt, "<!doctype html")
    }

    /// An object with this name exists already: 409 with the reason `AlreadyExists`, or a create that fails with 409 and
    /// without a `Status`.
    pub fn is_already_exists(&self) -> bool {
        self.code() == Some(409)
            && match (self.status(), &self.0.line) {
                (None, Some(line)) => line.method == Method::POST,
                _ => self.reason() == "AlreadyExists",
            }
    }

    /// The object has changed since it was read, or a server-side apply conflicts with another field manager (409,
    /// unless [`is_already_exists`](Self::is_already_exists)).
    ///
    /// After a failed replace, get the object again, repeat the change and replace again.
    /// [`Api::update_with`](crate::Api::update_with) does that.
    pub fn is_conflict(&self) -> bool {
        self.code() == Some(409) && !self.is_already_exists()
    }

    /// A server-side apply changes fields of other managers.
    pub(super) fn is_conflict_of_managers(&self) -> bool {
        let mut reasons = self
            .causes()
            .iter()
            .filter_map(|cause| cause.reason.as_deref());
        self.is_conflict() && reasons.any(|reason| reason == "FieldManagerConflict")
    }

    /// The object is invalid (422). [`causes`](Self::causes) lists the fields.
    pub fn is_invalid(&self) -> bool {
        self.code() == Some(422)
    }

    /// The server could not read the request (400).
    pub fn is_bad_request(&self) -> bool {
        self.code() == Some(400)
    }

    /// The credentials are missing or invalid (401).
    pub fn is_unauthorized(&self) -> bool {
        self.code() == Some(401)
    }

    /// The user does not have the permission (403).
    pub fn is_forbidden(&self) -> bool {
        self.code() == Some(403)
    }

    /// The resource version or continue token has expired (410): list again.
    ///
    /// A list can also continue with [`continue_token`](Self::continue_token), unless
    /// [`Negotiated`](crate::client::Negotiated) changed the version on the wire in the middle of the list, which is this
    /// error too.
    pub fn is_expired(&self) -> bool {
        self.code() == Some(410) || self.is_version_changed()
    }

    /// The version on the wire changed, and the request makes sense only in the old one.
    pub(crate) fn is_version_changed(&self) -> bool {
        matches!(self.kind(), ErrorKind::VersionChanged { .. })
    }

    /// The server is overloaded (429): wait for [`retry_after`](Self::retry_after), then try again.
    pub fn is_too_many_requests(&self) -> bool {
        self.code() == Some(429)
    }

    /// API Priority and Fairness rejected the request: a 429 in plain text with the headers of the classification.
    ///
    /// Other 429s come from the resource itself, such as an eviction that is not allowed yet.
    pub fn is_rejected_by_flow_control(&self) -> bool {
        self.is_too_many_requests()
            && matches!(self.kind(), ErrorKind::NotStatus { .. })
            && self.flow_schema_uid().is_some()
            && self.priority_level_uid().is_some()
    }

    /// A time limit expired: the client's (see [`Config::with_timeout`](crate::config::Config::with_timeout)), or the
    /// server's (408, 504, or the reasons `Timeout` and `ServerTimeout`).
    ///
    /// The client does not send a request again whose own time limit expired.
    pub fn is_timeout(&self) -> bool {
        match self.kind() {
            ErrorKind::TimedOut { .. } | ErrorKind::Silent { .. } => true,
            ErrorKind::Send { is, .. } => is.timeout,
            ErrorKind::Body { timeout } => *timeout,
            _ => {
                matches!(self.code(), Some(408 | 504))
                    || matches!(self.reason(), "Timeout" | "ServerTimeout")
            }
        }
    }

    /// The connection to the server failed: connection refused, unreachable or unknown host, untrusted certificate, or
    /// the [connect timeout](crate::config::Config::with_connect_timeout). The server did not carry out the last attempt, unless TLS
    /// failed later; [`may_have_taken_effect`](Self::may_have_taken_effect) tells.
    ///
    /// A connection that broke later is [`is_retryable`](Self::is_retryable) instead.
    pub fn is_connect(&self) -> bool {
        matches!(self.kind(), ErrorKind::Send { is, .. } if is.connect || is.tls)
    }

    /// The write would lose or change fields in the server's API version. Nothing was sent.
    ///
    /// [`losses`](Self::losses) lists the fields. `.allow_loss()` on the request sends it nevertheless.
    pub fn is_lossy(&self) -> bool {
        matches!(self.kind(), ErrorKind::Lossy { .. })
    }

    /// An argument of the request is invalid, such as a name with a slash, or an apply without field manager. Nothing was
    /// sent.
    pub fn is_argument(&self) -> bool {
        matches!(self.kind(), ErrorKind::Argument(_))
    }

    /// The client could not be created, or its configuration or credentials cannot be used: a kubeconfig, a certificate, an exec
    /// plugin, a [token source](crate::config::TokenSource). Nothing was sent, or the server answered 401 and there were no new
    /// credentials.
    pub fn is_setup(&self) -> bool {
        matches!(self.kind(), ErrorKind::Setup)
    }

    /// The response, or an event of a watch, does not match the API's documents.
    pub fn is_decode(&self) -> bool {
        matches!(self.kind(), ErrorKind::Decode { .. })
    }

    /// The connection broke before the end of the response.
    pub(crate) fn is_connection_lost(&self) -> bool {
        match self.kind() {
            ErrorKind::Send { .. } => !self.is_connect(),
            kind => matches!(kind, ErrorKind::Body { .. } | ErrorKind::CutOff),
        }
    }

    /// The time of the request ran out without a failure before.
    pub(crate) fn is_unanswered(&self) -> bool {
        let is_sent = matches!(
            self.kind(),
            ErrorKind::TimedOut {
                reached: Reached::Sent,
                ..
            }
        );
        is_sent && self.get_ref().is_none()
    }

    /// The last event of a watch is the error, and not the response.
    pub(crate) fn is_error_event(&self) -> bool {
        matches!(self.kind(), ErrorKind::Status(_)) && self.0.head.is_none()
    }

    /// Whether the same request will fail again until its cause is fixed: an invalid argument, a write that would lose fields,
    /// or a 4xx response other than 410 Gone and the codes that [`is_retryable`](Self::is_retryable) lists.
    ///
    /// False for [`is_setup`](Self::is_setup) and TLS errors: a file or a certificate may be renewed at any time.
    pub fn is_permanent(&self) -> bool {
        let is_about_the_request = matches!(self.code(), Some(400..500)) && !self.is_expired();
        !self.is_retryable() && (is_about_the_request || self.is_argument() || self.is_lossy())
    }

    /// The same request may succeed later: the server is overloaded or starting (429, 503, 504 and similar), or the
    /// connection broke.
    ///
    /// False if the [timeout](crate::config::Config::with_timeout) of the request expired, which shows nothing about the server.
    ///
    /// The request may also have been carried out. The client has sent it again as often as that is safe, see
    /// [`RetryPolicy`](crate::client::RetryPolicy). Whether to repeat it further is the caller's decision.
    pub fn is_retryable(&self) -> bool {
        match self.kind() {
            ErrorKind::Send { is, .. } => !is.tls && !is.fatal,
            ErrorKind::Body { .. }
            | ErrorKind::CutOff
            | ErrorKind::Silent { .. }
            | ErrorKind::ShortWatch
            | ErrorKind::WentBack { .. } => true,
            _ => match self.code() {
                Some(408 | 429 | 502 | 503 | 504) => true,
                Some(500..) => self.is_timeout() || self.retry_after().is_some(),
                _ => false,
            },
        }
    }
}
