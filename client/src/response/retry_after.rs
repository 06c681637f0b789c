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

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(retry_after_header: &'static str, date: Option<&'static str>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, retry_after_header.parse().unwrap());
        if let Some(date) = date {
            headers.insert(DATE, date.parse().unwrap());
        }
        retry_after(&headers).map(|wait| wait.as_secs())
    }

    #[test]
    fn seconds() {
        assert_eq!(wait("0", None), Some(0));
        assert_eq!(wait(" 17 ", None), Some(17));
        for odd in ["", "-1", "1.5", "soon", "99999999999999999999999"] {
            assert_eq!(wait(odd, None), None, "{odd}");
        }
    }

    #[test]
    fn dates_in_all_three_forms() {
        let now = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        for date in [
            "Sun, 06 Nov 1994 08:50:37 GMT",
            "Sunday, 06-Nov-94 08:50:37 GMT",
            "Sun Nov  6 08:50:37 1994",
        ] {
            assert_eq!(wait(date, now), Some(60), "{date}");
        }
        assert_eq!(wait("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(0));
        assert_eq!(wait("Sun, 06 Nov 1994 08:00:00 GMT", None), Some(0));
        assert!(wait("Thu, 31 Dec 9998 23:59:59 GMT", None).is_some_and(|wait| wait > 1_000_000));
        assert_eq!(wait("Sun, 99 Nov 1994", now), None);
    }
}
