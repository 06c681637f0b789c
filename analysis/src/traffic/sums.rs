//! The sums of a report, and how requests are sorted by user and verb.

use super::sample::Load;
use super::work::LevelWork;
use crate::saved::numbers::sum;
use serde::Serialize;
use std::collections::BTreeMap;

/// Sums of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sums {
    /// The number of requests.
    pub requests: u64,
    /// The sum of the initial seats.
    pub seats: u64,
    /// The sum of the initial seats, each times the duration of its execution; in seconds, with milliseconds. The time in a queue is not a part of
    /// it: it comes from the logs or from a model, see [`WaitSource`](super::WaitSource).
    pub seat_seconds: f64,
    /// The requests that flow control rejected.
    pub rejected: u64,
}

/// The work of the levels, by name.
pub(super) type Levels = BTreeMap<String, LevelWork>;

impl Sums {
    pub(super) fn add(&mut self, other: Self) {
        self.requests = sum(self.requests, other.requests);
        self.seats = sum(self.seats, other.seats);
        self.seat_seconds = thousandths(self.seat_seconds + other.seat_seconds);
        self.rejected = sum(self.rejected, other.rejected);
    }

    pub(super) fn new(load: &Load, level: &str, levels: &Levels) -> Self {
        Self {
            requests: load.requests,
            seats: load.seats,
            seat_seconds: levels
                .get(level)
                .map_or(0.0, |level| level.seat_seconds(load)),
            rejected: load.rejected,
        }
    }
}

/// A user or a verb with its requests.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Named {
    /// The name.
    pub name: String,
    /// The number of requests.
    pub requests: u64,
    /// The sum of the initial seats.
    pub seats: u64,
}

/// The requests of a flow schema by user and by verb.
#[derive(Default)]
pub(super) struct Sorts<'a> {
    pub(super) all: Load,
    pub(super) users: BTreeMap<&'a str, Load>,
    pub(super) verbs: BTreeMap<&'a str, Load>,
}

impl<'a> Sorts<'a> {
    pub(super) fn add(&mut self, user: &'a str, verb: &'a str, load: Load) {
        self.all.add(load);
        self.users.entry(user).or_default().add(load);
        self.verbs.entry(verb).or_default().add(load);
    }
}

/// Names with their requests, the busiest first.
pub(super) fn named(loads: BTreeMap<&str, Load>) -> Vec<Named> {
    let mut named: Vec<_> = loads
        .into_iter()
        .map(|(name, load)| Named {
            name: name.to_owned(),
            requests: load.requests,
            seats: load.seats,
        })
        .collect();
    named.sort_by_key(|named| std::cmp::Reverse(named.requests));
    named
}

pub(super) fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
