//! All that is known about the requests so far, and its form in a file.

use super::alerts::{Alert, Alerts};
use super::recent::Recent;
use super::request::{LiveSums, Request};
use super::summary::{MOST_CALLERS, Summary, named};
use super::tail::Tail;
use super::threshold::Threshold;
use super::windows::{Windows, class_key};
use crate::audit::Counts;
use crate::callers::By;
use crate::saved::numbers::{self, Count, sum};
use crate::saved::{WrongValue, is_other, read};
use crate::times::shown;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

const KIND: &str = "LiveTraffic";
const SCHEMA_VERSION: u32 = 1;

/// The requests so far: a rolling window, the sums of all time, the active alerts, and the positions in log files.
///
/// The memory is bounded: at most 4,096 callers in each of 30 spans of the window, and 131,072 keys of requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Live {
    kind: String,
    schema_version: u32,
    window_us: i64,
    by: By,
    pub(super) totals: BTreeMap<String, LiveSums>,
    pub(super) events: Count,
    pub(super) batches: Count,
    pub(super) late: Count,
    pub(super) duplicates: Count,
    pub(super) broken: Count,
    pub(super) lost_ends: Count,
    #[serde(default, deserialize_with = "numbers::time")]
    pub(super) last_us: Option<i64>,
    /// The end of the earliest request since the window has this length: nothing is known about the time before.
    #[serde(default, deserialize_with = "numbers::time")]
    first_us: Option<i64>,
    pub(super) alerts: Alerts,
    tails: BTreeMap<String, Tail>,
    /// The number of the last record of the journal that is a part of this.
    #[serde(deserialize_with = "numbers::count")]
    sequence: u64,
    windows: Windows,
    recent: Recent,
}

/// The error of [`Live::from_json`].
#[derive(Debug)]
#[non_exhaustive]
pub enum StateError {
    /// The text is not the state of a run, or has a number that no run writes.
    Json {
        /// The field, such as `totals.exempt/exempt.requests`; empty for the whole text.
        path: String,
        /// The problem, and the expected value.
        problem: serde_json::Error,
    },
    /// The text is another JSON document, or a state of another version.
    Version,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json { path, problem } if path.is_empty() => {
                write!(f, "the text is not the state of an earlier run: {problem}")
            }
            Self::Json { path, problem } => write!(f, "{path}: {problem}"),
            Self::Version => f.write_str("the text is not a state of this version"),
        }
    }
}

impl std::error::Error for StateError {}

impl Live {
    /// No request. `window` is at least one second.
    pub fn new(window: Duration, by: By) -> Self {
        Self {
            kind: KIND.to_owned(),
            schema_version: SCHEMA_VERSION,
            window_us: microseconds(window),
            by,
            totals: BTreeMap::new(),
            events: Count(0),
            batches: Count(0),
            late: Count(0),
            duplicates: Count(0),
            broken: Count(0),
            lost_ends: Count(0),
            last_us: None,
            first_us: None,
            alerts: Alerts::default(),
            tails: BTreeMap::new(),
            sequence: 0,
            windows: Windows::default(),
            recent: Recent::default(),
        }
    }

    /// The state as JSON.
    ///
    /// # Errors
    /// Serialization fails, which it does not for a state of this crate.
    pub fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// The state of an earlier run. A window of another length or with another property begins empty; the other parts stay.
    ///
    /// # Errors
    /// The text is not such a state, or its version is different.
    pub fn from_json(text: &[u8], window: Duration, by: By) -> Result<Self, StateError> {
        if is_other(text, KIND, SCHEMA_VERSION) {
            return Err(StateError::Version);
        }
        let mut live: Self = read(text)
            .map_err(|WrongValue { path, problem }| StateError::Json { path, problem })?;
        let window_us = microseconds(window);
        if (live.window_us, live.by) != (window_us, by) {
            (live.window_us, live.by) = (window_us, by);
            live.windows = Windows::default();
            live.first_us = None;
        } else if live.first_us.is_none() {
            // Earlier versions did not write it: the whole window is known.
            live.first_us = live.last_us.and(Some(0));
        }
        Ok(live)
    }

