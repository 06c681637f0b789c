//! Times in microseconds, as logs have them.

use jiff::Timestamp;
use std::time::Duration;

/// A length of time in microseconds.
pub(crate) fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The time after another one.
pub(crate) fn after(at: i64, time: Duration) -> i64 {
    at.saturating_add_unsigned(microseconds(time))
}

/// Extends a period to a time.
pub(crate) fn widen(period: &mut Option<(i64, i64)>, time: i64) {
    let (first, last) = period.unwrap_or((time, time));
    *period = Some((first.min(time), last.max(time)));
}

/// A time in RFC 3339.
pub(crate) fn shown(microseconds: i64) -> String {
    match Timestamp::from_microsecond(microseconds) {
        Ok(time) => time.to_string(),
        Err(_) => microseconds.to_string(),
    }
}
