//! Sums of requests.

use crate::callers::Calls;
use serde::{Deserialize, Serialize};

/// Sums of requests, with the fields of [`Calls`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LiveSums {
    /// The requests, and their habits.
    #[serde(flatten)]
    pub calls: Calls,
    /// The sum of their initial seats, each times the time from arrival to end without a recorded wait, in microseconds. Waits that the log
    /// lacks are a part of it.
    pub seat_us: u64,
}

impl std::ops::Deref for LiveSums {
    type Target = Calls;

    fn deref(&self) -> &Calls {
        &self.calls
    }
}

impl LiveSums {
    pub(super) fn of(calls: Calls, seat_us: u64) -> Self {
        Self { calls, seat_us }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.calls.add(other.calls);
        self.seat_us = self.seat_us.saturating_add(other.seat_us);
    }

    /// The work in seat-seconds.
    pub fn seat_seconds(&self) -> f64 {
        (self.seat_us as f64 / 1000.0).round() / 1000.0
    }
}
