//! The load of a priority level on one API server.

use super::evidence::ServerEvidence;
use super::moment::{Counted, Moment, Moments, dumped_requests};
use super::observation::{Observation, Period};
use crate::dumps::{LevelState, RequestState};
use crate::metrics::{FlowMetrics, Quantity};
use k8s_flowcontrol_rules::objects::LevelInUse;

/// Free seats are few if they are less than this part of the level's seats: one fifth.
const FEW: i64 = 5;

/// A number and its source.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) value: i64,
    pub(super) from: Observation,
}

/// The sources of the numbers that are known.
pub(super) fn sources<'a>(
    measured: impl IntoIterator<Item = Option<&'a Measured>>,
) -> Vec<Observation> {
    let known = measured.into_iter().flatten();
    known.map(|measured| measured.from.clone()).collect()
}

/// Rejected requests of a level.
#[derive(Clone, Debug)]
pub(super) struct Rejections {
    pub(super) reason: String,
    pub(super) requests: i64,
    pub(super) period: Period,
    pub(super) from: Observation,
}

/// The counters of a server and their period; `None` without metrics.
pub(super) struct Counters(Option<(FlowMetrics, Period)>);

impl Counters {
    pub(super) fn of(server: &ServerEvidence) -> Self {
        let metrics = server.metrics.as_ref();
        let metrics = metrics.filter(|metrics| !metrics.is_empty());
        Self(metrics.map(|metrics| match &server.earlier {
            None => (metrics.clone(), Period::SinceStart),
            Some((earlier, interval)) => (metrics.since(earlier), Period::Interval(*interval)),
        }))
    }

    /// The metrics with the counters of the period.
    pub(super) const fn increase(&self) -> Option<&(FlowMetrics, Period)> {
        self.0.as_ref()
    }
}

/// The load of a priority level on one API server; `None` for numbers that are unknown.
pub(super) struct Load<'a> {
    pub(super) server: &'a ServerEvidence,
    pub(super) level: &'a LevelInUse,
    /// The moment of the waiting requests and of the seats in use.
    pub(super) moment: Moment,
    moments: Moments,
    /// The executing requests in the dump of levels, which does not have their seats.
    pub(super) executing: Option<Measured>,
    pub(super) current: Option<Measured>,
    pub(super) nominal: Option<Measured>,
    pub(super) minimum: Option<Measured>,
    pub(super) maximum: Option<Measured>,
    /// With at least one request each: in the interval if there is one, and else since the start.
    pub(super) rejections: Vec<Rejections>,
    /// The requests rejected since the server started; `None` for no request.
    pub(super) rejected_since_start: Option<Measured>,
}

impl<'a> Load<'a> {
    pub(super) fn new(
        server: &'a ServerEvidence,
        level: &'a LevelInUse,
        counters: &Counters,
    ) -> Self {
        let name = level.name();
        let state = state_of(server, name);
        let measure = |quantity| {
            let metrics = server.metrics.as_ref()?;
            measured(server, metrics, quantity, name)
        };
        let current = measure(Quantity::CurrentSeats);
        let current = current.or_else(|| measure(Quantity::NominalSeats));
        let mut load = Self {
            moment: Moment::Metrics,
            moments: moments(server, name),
            executing: state.map(|state| Measured {
                value: state.executing_requests,
                from: dumped(server, name, "ExecutingRequests", state.executing_requests),
            }),
            current,
            nominal: measure(Quantity::NominalSeats),
            minimum: measure(Quantity::MinimumSeats),
            maximum: measure(Quantity::MaximumSeats),
            rejections: rejections(server, counters, name, state),
            rejected_since_start: rejected(server, name, state),
            server,
            level,
        };
        load.moment = load.moments.explaining(|moment| load.limit_at(moment));
        load
    }

    pub(super) fn in_dump_requests(&self, what: impl Into<String>, value: i64) -> Observation {
        Observation::dump(&self.server.name, "dump_requests", what, value)
    }

