//! The demand of recorded requests if none of them waits, and the stretches of a simulation that need nothing else.
//!
//! While every level has room for the highest demand of a period between two adjustments, no request waits and none is rejected: the
//! queues do not matter, and the demand alone sets the limits of the next period. Such periods are accounted without events, with the same
//! figures. The simulation continues early enough that each level is idle once before the next period in which something can
//! wait, so that its queues then have the state that they would have.

use super::logged::Recorded;
use super::loops::Habit;
use crate::times::microseconds;
use k8s_flowcontrol_rules::controller::{ADJUSTMENT_PERIOD, FlowController, Forecast, LevelIndex};
use k8s_flowcontrol_rules::limits::{DemandPeriod, DemandRecorder};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

const PERIOD_US: u64 = ADJUSTMENT_PERIOD.as_micros() as u64;
/// A client that waits for its responses sends nothing so long after one, unless the log says so; see the sources.
const LONGEST_THINK_US: u64 = 5_000_000;
/// The time before a period in which its first requests start, if nothing waits before it by assumption.
const LEAD: Duration = Duration::from_secs(10);

/// The demand of every level from period to period, if no request waits.
#[derive(Clone, Debug)]
pub(crate) struct Quiet {
    /// In the order of the levels of the server.
    pub(crate) levels: Vec<Arc<LevelDemand>>,
    /// The periods in which clients that wait for responses are active: their times depend on the waits before.
    pub(crate) awaited: Arc<Vec<bool>>,
    /// The periods in which a request can wait. In the others none waits by assumption, whatever the limits are; none if nothing is
    /// assumed.
    pub(crate) only: Option<Arc<Vec<bool>>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct LevelDemand(Vec<Period>);

impl LevelDemand {
    /// The number of periods.
    pub(crate) fn periods(&self) -> usize {
        self.0.len()
    }

    /// The average demand in a period.
    pub(crate) fn average(&self, period: usize) -> f64 {
        self.0.get(period).map_or(0.0, |period| period.average)
    }

    /// The periods with any demand, those with the highest average first.
    pub(crate) fn by_average(&self) -> Vec<usize> {
        self.ordered(|period| period.average)
    }

    /// The periods with any demand, those with the highest maximum first.
    pub(crate) fn by_maximum(&self) -> Vec<usize> {
        self.ordered(|period| f64::from(period.maximum))
    }

    fn ordered(&self, key: impl Fn(&Period) -> f64) -> Vec<usize> {
        let keys = self.0.iter().map(key).enumerate();
        let mut keys: Vec<_> = keys.filter(|(_, key)| *key > 0.0).collect();
        keys.sort_by(|(_, left), (_, right)| right.total_cmp(left));
        keys.into_iter().map(|(period, _)| period).collect()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Period {
    average: f64,
    deviation: f64,
    /// The highest demand.
    maximum: u32,
    /// The highest demand right after an arrival, the first time from the start of the period, and the executing requests then.
    peak: u32,
    peak_at_us: u32,
    executing: u32,
    /// The arrival since which the level is not idle, as of the end of the period; the end if it is idle.
    busy_since_us: Option<u64>,
}

/// The highest use of a level in a period that was accounted.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuietPeak {
    pub(super) at: Duration,
    pub(super) seats: u64,
    pub(super) executing: usize,
}

/// A way from one adjustment to a later one without events.
pub(super) struct Leap {
    pub(super) forecast: Forecast,
    /// The passed periods.
    pub(super) periods: std::ops::Range<usize>,
    /// Requests before this time are accounted; the simulation continues with the others.
    pub(super) until: Duration,
}

impl Quiet {
    fn count(&self) -> usize {
        self.levels
            .iter()
            .map(|level| level.0.len())
            .max()
            .unwrap_or(0)
    }

