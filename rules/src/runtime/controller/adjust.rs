//! The limits of the levels, adjusted to their demand.

use super::level::Level;
use super::{FlowController, LevelIndex};
use crate::limits::{Adjustment, SeatDemand, ServerLimits};
use crate::queueing::{QueueSetConfig, Queuing};
use std::time::Duration;

/// A level in an adjustment.
#[derive(Clone, Debug)]
pub(super) struct Adjusted {
    pub(super) name: String,
    pub(super) queuing: Queuing,
    /// Whether the level was removed and its last request has ended. It does not get seats.
    pub(super) is_gone: bool,
    pub(super) demand: SeatDemand,
    /// The current limit in seats.
    pub(super) limit: i64,
}

/// Adjusts the limits of levels to their demand.
pub(super) fn adjust(limits: &ServerLimits, levels: &mut [&mut Adjusted]) -> Adjustment {
    let of = |name: &str| levels.iter().find(|level| level.name == name);
    let adjustment = limits.adjust(
        |name| of(name).map_or_else(SeatDemand::default, |level| level.demand),
        |name| of(name).map(|level| level.limit),
    );
    for level in levels.iter_mut().filter(|level| !level.is_gone) {
        level.limit = match adjustment.level(&level.name) {
            Some(adjusted) => adjusted.current,
            None => limits.level(&level.name).map_or(0, |limits| limits.nominal),
        };
    }
    adjustment
}

impl FlowController {
    /// Adjusts the limits to the demand since the last adjustment.
    pub(super) fn adjust(&mut self, now: Duration) {
        if let Some(forecast) = self.due_forecast(now) {
            for (level, of) in self.levels.iter_mut().zip(forecast.levels()) {
                level.recorder.finish_period(now);
                (level.adjusted.demand, level.adjusted.limit) = (of.demand, of.limit);
            }
            self.adjustment = forecast.into_adjustment();
            return self.apply_limits(now);
        }
        if self.is_resuming() {
            return self.set_seats(now, |_| u32::MAX);
        }
        for level in &mut self.levels {
            let period = level.recorder.finish_period(now);
            level.adjusted.demand.update(&period);
        }
        self.adjust_to_demand(now);
    }

    /// Sets the demand that levels had until now, and adjusts the limits to it. Levels without one keep theirs.
    ///
    /// With the demand of a server's metrics or log, a new controller continues as that server would.
    pub fn set_demand(&mut self, now: Duration, of: impl Fn(&str) -> Option<SeatDemand>) {
        self.advance(now);
        for level in &mut self.levels {
            let demand = of(&level.adjusted.name);
            level.adjusted.demand = demand.unwrap_or(level.adjusted.demand);
        }
        self.adjust_to_demand(now);
        self.next_event = self.find_next_event();
    }

    fn adjust_to_demand(&mut self, now: Duration) {
        let levels = self.levels.iter_mut().map(|level| &mut level.adjusted);
        let adjustment = adjust(&self.limits, &mut levels.collect::<Vec<_>>());
        self.adjustment = Some(adjustment);
        self.apply_limits(now);
    }

    fn apply_limits(&mut self, now: Duration) {
        self.set_seats(now, seats_of);
    }

    fn set_seats(&mut self, now: Duration, seats: impl Fn(&Level) -> u32) {
        for index in 0..self.levels.len() {
            let seats = seats(&self.levels[index]);
            self.reconfigure(now, index, seats);
        }
    }

    /// Gives the queues of a level its seats and its queuing.
    pub(super) fn reconfigure(&mut self, now: Duration, index: usize, seats: u32) {
        let level = &self.levels[index];
        let config = QueueSetConfig {
            seats,
            queuing: match self.has_length_limits {
                true => level.adjusted.queuing,
                false => level.adjusted.queuing.without_length_limit(),
            },
        };
        // The queuing was checked when the level was configured.
        self.change(now, LevelIndex(index), |queues| {
            queues.reconfigure(now, &config)
        })
        .ok();
    }
}

pub(super) fn seats_of(level: &Level) -> u32 {
    u32::try_from(level.adjusted.limit.max(0)).unwrap_or(u32::MAX)
}
