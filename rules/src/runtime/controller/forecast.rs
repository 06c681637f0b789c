//! Limits from period to period, without the requests that cause the demand.

use super::adjust::{Adjusted, adjust};
use super::{ADJUSTMENT_PERIOD, FlowController, LevelIndex};
use crate::limits::{Adjustment, DemandPeriod, ServerLimits};
use crate::queueing::Queuing;
use std::time::Duration;

/// The limits of all levels, as the demand of whole periods between two adjustments changes them.
///
/// As long as every level has room for the highest demand of a period, no request of the period waits or is rejected, whatever
/// queue it is dealt to: its demand is all that the limits of the following period depend on.
#[derive(Clone, Debug)]
pub struct Forecast {
    limits: ServerLimits,
    at: Duration,
    /// In the order of [`LevelIndex`].
    levels: Vec<Adjusted>,
    adjustment: Option<Adjustment>,
}

impl Forecast {
    /// The time of the adjustment that set the limits.
    pub fn at(&self) -> Duration {
        self.at
    }

    /// Whether a level has room for so many seats until the next adjustment.
    pub fn has_room(&self, level: LevelIndex, seats: u64) -> bool {
        self.levels.get(level.index()).is_some_and(|level| {
            level.queuing == Queuing::Exempt
                || i64::try_from(seats).is_ok_and(|seats| seats <= level.limit)
        })
    }

    /// Adjusts the limits at the end of a period with the demand of each level.
    pub fn pass(&mut self, demand: impl Fn(LevelIndex) -> DemandPeriod) {
        self.at = self.at.saturating_add(ADJUSTMENT_PERIOD);
        for (index, level) in self.levels.iter_mut().enumerate() {
            level.demand.update(&demand(LevelIndex(index)));
        }
        let levels = self.levels.iter_mut();
        let adjustment = adjust(&self.limits, &mut levels.collect::<Vec<_>>());
        self.adjustment = Some(adjustment);
    }

    pub(super) fn levels(&self) -> &[Adjusted] {
        &self.levels
    }

    pub(super) fn into_adjustment(self) -> Option<Adjustment> {
        self.adjustment
    }
}

impl FlowController {
    /// The limits as of the last adjustment.
    pub fn forecast(&self) -> Forecast {
        let levels = self.levels.iter().map(|level| level.adjusted.clone());
        Forecast {
            limits: self.limits.clone(),
            at: self.next_adjustment.saturating_sub(ADJUSTMENT_PERIOD),
            levels: levels.collect(),
            adjustment: self.adjustment.clone(),
        }
    }

    /// Continues at the time `from`, with idle levels that got `arrived` more requests since the last event of each.
    ///
    /// From its [time](Forecast::at) on, the forecast sets the limits and the demand; until then every request gets its seats on
    /// arrival. If each level is idle at some moment in between, everything from the time of the forecast on is as if the server
    /// had got every request before `from`, too.
    pub fn resume(
        &mut self,
        forecast: Forecast,
        from: Duration,
        arrived: impl Fn(LevelIndex) -> u64,
    ) {
        for (index, level) in self.levels.iter_mut().enumerate() {
            level.restart(from, arrived(LevelIndex(index)));
        }
        self.dispatched.clear();
        // The adjustments keep their times, because virtual time is rounded at each of them.
        while self.next_adjustment <= from && self.next_adjustment < forecast.at {
            self.next_adjustment += ADJUSTMENT_PERIOD;
        }
        self.forecast = Some(forecast);
        self.next_event = self.find_next_event();
    }

    /// Whether the time of a forecast is still to come.
    pub fn is_resuming(&self) -> bool {
        self.forecast.is_some()
    }

    /// Takes the forecast whose time has come.
    pub(super) fn due_forecast(&mut self, now: Duration) -> Option<Forecast> {
        self.forecast.take_if(|forecast| forecast.at <= now)
    }
}
