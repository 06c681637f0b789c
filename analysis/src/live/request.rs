//! Requests as they are counted, and their sums.

use crate::audit::{Event, Stage};
use crate::callers::{By, Calls, Habits, Identity};
use crate::redact::Redactor;
use crate::saved::numbers::{self, Count, sum};
use crate::traffic::{Accounting, Class};
use serde::de::value::MapDeserializer;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// A request, reduced to the parts that are counted. Its names are redacted, and no part of its body is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Request {
    /// A hash of its audit id and of the time of its arrival; absent for an event without an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<u64>,
    /// The time of its end, in microseconds since 1970.
    #[serde(
        default,
        deserialize_with = "numbers::time",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) time_us: Option<i64>,
    /// The caller, or another property.
    pub(super) group: String,
    /// Its flow schema and priority level; `None` if flow control does not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) class: Option<Class>,
    pub(super) sums: LiveSums,
}

/// Turns events into requests.
///
/// A request counts when it ends, with its event of the stage `ResponseComplete` or `Panic`; a watch of hours counts after hours. Retries are
/// found only if the counter has also counted the rejected request.
#[derive(Debug)]
pub struct Counter {
    accounting: Accounting,
    by: By,
    redactor: Redactor,
    habits: Habits,
}

impl Counter {
    /// A counter that classifies with `accounting`, and groups by `by`. `accounting` should redact with the same `redactor`.
    pub fn new(accounting: Accounting, by: By, redactor: Redactor) -> Self {
        Self {
            accounting,
            by,
            redactor,
            habits: Habits::default(),
        }
    }

    /// The request that ends with an event; `None` for events before the end.
    pub fn count(&mut self, event: &Event<'_>) -> Option<Request> {
        // The only event of a failed authentication.
        let is_failed = event.stage == Stage::ResponseStarted
            && event.user.name.is_empty()
            && event.code >= Some(400);
        if !event.is_last() && !is_failed {
            return None;
        }
        let sample = self.accounting.sample(event);
        let identity = Identity::of(event, &self.redactor);
        let calls = self.habits.calls(event, sample.load.seats);
        Some(Request {
            key: key(event),
            time_us: event.stage_us().or(event.received_us()),
            group: self.by.group(event, &identity, &self.redactor),
            class: sample.cell.class,
            sums: LiveSums::of(calls, sample.load.seat_us),
        })
    }
}

/// The identity of a request, as a part of a hash that nobody can choose.
fn key(event: &Event<'_>) -> Option<u64> {
    if event.audit_id.is_empty() {
        return None;
    }
    let mut hash = hmac_sha256::Hash::new();
    hash.update(event.audit_id.as_bytes());
    hash.update([0]);
    hash.update(event.received.as_bytes());
    let [a, b, c, d, e, f, g, h, ..] = hash.finalize();
    Some(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

/// Sums of requests, with the fields of [`Calls`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LiveSums {
    /// The requests, and their habits.
    #[serde(flatten)]
    pub calls: Calls,
    /// The sum of their initial seats, each times the time from arrival to end without a recorded wait, in microseconds. Waits that the log
    /// lacks are a part of it.
    pub seat_us: u64,
}

/// Reads the counts of a map, so that an error has the path of the field, which flattened fields do not have.
impl<'de> Deserialize<'de> for LiveSums {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut counts = BTreeMap::<String, Count>::deserialize(deserializer)?;
        let seat_us = counts.remove("seatUs").unwrap_or_default().0;
        let calls = counts.into_iter().map(|(name, count)| (name, count.0));
        Ok(Self {
            calls: Calls::deserialize(MapDeserializer::new(calls))?,
            seat_us,
        })
    }
}

impl std::ops::Deref for LiveSums {
    type Target = Calls;

    fn deref(&self) -> &Calls {
        &self.calls
    }
}

impl LiveSums {
    pub(super) fn of(calls: Calls, seat_us: u64) -> Self {
        let mut sums = Self::default();
        sums.add(Self { calls, seat_us });
        sums
    }

    pub(super) fn add(&mut self, other: Self) {
        self.calls.add(other.calls);
        self.seat_us = sum(self.seat_us, other.seat_us);
    }

    /// The work in seat-seconds.
    pub fn seat_seconds(&self) -> f64 {
        (self.seat_us as f64 / 1000.0).round() / 1000.0
    }
}
