//! Durations.

use regex::Regex;
use std::sync::LazyLock;

/// The nanoseconds of the least duration without its sign.
const MOST: u64 = 1 << 63;

/// The nanoseconds of a duration, as Go's `time.ParseDuration` reads it, or else as Scala writes it: `2 days`.
pub(crate) fn duration(text: &str) -> Option<i64> {
    go_duration(text).or_else(|| scala_duration(text))
}

fn go_duration(text: &str) -> Option<i64> {
    let is_negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        let end = after
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let unit: u64 = match unit {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let whole: u64 = match (whole, fraction) {
            ("", "") => return None,
            ("", _) => 0,
            (whole, _) => whole.parse().ok()?,
        };
        let part = whole.checked_mul(unit)?;
        sum = sum.checked_add(part.checked_add(part_of(fraction, unit))?)?;
        if sum > MOST {
            return None;
        }
        rest = after;
    }
    match is_negative {
        true => 0i64.checked_sub_unsigned(sum),
        false => i64::try_from(sum).ok(),
    }
}

/// The digits at the start, and the rest.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// A fraction of a unit, computed with a float as in Go. Digits beyond 63 bits do not count.
fn part_of(fraction: &str, unit: u64) -> u64 {
    let (mut number, mut scale) = (0u64, 1.0);
    for byte in fraction.bytes() {
        if number > (MOST - 1) / 10 {
            break;
        }
        let more = number * 10 + u64::from(byte - b'0');
        if more > MOST {
            break;
        }
        (number, scale) = (more, scale * 10.0);
    }
    (number as f64 * (unit as f64 / scale)) as u64
}

fn scala_duration(text: &str) -> Option<i64> {
    const UNITS: [(&[&str], i64); 8] = [
        (&["ns", "nano"], 1),
        (&["us", "\u{b5}s", "micro"], 1_000),
        (&["ms", "milli"], 1_000_000),
        (&["s", "sec"], 1_000_000_000),
        (&["m", "min"], 60_000_000_000),
        (&["h", "hr", "hour"], 3_600_000_000_000),
        (&["d", "day"], 86_400_000_000_000),
        (&["w", "wk", "week"], 604_800_000_000_000),
    ];
    static PART: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new("([0-9]+)[\\t\\n\\f\\r ]*([A-Za-z\u{b5}]+)").ok());
    let mut sum = None;
    for part in PART.as_ref()?.captures_iter(text) {
        let count: i64 = part[1].parse().ok()?;
        let unit = part[2].to_lowercase();
        for (names, factor) in UNITS {
            let (last, _) = names.split_last()?;
            if names.contains(&unit.as_str()) || unit.starts_with(last) {
                sum = Some(sum.unwrap_or(0i64).wrapping_add(count.wrapping_mul(factor)));
            }
        }
    }
    sum
}
