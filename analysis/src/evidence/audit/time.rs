//! Times of events.

use jiff::Timestamp;

/// Microseconds since 1970 of a time in RFC 3339.
pub(super) fn microseconds(text: &str) -> Option<i64> {
    let time: Timestamp = text.parse().ok()?;
    Some(time.as_microsecond())
}
