//! The report about a window.

use super::request::LiveSums;
use serde::Serialize;
use std::collections::BTreeMap;

/// The most callers of a summary.
pub(super) const MOST_CALLERS: usize = 20;

/// The requests of a rolling window.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Summary {
    /// The end of the window, in RFC 3339.
    pub time: String,
    /// The length of the window, in seconds.
    pub window_seconds: f64,
    /// The part of it about which requests are known, in seconds: less than the window after the
    /// start, and 0 before the first request of this or an earlier run with the same window. Rates refer to it.
    pub observed_seconds: f64,
    /// The requests of the window.
    #[serde(flatten)]
    pub sums: LiveSums,
    /// The priority levels, the busiest first.
    pub priority_levels: Vec<NamedSums>,
    /// The flow schemas, the busiest first.
    pub flow_schemas: Vec<NamedSums>,
    /// The 20 busiest callers, or groups by another property.
    pub callers: Vec<NamedSums>,
    /// The number of all callers of the window.
    pub caller_count: usize,
    /// The requests since the state began.
    pub total_requests: u64,
    /// The requests that ended before the window when they came.
    pub late_requests: u64,
    /// The requests that came again, and were not counted again.
    pub duplicates: u64,
    /// The lines that are not events.
    pub broken_lines: u64,
    /// The log files that vanished, or were truncated, before their end was read.
    pub lost_ends: u64,
}

/// Requests that have a name in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NamedSums {
    /// The name.
    pub name: String,
    /// The requests.
    #[serde(flatten)]
    pub sums: LiveSums,
}

/// Sums with their names, the busiest first.
pub(super) fn named(sums: BTreeMap<String, LiveSums>) -> Vec<NamedSums> {
    let sums = sums.into_iter();
    let mut named: Vec<_> = sums.map(|(name, sums)| NamedSums { name, sums }).collect();
    named.sort_by_key(|named| std::cmp::Reverse(named.sums.requests));
    named
}
