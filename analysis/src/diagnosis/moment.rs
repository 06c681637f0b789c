//! The moments at which the requests of a priority level on one API server were counted.

use super::evidence::ServerEvidence;
use super::load::Measured;
use super::observation::Observation;
use crate::dumps::{QueueState, RequestState};

/// When the requests of a server were counted: metrics and each dump are of different moments, whose numbers are not added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Metrics,
    /// `dump_requests`.
    Requests,
    /// `dump_queues`, which has the levels with queues alone.
    Queues,
    /// `dump_priority_levels`, which does not have seats.
    Levels,
}

impl Moment {
    pub(super) const ALL: [Self; 4] = [Self::Metrics, Self::Requests, Self::Queues, Self::Levels];

    pub(super) const fn source(self) -> &'static str {
        match self {
            Self::Metrics => "the metrics",
            Self::Requests => "dump_requests",
            Self::Queues => "dump_queues",
            Self::Levels => "dump_priority_levels",
        }
    }
}

/// The requests of a level at a moment; `None` for numbers that its source does not have.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub(super) waiting: Option<Measured>,
    pub(super) in_use: Option<Measured>,
}

/// The requests of a level at each moment.
pub(super) struct Moments([Counted; 4]);

impl Moments {
    pub(super) fn new(
        server: &ServerEvidence,
        level: &str,
        metrics: Counted,
        levels: Counted,
    ) -> Self {
        let requests = of_requests(server, level);
        Self([metrics, requests, of_queues(server, level), levels])
    }

    pub(super) const fn at(&self, moment: Moment) -> &Counted {
        let Self([metrics, requests, queues, levels]) = self;
        match moment {
            Moment::Metrics => metrics,
            Moment::Requests => requests,
            Moment::Queues => queues,
            Moment::Levels => levels,
        }
    }

    /// The moment that tells most about requests that wait, because the queues may be empty at any other: one at which all seats of the
    /// level are in use, or else one with its seats.
    pub(super) fn explaining(&self, limit_at: impl Fn(Moment) -> Option<i64>) -> Moment {
        let waits = |moment: &Moment| {
            let waiting = self.at(*moment).waiting.as_ref();
            waiting.is_some_and(|waiting| waiting.value > 0)
        };
        let has_seats = |moment: &Moment| self.at(*moment).in_use.is_some();
        let is_full = |moment: &Moment| {
            let in_use = self.at(*moment).in_use.as_ref();
            let in_use = in_use.zip(limit_at(*moment));
            in_use.is_some_and(|(in_use, limit)| in_use.value >= limit)
        };
        let waiting: Vec<Moment> = Moment::ALL.into_iter().filter(waits).collect();
        let first = |is_so: &dyn Fn(&Moment) -> bool| {
            let mut waiting = waiting.iter().copied();
            waiting.find(is_so)
        };
        // Requests of several seats wait beside free ones, and only `dump_requests` tells how many they need.
        let is_wide = |moment: &Moment| *moment == Moment::Requests && has_seats(moment);
        let known = |moment: &Moment| self.at(*moment).waiting.is_some();
        first(&is_full)
            .or_else(|| first(&is_wide))
            .or_else(|| first(&has_seats))
            .or_else(|| waiting.first().copied())
            .or_else(|| Moment::ALL.into_iter().find(known))
            .unwrap_or(Moment::Metrics)
    }
}

pub(super) fn dumped_requests<'a>(
    server: &'a ServerEvidence,
    level: &'a str,
) -> impl Iterator<Item = &'a RequestState> {
    let rows = server.requests.iter().flatten();
    let of_level = rows.filter(move |row| row.priority_level == level);
    of_level.filter_map(|row| row.request.as_ref())
}

/// A number in `dump_requests`.
fn in_requests(server: &ServerEvidence, level: &str, what: &str, value: i64) -> Measured {
    let what = format!("{what} of {level}");
    let from = Observation::dump(&server.name, "dump_requests", what, value);
    Measured { value, from }
}

/// The requests in `dump_requests`. Before 1.28 it has waiting requests alone; a newer server executes the request for the dump.
fn of_requests(server: &ServerEvidence, level: &str) -> Counted {
    let is_executing = |request: &&RequestState| request.index_in_queue.is_none();
    let Some(rows) = server.requests.as_ref() else {
        return Counted::default();
    };
    let waiting = dumped_requests(server, level).filter(|one| !is_executing(one));
    let waiting = i64::try_from(waiting.count()).unwrap_or(i64::MAX);
    let mut all = rows.iter().filter_map(|row| row.request.as_ref());
    let executing = dumped_requests(server, level).filter(is_executing);
    let seats = executing.fold(0_i64, |sum, request| {
        sum.saturating_add(request.seats().unwrap_or(1).max(1))
    });
    let seats = in_requests(server, level, "seats of the executing requests", seats);
    Counted {
        waiting: Some(in_requests(server, level, "waiting requests", waiting)),
        in_use: Some(seats).filter(|_| all.any(|one| is_executing(&one))),
    }
}

/// The requests in `dump_queues`, for a level with queues.
fn of_queues(server: &ServerEvidence, level: &str) -> Counted {
    let queues = server.queues.iter().flatten();
    let of_level = queues.filter(|row| row.priority_level == level);
    let queues: Vec<&QueueState> = of_level.filter_map(|row| row.queue.as_ref()).collect();
    let sum = |column: &str, of: fn(&QueueState) -> Option<i64>| {
        let values = queues.iter().map(|queue| of(queue));
        let value = values.reduce(|one, other| Some(one?.saturating_add(other?)))??;
        let what = format!("{column} of {level}");
        let from = Observation::dump(&server.name, "dump_queues", what, value);
        Some(Measured { value, from })
    };
    Counted {
        waiting: sum("PendingRequests", |queue| Some(queue.pending_requests)),
        in_use: sum("SeatsInUse", |queue| queue.seats_in_use),
    }
}
