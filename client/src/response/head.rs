//! The status code and the headers of a response.

use super::warnings;
use super::warnings::Warning;
use crate::convert::Loss;
use http::header::{DATE, HeaderName, RETRY_AFTER, SET_COOKIE};
use http::{HeaderMap, StatusCode};
use httpdate::parse_http_date;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The longest wait: that of `retryAfterSeconds` in a `Status`, 68 years.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(i32::MAX as u64);

/// The status code and the headers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    pub(crate) code: u16,
    pub(crate) headers: Arc<HeaderMap>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) audit_id: Option<String>,
    pub(crate) flow_schema_uid: Option<String>,
    pub(crate) priority_level_uid: Option<String>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) content_type: String,
    /// Whether an earlier attempt may have been carried out.
    pub(crate) is_unclear: bool,
    pub(crate) losses: Vec<Loss>,
    /// The number of attempts.
    pub(crate) attempts: u32,
}

impl Head {
    pub(crate) fn read(code: StatusCode, mut headers: HeaderMap) -> Self {
        if let http::header::Entry::Occupied(mut cookies) = headers.entry(SET_COOKIE) {
            cookies
                .iter_mut()
                .for_each(|cookie| cookie.set_sensitive(true));
        }
        let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_owned());
        Self {
            code: code.as_u16(),
            warnings: warnings::read(&headers),
            audit_id: text("audit-id"),
            flow_schema_uid: text("x-kubernetes-pf-flowschema-uid"),
            priority_level_uid: text("x-kubernetes-pf-prioritylevel-uid"),
            retry_after: retry_after(&headers),
            content_type: text("content-type").unwrap_or_default(),
            is_unclear: false,
            losses: Vec::new(),
            attempts: 1,
            headers: Arc::new(headers),
        }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.code)
    }
}

/// The header `Retry-After`: a number of seconds, or the time until a date.
///
/// A date counts from the response's own `Date`, so that the clocks of client and server need not agree.
/// At most [`MAX_RETRY_AFTER`].
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| Some(headers.get(name)?.to_str().ok()?.trim());
    let wanted = text(RETRY_AFTER)?;
    if !wanted.is_empty() && wanted.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number with more digits is too large.
        let seconds = wanted.parse().map_or(MAX_RETRY_AFTER, Duration::from_secs);
        return Some(seconds.min(MAX_RETRY_AFTER));
    }
    let until = parse_http_date(wanted).ok()?;
    let now = text(DATE).and_then(|date| parse_http_date(date).ok());
    let wait = until.duration_since(now.unwrap_or_else(SystemTime::now));
    // A date in the past asks for no wait.
    Some(wait.unwrap_or_default().min(MAX_RETRY_AFTER))
}
