//! Limits from period to period, without the requests that cause the demand.

use super::{ADJUSTMENT_PERIOD, FlowController, LevelIndex};
use crate::limits::{Adjustment, DemandPeriod, SeatDemand, ServerLimits};
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
    levels: Vec<Forecasted>,
    adjustment: Option<Adjustment>,
}

#[derive(Clone, Debug)]
pub(super) struct Forecasted {
    name: String,
    is_exempt: bool,
    is_quiescing: bool,
    pub(super) demand: SeatDemand,
    pub(super) limit: i64,
}

impl Forecast {
    /// The time of the adjustment that set the limits.
    pub fn at(&self) -> Duration {
        self.at
    }

    /// Whether a level has room for so many seats until the next adjustment.
    pub fn has_room(&self, level: LevelIndex, seats: u64) -> bool {
        self.levels.get(level.index()).is_some_and(|level| {
            level.is_exempt || i64::try_from(seats).is_ok_and(|seats| seats <= level.limit)
        })
    }

    /// Adjusts the limits at the end of a period with the demand of each level.
    pub fn pass(&mut self, demand: impl Fn(LevelIndex) -> DemandPeriod) {
        self.at = self.at.saturating_add(ADJUSTMENT_PERIOD);
        for (index, level) in self.levels.iter_mut().enumerate() {
            level.demand.update(&demand(LevelIndex(index)));
        }
        let levels = &self.levels;
        let of = |name: &str| levels.iter().find(|level| level.name == name);
        let adjustment = self.limits.adjust(
            |name| of(name).map_or_else(SeatDemand::default, |level| level.demand),
            |name| of(name).map(|level| level.limit),
        );
        for level in &mut self.levels {
            if !level.is_quiescing {
                level.limit = limit_of(&level.name, &adjustment, &self.limits);
            }
        }
        self.adjustment = Some(adjustment);
    }

    pub(super) fn levels(&self) -> &[Forecasted] {
        &self.levels
    }

    pub(super) fn into_adjustment(self) -> Option<Adjustment> {
        self.adjustment
    }
}

/// The limit of a level after an adjustment.
pub(super) fn limit_of(name: &str, adjustment: &Adjustment, limits: &ServerLimits) -> i64 {
    match adjustment.level(name) {
        Some(adjusted) => adjusted.current,
        None => limits.level(name).map_or(0, |limits| limits.nominal),
    }
}

impl FlowController {
    /// The limits as of the last adjustment.
    pub fn forecast(&self) -> Forecast {
        let levels = self.levels.iter().map(|level| Forecasted {
            name: level.name.clone(),
            is_exempt: level.queuing == crate::queueing::Queuing::Exempt,
            is_quiescing: level.is_quiescing,
            demand: level.demand,
            limit: level.limit,
        });
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