    /// The way from `now`, which is the time of an adjustment, to the next period in which a request can wait; none if there is no
    /// quiet period before it.
    pub(super) fn leap(&self, now: Duration, server: &FlowController) -> Option<Leap> {
        let mut forecast = server.forecast();
        if forecast.at() != now || server.is_resuming() {
            return None;
        }
        let first = period_of(now)?;
        let levels: Vec<_> = server
            .levels()
            .filter_map(|level| server.level(level.name))
            .collect();
        let (mut next, last) = (first, self.count());
        while next < last && (self.is_assumed(next) || self.is_quiet(next, &levels, &forecast)) {
            forecast.pass(|level| self.of(level, next).demand());
            next += 1;
        }
        let until = match next < last {
            true => Duration::from_micros(self.idle_until(next)),
            false => Duration::MAX,
        };
        let until = match self.only {
            // Levels that are never idle start with those that come last.
            Some(_) => until.max((ADJUSTMENT_PERIOD * next as u32).saturating_sub(LEAD)),
            None => until,
        };
        (next > first && until > now).then_some(Leap {
            forecast,
            periods: first..next,
            until,
        })
    }

    /// Whether nothing waits in the period that begins at a time, by assumption.
    pub(super) fn is_assumed_at(&self, now: Duration) -> bool {
        period_of(now).is_some_and(|period| self.is_assumed(period))
    }

    fn is_assumed(&self, period: usize) -> bool {
        let is_possible = |only: &Arc<Vec<bool>>| only.get(period).copied().unwrap_or_default();
        !self.only.as_ref().is_none_or(is_possible)
    }

    fn is_quiet(&self, period: usize, levels: &[LevelIndex], forecast: &Forecast) -> bool {
        let is_awaited = self.awaited.get(period).copied().unwrap_or_default();
        !is_awaited
            && levels.iter().all(|level| {
                let most = self.of(*level, period).maximum;
                forecast.has_room(*level, most.into())
            })
    }

    fn of(&self, level: LevelIndex, period: usize) -> Period {
        let level = self.levels.get(level.index());
        let period = level.and_then(|level| level.0.get(period));
        period.copied().unwrap_or_default()
    }

    /// A time from which on each level is idle at some moment before a period, in microseconds.
    fn idle_until(&self, period: usize) -> u64 {
        let start = period as u64 * PERIOD_US;
        let before = period.checked_sub(1);
        let of = |level: &Arc<LevelDemand>| level.0.get(before?)?.busy_since_us;
        self.levels.iter().filter_map(of).fold(start, u64::min)
    }

