//! The seat-seconds of a level, as far as the logs and the limits of the level tell them.

use super::sample::Load;
use super::seats_in_use::{LevelSeats, SeatsInUse};
use super::tally::{MINUTE, Tally};
use crate::saved::numbers::Time;
use serde::Serialize;
use std::collections::BTreeMap;

/// The source of the waits in queues, which are not a part of the seat-seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum WaitSource {
    /// The logs have waits: the annotation `apiserver.latency.k8s.io/apf-queue-wait` of requests that took more than half a second. The
    /// waits of others come from the model.
    Recorded,
    /// The logs have waits, and those of other requests are unknown, because the seats of the server are: seat-seconds contain these waits.
    RecordedAlone,
    /// A model: the queues of the server, which get every request when it arrived and lose it when it ended. A level uses at most its upper
    /// limit of seats in any second.
    Modelled,
    /// None: seat-seconds contain the waits.
    Unknown,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct LevelWork {
    /// The part of the estimated work that counts: less than one if the estimates are more than the limits allow.
    factor: f64,
    pub(super) peak_seats: f64,
    /// The least seat-seconds: if the level never borrowed, and others borrowed all that it lends.
    pub(super) least: f64,
    /// The most seat-seconds: if the level had its upper limit of seats whenever it needed them.
    pub(super) most: f64,
    limits: Option<LevelSeats>,
}

impl LevelWork {
    pub(super) fn all(
        tally: &Tally,
        limits: Option<&BTreeMap<String, LevelSeats>>,
    ) -> BTreeMap<String, Self> {
        let mut loads = BTreeMap::<&str, Load>::new();
        for (cell, load) in &tally.cells {
            if let Some(class) = &cell.class {
                loads.entry(&class.priority_level).or_default().add(*load);
            }
        }
        let is_complete = tally.coverage.is_complete(tally.requests.0);
        let works = tally.in_use.iter().map(|(name, in_use)| {
            let own = limits.and_then(|limits| limits.get(name)).copied();
            let load = loads.get(name.as_str()).copied().unwrap_or_default();
            let at_most = tally.at_most.get(name).unwrap_or(in_use);
            (
                name.clone(),
                Self::new(in_use, at_most, own, load, is_complete),
            )
        });
        works.collect()
    }

    fn new(
        in_use: &SeatsInUse,
        at_most: &SeatsInUse,
        limits: Option<LevelSeats>,
        load: Load,
        is_complete: bool,
    ) -> Self {
        let sums = at_most.bounded(limits);
        let excess = sums.all.saturating_sub(sums.at_maximum);
        let excess = excess.min(load.unsure_us);
        let most = load.seat_us.saturating_sub(excess);
        let estimate = load.seat_us.saturating_sub(load.waited_us);
        let factor = match estimate > most {
            true => most as f64 / estimate as f64,
            false => 1.0,
        };
        // The work whose waits are known, and what no wait of the others can take away. Requests that the logs lack can take any seat.
        let least = load.seat_us.saturating_sub(load.unsure_us);
        let least = match limits {
            Some(_) if is_complete => least.max(sums.at_minimum).min(most).min(estimate),
            _ => least.min(estimate),
        };
        Self {
            factor,
            peak_seats: seconds(in_use.bounded(limits).peak as f64),
            least: seconds(least as f64),
            most: seconds(most as f64),
            limits,
        }
    }

    /// The seat-seconds of a part of the level, with milliseconds.
    pub(super) fn seat_seconds(&self, load: &Load) -> f64 {
        seconds(load.seat_us.saturating_sub(load.waited_us) as f64 * self.factor)
    }

    /// The mean of the seats in use in each minute.
    pub(super) fn means(&self, in_use: &SeatsInUse) -> impl Iterator<Item = (Time<MINUTE>, f64)> {
        in_use.means(self.limits)
    }
}

/// Microseconds in seconds, with milliseconds.
fn seconds(microseconds: f64) -> f64 {
    (microseconds / 1000.0).round() / 1000.0
}