    pub(super) fn name(&self) -> &'a str {
        self.level.name()
    }

    pub(super) fn is_exempt(&self) -> bool {
        self.level.object.spec.limited.is_none()
    }

    /// Whether the level never has a seat, neither its own nor a borrowed one: a borrowing limit is a part of the nominal limit.
    pub(super) fn is_closed(&self) -> bool {
        let limited = self.level.object.spec.limited.as_ref();
        let has_none = limited.is_some_and(|limited| {
            limited.nominal_concurrency_shares == Some(0)
                && limited.borrowing_limit_percent.is_some()
        });
        let maximum = self.maximum.as_ref();
        has_none && maximum.is_none_or(|maximum| maximum.value <= 0)
    }

    /// Whether the level is without a seat now, and may get some when the server adjusts the limits.
    pub(super) fn has_lent_all(&self) -> bool {
        let maximum = self.maximum.as_ref();
        !self.is_exempt()
            && self.limit().is_some_and(|limit| limit <= 0)
            && maximum.is_some_and(|maximum| maximum.value > 0)
    }

    /// Whether the level is without a seat now.
    pub(super) fn has_no_seat(&self) -> bool {
        self.is_closed() || self.has_lent_all()
    }

    /// The requests in queues at a moment; `None` if unknown.
    pub(super) fn waiting_at(&self, moment: Moment) -> Option<&Measured> {
        self.moments.at(moment).waiting.as_ref()
    }

    /// The requests in queues, with the source.
    pub(super) fn measured_waiting(&self) -> Option<&Measured> {
        self.waiting_at(self.moment)
    }

    /// The requests in queues, 0 if unknown.
    pub(super) fn waiting(&self) -> i64 {
        self.measured_waiting().map_or(0, |waiting| waiting.value)
    }

    /// Whether requests wait or are rejected: in the interval if there is one, and else since the start.
    pub(super) fn is_in_trouble(&self) -> bool {
        self.waiting() > 0 || !self.rejections.is_empty()
    }

    /// Whether requests wait, or were rejected in the interval.
    pub(super) fn is_in_trouble_now(&self) -> bool {
        self.waiting() > 0 || self.is_rejecting_now()
    }

    fn is_rejecting_now(&self) -> bool {
        self.rejections
            .iter()
            .any(|found| found.period.is_interval())
    }

    /// Whether requests wait at the time of the metrics, or were rejected in the interval.
    pub(super) fn is_in_trouble_with_metrics(&self) -> bool {
        let waits = self.waiting_at(Moment::Metrics);
        let waits = waits.is_some_and(|waiting| waiting.value > 0);
        match self.server.dumps_are_apart {
            true => waits || self.is_rejecting_now(),
            false => self.is_in_trouble_now(),
        }
    }

    /// The seats that requests occupied at a moment; `None` if unknown.
    pub(super) fn in_use_at(&self, moment: Moment) -> Option<&Measured> {
        self.moments.at(moment).in_use.as_ref()
    }

    /// The seats that requests occupy; `None` if unknown.
    pub(super) fn in_use(&self) -> Option<&Measured> {
        self.in_use_at(self.moment)
    }

    /// The limit at a moment. That of the metrics is `None` for a dump that may be of a moment with another limit.
    fn limit_at(&self, moment: Moment) -> Option<i64> {
        let current = self.current.as_ref()?.value;
        let in_use = self.in_use_at(moment)?.value;
        let known = |limit: &Option<Measured>| limit.as_ref().map(|limit| limit.value);
        let (minimum, maximum) = (known(&self.minimum), known(&self.maximum));
        let is_fixed = minimum.is_some() && minimum == maximum;
        let is_near = !self.server.dumps_are_apart;
        if moment == Moment::Metrics || is_fixed || (is_near && in_use == current) {
            return Some(current);
        }
        if maximum.is_some_and(|maximum| in_use >= maximum) {
            return maximum;
        }
        (is_near && in_use < current).then_some(current)
    }

    /// The seats that no request occupied at a moment; `None` if unknown.
    pub(super) fn free_at(&self, moment: Moment) -> Option<i64> {
        let (limit, in_use) = (self.limit_at(moment)?, self.in_use_at(moment)?);
        Some(limit.saturating_sub(in_use.value).max(0))
    }

    /// The seats that no request occupies; `None` if unknown.
    pub(super) fn free(&self) -> Option<i64> {
        self.free_at(self.moment)
    }

    /// The widest request that waits at the moment, in seats; `None` if it is unknown.
    pub(super) fn widest_waiting(&self) -> Option<i64> {
        if self.moment != Moment::Requests {
            return None;
        }
        let requests = dumped_requests(self.server, self.name());
        let waiting = requests.filter(|request| request.index_in_queue.is_some());
        waiting.filter_map(RequestState::seats).max()
    }

    /// Whether the level uses its seats: none is free, or the few that are free are too few for a request that waits.
    pub(super) fn is_full(&self) -> Option<bool> {
        let (free, current) = (self.free()?, self.limit()?);
        let are_few = free.saturating_mul(FEW) < current;
        let are_too_few = || self.widest_waiting().is_some_and(|widest| widest > free);
        Some(free == 0 || (are_few && are_too_few()))
    }

    /// The seats of the server, which the maximum of a level that borrows without a limit tells.
    pub(super) fn server_seats(&self) -> Option<i64> {
        let limited = self.level.object.spec.limited.as_ref()?;
        if limited.borrowing_limit_percent.is_some() {
            return None;
        }
        let nominal = self.nominal.as_ref()?.value;
        let seats = self.maximum.as_ref()?.value.saturating_sub(nominal);
        (seats > 0).then_some(seats)
    }

    /// The seats, free at a moment, that the level may lend at the next adjustment; `None` if unknown.
    pub(super) fn can_lend_at(&self, moment: Moment) -> Option<i64> {
        let in_use = self.in_use_at(moment)?.value;
        let kept = self.minimum.as_ref()?.value.max(in_use);
        Some(self.limit_at(moment)?.saturating_sub(kept).max(0))
    }

    /// Whether the level has the most seats that it may have, at its moment.
    pub(super) fn is_at_maximum(&self) -> bool {
        let limit = self.limit_at(self.moment);
        let maximum = self.maximum.as_ref();
        maximum.is_none_or(|maximum| limit.is_some_and(|limit| limit >= maximum.value))
    }

    /// The limit of the level at its moment; `None` if unknown.
    pub(super) fn limit(&self) -> Option<i64> {
        self.limit_at(self.moment)
    }
}

