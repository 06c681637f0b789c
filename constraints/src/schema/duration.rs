//! Durations.

use k8s_flowcontrol_text::go::parse_duration;
use regex::Regex;
use std::sync::LazyLock;

/// The nanoseconds of a duration, as Go's `time.ParseDuration` reads it, or else as Scala writes it: `2 days`.
pub(crate) fn duration(text: &str) -> Option<i64> {
    parse_duration(text).ok().or_else(|| scala_duration(text))
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
