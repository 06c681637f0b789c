//! Times of events.

use jiff::Timestamp;
use std::time::Duration;

/// Microseconds since 1970 of a time in RFC 3339.
pub(super) fn microseconds(text: &str) -> Option<i64> {
    let time: Timestamp = text.parse().ok()?;
    Some(time.as_microsecond())
}

/// A duration as Go writes it, such as `1m2.5s` or `350µs`; none for a negative one.
pub(crate) fn go_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = Duration::ZERO;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(end);
        let end = after
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let seconds = match unit {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
        sum = sum.checked_add(part)?;
        if after.is_empty() {
            return Some(sum);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_go() {
        for (text, nanoseconds) in [
            ("100ns", 100),
            ("1.5µs", 1_500),
            ("203.698864ms", 203_698_864),
            ("4.730661757s", 4_730_661_757),
            ("1m2.5s", 62_500_000_000),
            ("1h0m0.000001s", 3_600_000_001_000),
            ("0s", 0),
        ] {
            let expected = Duration::from_nanos(nanoseconds);
            assert_eq!(go_duration(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "5",
            "s",
            "-1s",
            "1d",
            "1.2.3s",
            "1e99h",
            "99999999999999999999h",
        ] {
            assert_eq!(go_duration(text), None, "{text}");
        }
    }
}
