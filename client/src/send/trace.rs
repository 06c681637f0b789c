//! Requests as `tracing` spans and events, without headers, bodies and credentials.

use super::observe::Attempt;
use crate::error::{Error, ErrorKind};
use crate::request::http_request::HttpRequest;
use std::time::Duration;
use tracing::Span;
use tracing::field::{Empty, display};

/// The target of all spans and events.
const TARGET: &str = "k8s_flowcontrol::request";

/// The span of a request with all its attempts. The empty fields are recorded later.
pub(crate) fn request_span(request: &HttpRequest) -> Span {
    let span = tracing::debug_span!(
        target: TARGET,
        "request",
        method = %request.method,
        path = %request.path,
        query = Empty,
        attempts = Empty,
        status = Empty,
        error = Empty,
        duration_ms = Empty,
        flow_schema_uid = Empty,
        priority_level_uid = Empty,
        otel.name = Empty,
        otel.kind = "client",
        otel.status_code = Empty,
    );
    if !span.is_disabled() {
        span.record("otel.name", display(name(request)));
    }
    if !span.is_disabled() && !request.query.is_empty() {
        span.record("query", query(request));
    }
    span
}

/// Emits the event of an attempt. The last attempt completes the span: some tools keep every value of a field.
pub(crate) fn attempt(span: &Span, attempt: &Attempt<'_>, elapsed: Duration) {
    if attempt.retried_after().is_none() {
        complete(span, attempt, elapsed);
    }
    let failure = attempt.error().map(error_class);
    let (status, duration_ms) = (attempt.code(), millis(attempt.duration()));
    match (failure, attempt.retried_after()) {
        (Some(error), Some(pause)) => tracing::info!(
            target: TARGET,
            parent: span,
            attempt = attempt.number(),
            status,
            error,
            duration_ms,
            retried_after_ms = millis(pause),
            "the request failed and is sent again"
        ),
        (Some(error), None) => tracing::debug!(
            target: TARGET, parent: span, attempt = attempt.number(), status, error, duration_ms, "the request failed"
        ),
        (None, _) => tracing::debug!(
            target: TARGET, parent: span, attempt = attempt.number(), status, duration_ms, "the request succeeded"
        ),
    }
}

fn complete(span: &Span, attempt: &Attempt<'_>, elapsed: Duration) {
    span.record("attempts", attempt.number());
    span.record("duration_ms", millis(elapsed));
    if let Some(code) = attempt.code() {
        span.record("status", code);
    }
    if let Some(uid) = attempt.flow_schema_uid() {
        span.record("flow_schema_uid", uid);
    }
    if let Some(uid) = attempt.priority_level_uid() {
        span.record("priority_level_uid", uid);
    }
    if let Some(error) = attempt.error() {
        span.record("error", display(error_class(error)));
        span.record("otel.status_code", "ERROR");
    }
}

/// A name that many requests share, such as `list flowschemas`, for tools that group by it.
fn name(request: &HttpRequest) -> String {
    match (request.resource, &*request.subresource) {
        ("", _) => request.method.to_string(),
        (resource, "") => format!("{} {resource}", request.verb.as_str()),
        (resource, subresource) => format!("{} {resource}/{subresource}", request.verb.as_str()),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The query with shortened continue tokens, which are long and opaque.
fn query(request: &HttpRequest) -> String {
    let pairs = request.query.iter().map(|(name, value)| match *name {
        "continue" => "continue=...".to_owned(),
        name => format!("{name}={value}"),
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// A short name for the error. Its full text may quote the response.
fn error_class(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::TimedOut { .. } => "timeout",
        ErrorKind::Send { tls: true, .. } => "tls",
        ErrorKind::Send { connect: true, .. } => "connect",
        ErrorKind::Send { .. } => "no response",
        ErrorKind::Body { .. } | ErrorKind::CutOff => "response ended early",
        ErrorKind::Status(_) | ErrorKind::NotStatus { .. } => "error response",
        ErrorKind::TooLong { .. } => "response too long",
        _ => "other",
    }
}
