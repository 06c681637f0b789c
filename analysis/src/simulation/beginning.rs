//! The demand before a log.
//!
//! A log begins at any time of a server. Usually the server was busy before, and its limits had long followed its demand. The log lacks the
//! requests that ended before its first one, so that its demand is complete from the first end of a request on: the
//! first period of it stands for what was before, unless the log fits better to a server that was idle.

use super::before::Before;
use super::hidden::{Arriving, Separate, Separator};
use super::logged::Recorded;
use crate::times::after;
use k8s_flowcontrol_rules::controller::{ADJUSTMENT_PERIOD, FlowController};
use k8s_flowcontrol_rules::limits::{DemandRecorder, SeatDemand};
use std::collections::HashMap;
use std::time::Duration;

/// The most requests of the first two periods that count.
const MOST: usize = 100_000;
/// The recorded waits that show whether the server was idle.
const WAITS: usize = 20;
/// The requests of a class in both periods that show how long it executes in each.
const EXECUTIONS: usize = 5;
/// Executions change that many times more on a server that was idle if the server of the log was busy, and less if it was idle.
const CERTAIN: f64 = 2.5;
/// An execution that differs from another one by less is equally long.
const SHORT: Duration = Duration::from_millis(1);

/// The requests of the first two periods of a log.
#[derive(Debug)]
pub(crate) struct Beginning {
    first_end_us: i64,
    requests: Vec<(Recorded, Arriving)>,
}

impl Beginning {
    /// The beginning of these requests. `first_end_us` is the time at which the first of them ended.
    pub(crate) fn of(
        first_end_us: i64,
        requests: impl IntoIterator<Item = (Recorded, Arriving)>,
    ) -> Self {
        let mut new = Self {
            first_end_us,
            requests: Vec::new(),
        };
        for (request, arriving) in requests {
            if !new.add(request, arriving) {
                break;
            }
        }
        new
    }

    /// Adds the next request; false if it is not part of the beginning.
    fn add(&mut self, request: Recorded, arriving: Arriving) -> bool {
        let is_part =
            self.requests.len() < MOST && self.since(request.received_us) < ADJUSTMENT_PERIOD * 2;
        self.requests.extend(is_part.then_some((request, arriving)));
        is_part
    }

    /// Whether a request is of the second period.
    fn is_late(&self, request: &Recorded) -> bool {
        self.since(request.received_us) >= ADJUSTMENT_PERIOD
    }

    fn since(&self, us: i64) -> Duration {
        let since = us.saturating_sub(self.first_end_us).max(0);
        Duration::from_micros(since.unsigned_abs())
    }

    /// Finds the state of a server before its log, and sets it.
    pub(super) fn find(&self, server: &mut FlowController) -> Before {
        let mut before = Before::IDLE;
        before.find_retry_after(&self.requests, server);
        let was_busy = self.find_demand(server);
        before.busy_since_us = was_busy.then_some(self.first_end_us);
        before
    }

    /// Sets the demand of a server before its log; false if the log shows that it was idle.
    pub(crate) fn find_demand(&self, server: &mut FlowController) -> bool {
        let mut busy = server.clone();
        self.begin(&mut busy);
        let was_busy = !self.misfit(server).is_of_idle(&self.misfit(&busy));
        if was_busy {
            *server = busy;
        }
        was_busy
    }

    /// Sets the demand of a server before the log to that of the first period.
    pub(super) fn begin(&self, server: &mut FlowController) {
        let names: Vec<_> = server.levels().map(|level| level.name.to_owned()).collect();
        let demand = self.demand(names.len());
        let demand: HashMap<_, _> = names.into_iter().zip(demand).collect();
        server.set_demand(Duration::ZERO, |level| demand.get(level).copied());
    }

    /// The demand of each level: the seats of requests that wait or execute.
    fn demand(&self, levels: usize) -> Vec<SeatDemand> {
        let mut recorders = vec![(DemandRecorder::new(Duration::ZERO), 0_i64); levels];
        let mut changes = Vec::new();
        let executed = self
            .requests
            .iter()
            .filter(|(request, _)| !request.rejected);
        for (request, arriving) in executed.filter(|(request, _)| !self.is_late(request)) {
            let end = request.took.map(|took| after(request.received_us, took));
            let level = arriving.level.index();
            let seats = i64::from(arriving.work.initial_seats.max(arriving.work.final_seats));
            changes.push((self.since(request.received_us), level, seats));
            changes.extend(end.map(|end| (self.since(end), level, -seats)));
        }
        changes.sort_unstable();
        let last = self.requests.last();
        let until = last.map_or(Duration::ZERO, |(last, _)| self.since(last.received_us));
        let until = until.min(ADJUSTMENT_PERIOD);
        for (at, level, change) in changes {
            if let Some((recorder, seats)) = recorders.get_mut(level).filter(|_| at <= until) {
                *seats += change;
                recorder.set(at, *seats as f64);
            }
        }
        let demand = recorders.into_iter().map(|(mut recorder, _)| {
            let mut demand = SeatDemand::default();
            demand.update(&recorder.finish_period(until));
            demand
        });
        demand.collect()
    }

    fn misfit(&self, server: &FlowController) -> Misfit {
        let first = self.requests.first();
        let first = first.map_or(self.first_end_us, |(first, _)| first.received_us);
        let without_waits = self.requests.iter().map(|(request, arriving)| {
            let request = Recorded {
                observed: None,
                ..*request
            };
            (request, *arriving)
        });
        let found = Separate::new(Separator::new(server.clone(), first), without_waits);
        let mut errors = Vec::new();
        let mut executions = HashMap::<u32, [Mean; 2]>::new();
        for (found, (request, _)) in found.zip(&self.requests) {
            let is_late = self.is_late(request);
            if let Some(recorded) = request.observed.filter(|_| !is_late) {
                errors.push(found.wait().abs_diff(recorded).as_secs_f64());
            }
            if let Some(execution) = found.execution {
                let logarithm = (execution + SHORT).as_secs_f64().ln();
                executions.entry(found.class).or_default()[usize::from(is_late)].add(logarithm);
            }
        }
        let mut change = Mean::default();
        let executions = executions.into_values();
        let is_known = |both: &[Mean; 2]| both.iter().all(|mean| mean.count >= EXECUTIONS);
        for [early, late] in executions.filter(is_known) {
            let of_class = (early.mean() - late.mean()).abs();
            change.sum += of_class * early.count as f64;
            change.count += early.count;
        }
        Misfit {
            waits: (errors.len() >= WAITS).then(|| errors.iter().sum()),
            change: (change.count > 0).then(|| change.mean()),
        }
    }
}

/// How badly the queues of a server explain the log.
struct Misfit {
    /// The differences between recorded waits of the first period and those in the queues, in seconds; none with few recorded waits.
    waits: Option<f64>,
    /// How many times as long or as short executions are in the first period as in the second: the average logarithm.
    change: Option<f64>,
}

impl Misfit {
    /// Whether the server of the log had no demand before the log, and not that of its first period.
    ///
    /// Without recorded waits, a wait in the queues that is too long is taken from the execution, and a real wait that the queues do not
    /// have lengthens it. In the second period both servers have seats for their demand.
    fn is_of_idle(&self, of_busy: &Self) -> bool {
        match (self.waits, of_busy.waits) {
            (Some(waits), Some(of_busy)) => waits < of_busy,
            _ => self.change < of_busy.change.map(|change| change * CERTAIN),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn mean(self) -> f64 {
        self.sum / self.count as f64
    }
}
