//! The attempts at a request, as reported to the program.

use crate::error::Error;
use crate::request::http_request::HttpRequest;
use crate::response::head::Head;
use std::fmt;
use std::time::Duration;

/// A finished attempt at a request, reported to [`Client::on_request`](crate::Client::on_request).
///
/// Verb, resource and subresource are named as in Kubernetes' metrics, audit events and flow schemas.
pub struct Attempt<'a> {
    request: &'a HttpRequest,
    number: u32,
    duration: Duration,
    outcome: Result<&'a Head, &'a Error>,
    pause: Option<Duration>,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(
        request: &'a HttpRequest,
        outcome: Result<&'a Head, &'a Error>,
        number: u32,
        pause: Option<Duration>,
        duration: Duration,
    ) -> Self {
        Self {
            request,
            number,
            duration,
            outcome,
            pause,
        }
    }

    /// The HTTP method, such as `PUT`.
    pub fn method(&self) -> &str {
        self.request.method.as_str()
    }

    /// The path, percent-encoded and without the query.
    pub fn path(&self) -> &str {
        &self.request.path
    }

    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`.
    pub fn verb(&self) -> &str {
        self.request.verb.as_str()
    }

    /// The resource, such as `flowschemas`; empty for discovery and for raw paths.
    pub fn resource(&self) -> &str {
        self.request.resource
    }

    /// The subresource, such as `status`; empty without one.
    pub fn subresource(&self) -> &str {
        &self.request.subresource
    }

    /// The number of the request in this process, from 1. All attempts at a request have the same.
    pub fn request_id(&self) -> u64 {
        self.request.id
    }

    /// The number of the attempt, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The duration; for a watch, until it was open.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// The HTTP status code; `None` without a response.
    pub fn code(&self) -> Option<u16> {
        match self.outcome {
            Ok(head) => Some(head.code),
            Err(error) => error.head_code(),
        }
    }

    /// The error; `None` for a 2xx response that arrived completely, or for a watch, began. The body is decoded later.
    pub fn error(&self) -> Option<&Error> {
        self.outcome.err()
    }

    /// The pause before the next attempt; `None` after the last one.
    pub fn retried_after(&self) -> Option<Duration> {
        self.pause
    }

    /// The UID of the FlowSchema that classified the request.
    pub fn flow_schema_uid(&self) -> Option<&str> {
        match self.outcome {
            Ok(head) => head.flow_schema_uid.as_deref(),
            Err(error) => error.flow_schema_uid(),
        }
    }

    /// The UID of the request's priority level.
    pub fn priority_level_uid(&self) -> Option<&str> {
        match self.outcome {
            Ok(head) => head.priority_level_uid.as_deref(),
            Err(error) => error.priority_level_uid(),
        }
    }
}

impl fmt::Debug for Attempt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("method", &self.method())
            .field("path", &self.path())
            .field("number", &self.number)
            .field("duration", &self.duration)
            .field("code", &self.code())
            .field("error", &self.error())
            .field("retried_after", &self.pause)
            .finish()
    }
}