    /// The highest uses of each level in a period.
    pub(super) fn peaks(&self, period: usize) -> impl Iterator<Item = (usize, QuietPeak)> + '_ {
        let start = ADJUSTMENT_PERIOD.saturating_mul(period as u32);
        let of = move |(index, level): (usize, &Arc<LevelDemand>)| {
            let period = level.0.get(period)?;
            Some((
                index,
                QuietPeak {
                    at: start + Duration::from_micros(period.peak_at_us.into()),
                    seats: period.peak.into(),
                    executing: period.executing as usize,
                },
            ))
        };
        self.levels.iter().enumerate().filter_map(of)
    }
}

impl Period {
    fn demand(&self) -> DemandPeriod {
        DemandPeriod {
            duration: ADJUSTMENT_PERIOD,
            average: self.average,
            deviation: self.deviation,
            maximum: f64::from(self.maximum),
        }
    }
}

/// The period that begins at a time.
fn period_of(at: Duration) -> Option<usize> {
    let us = u64::try_from(at.as_micros()).ok()?;
    (us % PERIOD_US == 0 && at.subsec_nanos().is_multiple_of(1000))
        .then_some((us / PERIOD_US) as usize)
}

/// The periods in which clients that wait for responses have requests, or can still send one.
pub(crate) fn awaited_periods(
    first: i64,
    requests: impl Iterator<Item = Recorded>,
    habit: impl Fn(u32) -> Habit,
) -> Vec<bool> {
    let mut awaited = Vec::new();
    for request in requests {
        if habit(request.client) == Habit::Independent {
            continue;
        }
        let at = since(first, &request);
        let took = request
            .took
            .unwrap_or(request.execution.unwrap_or_default());
        let end = at.saturating_add(microseconds(took));
        let end = end.saturating_add(LONGEST_THINK_US);
        let (from, to) = ((at / PERIOD_US) as usize, (end / PERIOD_US) as usize);
        if awaited.len() <= to {
            awaited.resize(to + 1, false);
        }
        awaited[from..=to].fill(true);
    }
    awaited
}

/// The demand of some levels. `place` has the number among these levels of a class, and its seats; none for other levels.
///
/// The requests are sorted by time, and have execution times.
pub(crate) fn demand(
    first: i64,
    requests: impl Iterator<Item = Recorded>,
    levels: usize,
    place: impl Fn(u32) -> Option<(usize, u32)>,
) -> Vec<LevelDemand> {
    let mut walk = Walk {
        levels: vec![Level::default(); levels],
        ends: BinaryHeap::new(),
        period: 0,
    };
    for request in requests {
        let Some((level, seats)) = place(request.class) else {
            continue;
        };
        let at = since(first, &request);
        walk.end_until(at);
        walk.finish_periods(at);
        walk.levels[level].arrive(at, seats);
        let execution = request.execution.unwrap_or_default();
        let end = at.saturating_add(microseconds(execution));
        walk.ends.push(Reverse((end, level as u32, seats)));
    }
    walk.end_until(u64::MAX);
    if walk.levels.iter().any(|level| level.is_used) {
        walk.finish_periods((walk.period + 1) * PERIOD_US);
    }
    let levels = walk.levels.into_iter();
    levels.map(|level| LevelDemand(level.periods)).collect()
}

fn since(first: i64, request: &Recorded) -> u64 {
    request
        .received_us
        .saturating_sub(first)
        .max(0)
        .unsigned_abs()
}

/// The requests that execute, time after time.
struct Walk {
    levels: Vec<Level>,
    ends: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// The period that is not finished.
    period: u64,
}

#[derive(Clone)]
struct Level {
    recorder: DemandRecorder,
    seats: u32,
    executing: u32,
    busy_since_us: Option<u64>,
    /// Whether there was any request.
    is_used: bool,
    now: Period,
    periods: Vec<Period>,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            recorder: DemandRecorder::new(Duration::ZERO),
            seats: 0,
            executing: 0,
            busy_since_us: None,
            is_used: false,
            now: Period::default(),
            periods: Vec::new(),
        }
    }
}

impl Walk {
    /// Ends the requests that end at or before a time. The limits are adjusted before anything that happens at the same time.
    fn end_until(&mut self, at: u64) {
        while let Some(Reverse((end, level, seats))) = self.ends.peek().copied()
            && end <= at
        {
            self.ends.pop();
            self.finish_periods(end);
            self.levels[level as usize].end(end, seats);
        }
    }

    fn finish_periods(&mut self, at: u64) {
        while (self.period + 1) * PERIOD_US <= at {
            self.period += 1;
            for level in &mut self.levels {
                level.finish_period(self.period);
            }
        }
    }
}

impl Level {
    fn arrive(&mut self, at: u64, seats: u32) {
        self.busy_since_us.get_or_insert(at);
        self.executing += 1;
        self.set(at, self.seats.saturating_add(seats));
        if self.seats > self.now.peak {
            self.now.peak = self.seats;
            self.now.peak_at_us = (at % PERIOD_US) as u32;
            self.now.executing = self.executing;
        }
    }

    fn end(&mut self, at: u64, seats: u32) {
        self.executing -= 1;
        if self.executing == 0 {
            self.busy_since_us = None;
        }
        self.set(at, self.seats.saturating_sub(seats));
    }

    fn set(&mut self, at: u64, seats: u32) {
        self.is_used = true;
        if seats != self.seats {
            self.recorder
                .set(Duration::from_micros(at), f64::from(seats));
            self.seats = seats;
        }
    }

    fn finish_period(&mut self, number: u64) {
        let end = number * PERIOD_US;
        let found = self.recorder.finish_period(Duration::from_micros(end));
        self.periods.push(Period {
            average: found.average,
            deviation: found.deviation,
            maximum: found.maximum as u32,
            busy_since_us: self.busy_since_us.or(Some(end)),
            ..self.now
        });
        self.now = Period::default();
    }
}