/// The requests of a level at each moment.
pub(super) fn moments(server: &ServerEvidence, level: &str) -> Moments {
    let measure = |quantity| measured(server, server.metrics.as_ref()?, quantity, level);
    let in_metrics = Counted {
        waiting: measure(Quantity::WaitingRequests),
        in_use: measure(Quantity::SeatsInUse),
    };
    let in_levels = Counted {
        waiting: state_of(server, level).map(|state| {
            let value = state.waiting_requests;
            let from = dumped(server, level, "WaitingRequests", value);
            Measured { value, from }
        }),
        in_use: None,
    };
    Moments::new(server, level, in_metrics, in_levels)
}

/// The level in `dump_priority_levels`.
fn state_of<'a>(server: &'a ServerEvidence, level: &str) -> Option<&'a LevelState> {
    let mut rows = server.priority_levels.iter().flatten();
    rows.find(|row| row.name == level)?.state.as_ref()
}

/// The total of a quantity. Servers omit the series of levels that had no request yet.
fn measured(
    server: &ServerEvidence,
    metrics: &FlowMetrics,
    quantity: Quantity,
    level: &str,
) -> Option<Measured> {
    let mut series = metrics.series(quantity, level);
    let (first, more) = (series.next(), series.next().is_some());
    let Some(first) = first else {
        let metric = metrics.metric(quantity)?;
        let series = format!("{metric}{{priority_level={level:?}}}");
        return Some(Measured {
            value: 0,
            from: Observation::metric(&server.name, series, 0, None),
        });
    };
    let value = metrics.total(quantity, level)?;
    let series = match more {
        false => first.to_string(),
        true => format!("sum({}{{priority_level={level:?}}})", first.metric),
    };
    let from = Observation::metric(&server.name, series, value, None);
    Some(Measured { value, from })
}

fn dumped(server: &ServerEvidence, level: &str, column: &str, value: i64) -> Observation {
    let what = format!("{column} of {level}");
    Observation::dump(&server.name, "dump_priority_levels", what, value)
}

fn rejections(
    server: &ServerEvidence,
    counters: &Counters,
    level: &str,
    state: Option<&LevelState>,
) -> Vec<Rejections> {
    let mut found = Vec::new();
    // Both are since the start; the dump may be later than the first rejection, and the metrics earlier.
    let has_more = |(metrics, period): &(FlowMetrics, Period)| {
        let rejected = metrics.total(Quantity::RejectedRequests, level);
        period.is_interval() || rejected.is_some_and(|rejected| rejected > 0)
    };
    if let Some((metrics, period)) = counters.0.as_ref().filter(|counters| has_more(counters)) {
        let period = *period;
        for series in metrics.series(Quantity::RejectedRequests, level) {
            found.push(Rejections {
                reason: series.reason.clone().unwrap_or_default(),
                requests: series.value,
                period,
                from: Observation::metric(&server.name, series, series.value, Some(period)),
            });
        }
    } else if let Some(state) = state {
        // The first number contains the other two.
        let [waited, cancelled] = [state.timedout_requests, state.cancelled_requests];
        let others = waited
            .unwrap_or_default()
            .saturating_add(cancelled.unwrap_or_default());
        let on_arrival = state
            .rejected_requests
            .map(|all| all.saturating_sub(others));
        let column = match others {
            0 => "RejectedRequests",
            _ => "RejectedRequests without TimedoutRequests and CancelledRequests",
        };
        for (reason, column, value) in [
            ("rejected", column, on_arrival),
            ("time-out", "TimedoutRequests", waited),
            ("waited", "CancelledRequests", cancelled),
        ] {
            found.extend(value.map(|value| Rejections {
                reason: reason.to_owned(),
                requests: value,
                period: Period::SinceStart,
                from: dumped(server, level, column, value),
            }));
        }
    }
    found.retain(|rejections| rejections.requests > 0);
    found
}

fn rejected(server: &ServerEvidence, level: &str, state: Option<&LevelState>) -> Option<Measured> {
    let of_metrics = || {
        let metrics = server.metrics.as_ref()?;
        let value = metrics.total(Quantity::RejectedRequests, level)?;
        let metric = metrics.metric(Quantity::RejectedRequests)?;
        let series = format!("sum({metric}{{priority_level={level:?}}})");
        let from = Observation::metric(&server.name, series, value, Some(Period::SinceStart));
        Some(Measured { value, from })
    };
    let of_dump = || {
        let value = state?.rejected_requests?;
        let from = dumped(server, level, "RejectedRequests", value);
        Some(Measured { value, from })
    };
    let is_any = |rejected: &Measured| rejected.value > 0;
    of_metrics()
        .filter(is_any)
        .or_else(|| of_dump().filter(is_any))
}
