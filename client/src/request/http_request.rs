//! A request as plain data, put together and checked without sending anything.

use super::path::{Target, has_dry_runs};
use crate::config::RetryPolicy;
use crate::error::RequestLine;
use bytes::Bytes;
use http::{HeaderValue, Method};
use std::time::Duration;
use tokio::time::Instant;

/// A verb of the Kubernetes API, as metrics, audit events and flow schemas name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
    /// Another method on a raw path, in lower case.
    Raw(&'static str),
}

impl Verb {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Raw(method) => method,
        }
    }

    const fn method(self) -> Method {
        match self {
            Self::Get | Self::List | Self::Watch | Self::Raw(_) => Method::GET,
            Self::Create => Method::POST,
            Self::Update => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete | Self::DeleteCollection => Method::DELETE,
        }
    }
}

/// An HTTP request without host and credentials.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HttpRequest {
    /// The same for all attempts; 0 until it is sent.
    pub(crate) id: u64,
    pub(crate) verb: Verb,
    pub(crate) method: Method,
    /// Percent-encoded, beginning with `/`.
    pub(crate) path: String,
    /// The resource in the path, such as `flowschemas`; empty for discovery and raw paths.
    pub(crate) resource: &'static str,
    /// The first segment of the subresource in the path; empty without one.
    pub(crate) subresource: String,
    /// Names and values, not encoded yet.
    pub(crate) query: Vec<(&'static str, String)>,
    /// An encoded query, sent instead of `query`.
    pub(crate) encoded_query: String,
    pub(crate) accept: HeaderValue,
    pub(crate) content_type: Option<HeaderValue>,
    /// Cheap to clone, since it may be sent several times.
    pub(crate) body: Bytes,
    /// Whether the server rejects the request if it has been carried out before.
    pub(crate) guarded: bool,
    /// Whether the version in the path is negotiated, so that another one may take its place.
    pub(crate) is_negotiated: bool,
    /// Whether the response is read as it arrives. A watch always is.
    pub(crate) is_streamed: bool,
    /// Overrides the client's.
    pub(crate) timeout: Option<Option<Duration>>,
    /// Overrides the client's.
    pub(crate) retry: Option<RetryPolicy>,
}

/// The time until a deadline, in whole milliseconds, as timers count it.
pub(crate) fn remaining(deadline: Instant) -> Duration {
    let micros = deadline
        .saturating_duration_since(Instant::now())
        .as_micros();
    Duration::from_millis(u64::try_from(micros.div_ceil(1000)).unwrap_or(u64::MAX))
}

/// Whether a request with this path and this encoded query stores nothing.
pub(crate) fn is_dry_run(path: &str, query: &str) -> bool {
    let mut parameters = query.split('&');
    parameters.any(|parameter| parameter == "dryRun=All") && has_dry_runs(path)
}

impl HttpRequest {
    pub(crate) fn new(verb: Verb, target: Target) -> Self {
        Self {
            id: 0,
            verb,
            method: verb.method(),
            path: target.path,
            resource: target.resource,
            subresource: target.subresource,
            query: Vec::new(),
            encoded_query: String::new(),
            accept: HeaderValue::from_static("application/json"),
            content_type: None,
            body: Bytes::new(),
            guarded: false,
            is_negotiated: false,
            is_streamed: false,
            timeout: None,
            retry: None,
        }
    }

    /// Sets a query parameter, replacing an earlier value.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        let value = value.into();
        match self.query.iter_mut().find(|(n, _)| *n == name) {
            Some(pair) => pair.1 = value,
            None => self.query.push((name, value)),
        }
    }

    /// Removes a query parameter.
    pub(crate) fn unset(&mut self, name: &'static str) {
        self.query.retain(|(n, _)| *n != name);
    }

    /// The value of a query parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, value)| value.as_str())
    }

    /// Whether the request may change an object: it is neither a read nor a dry run.
    ///
    /// Subresources other than the status do not all support dry runs.
    pub(crate) fn is_write(&self) -> bool {
        let is_dry_run = match self.encoded_query.is_empty() {
            true => {
                matches!(&*self.subresource, "" | "status") && self.get("dryRun") == Some("All")
            }
            false => is_dry_run(&self.path, &self.encoded_query),
        };
        !self.method.is_safe() && !is_dry_run
    }

    /// Method and path, for errors.
    pub(crate) fn line(&self) -> RequestLine {
        RequestLine {
            method: self.method.clone(),
            path: self.path.clone(),
        }
    }

    pub(crate) fn set_body(&mut self, content_type: &'static str, body: Vec<u8>) {
        self.content_type = Some(HeaderValue::from_static(content_type));
        self.body = body.into();
    }
}
