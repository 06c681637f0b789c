//! The seat-seconds of a level, as far as the logs and the limits of the level tell them.

use super::sample::Load;
use super::seats_in_use::{LevelSeats, SeatsInUse};
use super::tally::Tally;
use serde::Serialize;
use std::collections::BTreeMap;

/// The source of the waits in queues, which are not a part of the seat-seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum WaitSource {
    /// The logs have waits: the annotation `apiserver.latency.k8s.io/apf-queue-wait` of requests that took more than half a second. The
    /// waits of others are modelled.
    Recorded,
    /// A model: a level uses at most its upper limit of seats in any second, and all other requests in flight wait.
    Modelled,
    /// None: seat-seconds are upper bounds.
    Unknown,
}

/// The work of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelWork {
    /// The part of the unsure work that counts.
    factor: f64,
    pub(super) peak_seats: f64,
    /// The least seat-seconds: if the level never borrowed, and others borrowed all that it lends.
    pub(super) least: f64,
    limits: Option<LevelSeats>,
}

impl LevelWork {
    /// The work of all levels.
    pub(super) fn all(
        tally: &Tally,
        limits: Option<&BTreeMap<String, LevelSeats>>,
        servers: u64,
    ) -> BTreeMap<String, Self> {
        let mut unsure = BTreeMap::<&str, u64>::new();
        for (cell, load) in &tally.cells {
            if let Some(class) = &cell.class {
                *unsure.entry(&class.priority_level).or_default() += load.unsure_us / 1000;
            }
        }
        let works = tally.in_use.iter().map(|(name, in_use)| {
            let own = limits.and_then(|limits| limits.get(name)).copied();
            let own = own.map(|level| LevelSeats {
                minimum: level.minimum.saturating_mul(servers),
                maximum: level.maximum.saturating_mul(servers),
                ..level
            });
            let unsure = unsure.get(name.as_str()).copied().unwrap_or_default();
            (name.clone(), Self::new(in_use, own, unsure))
        });
        works.collect()
    }

    fn new(in_use: &SeatsInUse, limits: Option<LevelSeats>, unsure: u64) -> Self {
        let sums = in_use.bounded(limits);
        let excess = sums.all.saturating_sub(sums.at_maximum).min(unsure);
        let factor = match unsure {
            0 => 1.0,
            unsure => 1.0 - excess as f64 / unsure as f64,
        };
        // The work whose waits are known, and what no wait of the others can take away.
        let least = sums.all.saturating_sub(unsure).max(sums.at_minimum);
        let least = match limits {
            Some(_) => least.min(sums.all.saturating_sub(excess)),
            None => sums.all.saturating_sub(unsure),
        };
        Self {
            factor,
            peak_seats: (sums.peak as f64).round() / 1000.0,
            least: least as f64 / 1000.0,
            limits,
        }
    }

    /// The seat-seconds of a part of the level, with milliseconds.
    pub(super) fn seat_seconds(&self, load: &Load) -> f64 {
        let sure = load.seat_us.saturating_sub(load.unsure_us) as f64;
        let all = sure + load.unsure_us as f64 * self.factor;
        (all / 1000.0).round() / 1000.0
    }

    /// The mean of the seats in use in each minute.
    pub(super) fn means(&self, in_use: &SeatsInUse) -> impl Iterator<Item = (i64, f64)> {
        in_use.means(self.limits)
    }
}