    /// The property by which requests are grouped.
    pub fn by(&self) -> By {
        self.by
    }

    /// Adds a request at the time `now_us`, in microseconds since 1970; `false` if it was counted before.
    pub fn add(&mut self, request: &Request, now_us: i64) -> bool {
        if request.key.is_some_and(|key| !self.recent.add(key)) {
            self.duplicates += 1;
            return false;
        }
        let class = class_key(request.class.as_ref());
        self.totals.entry(class).or_default().add(request.sums);
        if let Some(time) = request.time_us.filter(|time| *time <= now_us) {
            self.last_us = Some(self.last_us.map_or(time, |last| last.max(time)));
        }
        let end = request.time_us.map_or(now_us, |time| time.min(now_us));
        self.first_us = Some(self.first_us.map_or(end, |first| first.min(end)));
        let is_in_window = self.windows.add(request, self.window_us, now_us);
        self.late += u64::from(!is_in_window);
        true
    }

    /// Adds the counts of a part of a log.
    pub fn add_counts(&mut self, counts: &Counts) {
        self.events += counts.events;
        self.broken += counts.broken;
    }

    /// Adds a batch of a webhook: its events, and the number of its record in the journal.
    pub fn add_batch(&mut self, events: u64, sequence: u64) {
        self.events += events;
        self.batches += 1;
        self.sequence = self.sequence.max(sequence);
    }

    /// The number of the last record of the journal that is a part of this. Records up to it are not to be added again.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The position in a log that is followed, by its path.
    pub fn tail(&mut self, path: &str) -> &mut Tail {
        self.tails.entry(path.to_owned()).or_default()
    }

    /// Adds ends of log files that cannot be read any more.
    pub fn add_lost_ends(&mut self, number: u64) {
        self.lost_ends += number;
    }

    /// The log files that vanished, or were truncated, before their end was read.
    pub fn lost_ends(&self) -> u64 {
        self.lost_ends.0
    }

    /// Compares the window that ends now with thresholds, and returns the alerts that begin or end.
    pub fn check(&mut self, thresholds: &[Threshold], now_us: i64) -> Vec<Alert> {
        let total = self.windows.total(self.window_us, now_us);
        self.alerts
            .check(thresholds, &total, self.seconds(), now_us)
    }

    /// The requests of the window that ends now.
    pub fn summary(&self, now_us: i64) -> Summary {
        let total = self.windows.total(self.window_us, now_us);
        let caller_count = total.groups.len();
        let mut callers = named(total.groups);
        callers.truncate(MOST_CALLERS);
        Summary {
            time: shown(now_us),
            window_seconds: self.seconds(),
            observed_seconds: self.observed_seconds(now_us),
            sums: total.all,
            priority_levels: named(total.levels),
            flow_schemas: named(total.flow_schemas),
            callers,
            caller_count,
            total_requests: self
                .totals
                .values()
                .fold(0, |total, sums| sum(total, sums.requests)),
            late_requests: self.late.0,
            duplicates: self.duplicates.0,
            broken_lines: self.broken.0,
            lost_ends: self.lost_ends.0,
        }
    }

    /// The part of the window that ends now about which requests are known, in seconds: at least one, or 0 before the first of a window of this length.
    fn observed_seconds(&self, now_us: i64) -> f64 {
        let Some(first) = self.first_us else {
            return 0.0;
        };
        let begin = Windows::begin_us(self.window_us, now_us).max(first);
        let seconds = now_us.saturating_sub(begin).max(1_000_000) as f64 / 1e6;
        (seconds * 10.0).round() / 10.0
    }

    fn seconds(&self) -> f64 {
        self.window_us as f64 / 1e6
    }
}

fn microseconds(window: Duration) -> i64 {
    i64::try_from(window.as_micros())
        .unwrap_or(i64::MAX)
        .max(1_000_000)
}
