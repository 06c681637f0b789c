//! The deadline that a client gives to its request.

use super::filters::attributes;
use super::request::ApiRequest;
use super::response::ApiResponse;
use crate::status::{Failure, bad_request};
use k8s_flowcontrol_text::go::parse_duration;
use std::time::Duration;

/// The deadline of other requests, kube-apiserver's `--request-timeout`.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// The deadline in the parameter `timeout`, which watches and other long-running requests do not have.
/// Errors: 400 for a text that is not a duration.
pub(super) fn of(request: &ApiRequest) -> Result<Option<Duration>, Failure> {
    let text = request.query.text("timeout");
    if text.is_empty() {
        return Ok(None);
    }
    let attributes = attributes(&request.parts);
    if attributes.verb == "watch" || !attributes.is_subject_to_flow_control() {
        return Ok(None);
    }
    let nanoseconds = parse_duration(text).map_err(|why| {
        bad_request(format!(
            "invalid timeout specified in the request URL - {why}"
        ))
    })?;
    let timeout = u64::try_from(nanoseconds).map(Duration::from_nanos);
    let is_shorter = |timeout: &Duration| !timeout.is_zero() && *timeout < REQUEST_TIMEOUT;
    Ok(timeout.ok().filter(is_shorter))
}

/// The response to a request whose deadline has passed: text, though it looks like a `Status`.
pub(super) fn passed() -> ApiResponse {
    const TEXT: &str = "{\"metadata\":{},\"status\":\"Failure\",\
        \"message\":\"Timeout: request did not complete within the allotted timeout\",\
        \"reason\":\"Timeout\",\"details\":{},\"code\":504}\n";
    ApiResponse::bytes("text/plain; charset=utf-8", TEXT.into()).with_code(504)
}
