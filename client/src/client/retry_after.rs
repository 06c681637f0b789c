//! `Retry-After`: how long a server asks to wait.

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};
use k8s_flowcontrol_types::civil::DateTime;
use std::time::{Duration, SystemTime};

/// How long to wait: a number of seconds, or until a date.
///
/// A date counts from the answer's own `Date`, so that it does not matter whose clock is right.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| Some(headers.get(name)?.to_str().ok()?.trim());
    let wanted = text(RETRY_AFTER)?;
    if wanted.bytes().all(|byte| byte.is_ascii_digit()) {
        return wanted.parse().ok().map(Duration::from_secs);
    }
    let until = date(wanted)?;
    let now = text(DATE).and_then(date).unwrap_or_else(now);
    // A date that has passed asks for no wait.
    u64::try_from(until - now)
        .ok()
        .map(Duration::from_secs)
        .or(Some(Duration::ZERO))
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}

/// A date in one of the three forms of HTTP (RFC 9110, section 5.6.7), as seconds since 1970:
/// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
fn date(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text
        .split([' ', ',', '-', ':'])
        .filter(|part| !part.is_empty())
        .collect();
    let (year, month, day, time) = match parts[..] {
        [_, day, month, year, hour, minute, second, "GMT"] => {
            (year, month, day, [hour, minute, second])
        }
        [_, month, day, hour, minute, second, year] => (year, month, day, [hour, minute, second]),
        _ => return None,
    };
    let number = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<u16>().ok()).flatten()
    };
    let small = |text: &str| number(text).and_then(|number| u8::try_from(number).ok());
    let year = match (number(year)?, year.len()) {
        // Two digits mean a year close to now; nobody sends one from before 1970.
        (year, 2) if year >= 70 => 1900 + year,
        (year, 2) => 2000 + year,
        (year, 4) => year,
        _ => return None,
    };
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let [hour, minute, second] = time;
    DateTime {
        year: year.into(),
        month: u8::try_from(month).ok()?,
        day: small(day)?,
        hour: small(hour)?,
        minute: small(minute)?,
        second: small(second)?.min(59),
    }
    .to_seconds()
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
