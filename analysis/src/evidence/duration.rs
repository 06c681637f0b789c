//! Durations as Go writes them.

use std::time::Duration;

/// The units, and their nanoseconds. Micro has two signs.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// A duration such as `1m2.5s` or `350µs`; none for a negative one.
pub(crate) fn go_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = Duration::ZERO;
    loop {
        let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
        let (number, after) = rest.split_at(rest.find(|c| !is_of_number(c))?);
        let (unit, after) = after.split_at(after.find(is_of_number).unwrap_or(after.len()));
        let (_, nanos) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        if whole.len() + part.len() == 0 {
            return None;
        }
        // Nine digits are all that a duration has; the fraction of a nanosecond is dropped.
        let part = format!("{part:0<9.9}").parse::<u64>().ok()?;
        let whole = format!("0{whole}")
            .parse::<u64>()
            .ok()?
            .checked_mul(nanos)?;
        let part = u128::from(part) * u128::from(nanos) / 1_000_000_000;
        let nanos = whole.checked_add(u64::try_from(part).ok()?)?;
        sum = sum.checked_add(Duration::from_nanos(nanos))?;
        if after.is_empty() {
            return Some(sum);
        }
        rest = after;
    }
}
