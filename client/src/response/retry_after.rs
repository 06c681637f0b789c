//! The header `Retry-After`: how long the server asks to wait.

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};
use httpdate::parse_http_date;
use std::time::{Duration, SystemTime};

/// Reads a number of seconds, or the time until a date.
///
/// A date counts from the response's own `Date`, so that the clocks of client and server need not agree.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| Some(headers.get(name)?.to_str().ok()?.trim());
    let wanted = text(RETRY_AFTER)?;
    if wanted.bytes().all(|byte| byte.is_ascii_digit()) {
        return wanted.parse().ok().map(Duration::from_secs);
    }
    let until = parse_http_date(wanted).ok()?;
    let now = text(DATE).and_then(|date| parse_http_date(date).ok());
    let wait = until.duration_since(now.unwrap_or_else(SystemTime::now));
    // A date in the past asks for no wait.
    Some(wait.unwrap_or_default())
}
