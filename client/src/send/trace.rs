//! Requests as `tracing` spans and events, without headers, bodies and credentials.
//!
//! The fields have the names of OpenTelemetry's semantic conventions for HTTP clients, where there is one.

use super::observe::Attempt;
use crate::error::{Error, ErrorKind};
use crate::request::http_request::HttpRequest;
use std::borrow::Cow;
use std::time::Duration;
use tracing::Span;
use tracing::field::{Empty, display};
use url::Url;

/// The target of all spans and events.
const TARGET: &str = "k8s_flowcontrol::request";

/// The span of a request with all its attempts. The empty fields are recorded later.
pub(crate) fn request_span(request: &HttpRequest, server: &Url) -> Span {
    let span = tracing::debug_span!(
        target: TARGET,
        "request",
        request_id = request.id,
        http.request.method = %request.method,
        url.path = %request.path,
        url.query = Empty,
        server.address = server.host_str(),
        server.port = server.port_or_known_default(),
        http.request.resend_count = Empty,
        http.response.status_code = Empty,
        error.type = Empty,
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
        span.record("url.query", query(request));
    }
    span
}

/// Emits the event of an attempt. The last attempt completes the span: some tools keep every value of a field.
pub(crate) fn attempt(span: &Span, attempt: &Attempt<'_>, elapsed: Duration) {
    if attempt.retried_after().is_none() {
        complete(span, attempt, elapsed);
    }
    let failure = attempt.error().map(error_type);
    let failure = failure.as_deref();
    let (status, duration_ms) = (attempt.code(), millis(attempt.duration()));
    match (failure, attempt.retried_after()) {
        (Some(error), Some(pause)) => tracing::info!(
            target: TARGET,
            parent: span,
            attempt = attempt.number(),
            http.response.status_code = status,
            error.type = error,
            duration_ms,
            retried_after_ms = millis(pause),
            "the request failed and is sent again"
        ),
        (Some(error), None) => tracing::debug!(
            target: TARGET, parent: span, attempt = attempt.number(), http.response.status_code = status,
            error.type = error, duration_ms, "the request failed"
        ),
        (None, _) => tracing::debug!(
            target: TARGET, parent: span, attempt = attempt.number(), http.response.status_code = status,
            duration_ms, "the request succeeded"
        ),
    }
}

fn complete(span: &Span, attempt: &Attempt<'_>, elapsed: Duration) {
    if attempt.number() > 1 {
        span.record("http.request.resend_count", attempt.number() - 1);
    }
    span.record("duration_ms", millis(elapsed));
    if let Some(code) = attempt.code() {
        span.record("http.response.status_code", code);
    }
    if let Some(uid) = attempt.flow_schema_uid() {
        span.record("flow_schema_uid", uid);
    }
    if let Some(uid) = attempt.priority_level_uid() {
        span.record("priority_level_uid", uid);
    }
    if let Some(error) = attempt.error() {
        span.record("error.type", display(error_type(error)));
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

/// The status code, or a short name for the error. Its full text may quote the response.
fn error_type(error: &Error) -> Cow<'static, str> {
    if let Some(code) = error.code() {
        return code.to_string().into();
    }
    let name = match error.kind() {
        ErrorKind::TimedOut { .. } => "timeout",
        ErrorKind::Send { is, .. } if is.tls => "tls",
        ErrorKind::Send { is, .. } if is.connect => "connect",
        ErrorKind::Send { is, .. } if is.fatal => "layer",
        ErrorKind::Send { .. } => "no_response",
        ErrorKind::Body { .. } | ErrorKind::CutOff => "response_ended_early",
        ErrorKind::TooLong { .. } => "response_too_long",
        _ => "_OTHER",
    };
    name.into()
}
