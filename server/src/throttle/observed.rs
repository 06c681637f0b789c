//! The counts and observations behind the metrics: of the requests of a flow schema, and of a level over time.

use super::histogram::{Histogram, TimingHistogram};
use k8s_flowcontrol_rules::buckets;
use k8s_flowcontrol_rules::controller::LevelState;
use k8s_flowcontrol_rules::queueing::Queuing;
use k8s_flowcontrol_types::Release;
use std::iter::Sum;
use std::time::Duration;

/// A histogram with the buckets of a metric.
fn bounds(name: &str, release: Release) -> &'static [f64] {
    buckets::bounds(name, release).unwrap_or_default()
}

/// The requests of a flow schema.
#[derive(Clone, Debug)]
pub(super) struct OfSchema {
    /// The waits of requests that a level with queues dispatched, and of requests that it did not dispatch.
    pub(super) executed_waits: Histogram,
    pub(super) other_waits: Histogram,
    /// The execution of watches up to their response, and of other requests.
    pub(super) watches: Histogram,
    pub(super) regular: Histogram,
    pub(super) queue_lengths: Histogram,
    pub(super) seats: Histogram,
    /// The watches that see a write.
    pub(super) watchers: Histogram,
}

impl OfSchema {
    pub(super) fn new(release: Release) -> Self {
        let of = |name: &str| Histogram::new(bounds(name, release));
        let waits = of("request_wait_duration_seconds");
        let executions = of("request_execution_seconds");
        Self {
            executed_waits: waits.clone(),
            other_waits: waits,
            watches: executions.clone(),
            regular: executions,
            queue_lengths: of("request_queue_length_after_enqueue"),
            seats: of("work_estimated_seats"),
            watchers: of("watch_count_samples"),
        }
    }
}

/// A level over time.
#[derive(Clone, Debug)]
pub(super) struct OfLevel {
    pub(super) seats: TimingHistogram,
    pub(super) executing: TimingHistogram,
    pub(super) waiting: TimingHistogram,
    pub(super) demand: TimingHistogram,
}

impl OfLevel {
    pub(super) fn new(now: Duration, release: Release) -> Self {
        let of = |name: &str| TimingHistogram::new(bounds(name, release), now);
        let requests = of("priority_level_request_utilization");
        Self {
            seats: of("priority_level_seat_utilization"),
            executing: requests.clone(),
            waiting: requests,
            demand: of("demand_seats"),
        }
    }

    /// Notes the state of the level from now on. A level without seats counts as if it had a tenth of all.
    pub(super) fn set(&mut self, now: Duration, level: &LevelState<'_>, all_seats: u32) {
        let seats = match level.limit {
            limit @ 1.. => limit as f64,
            _ => (f64::from(all_seats) / 10.0).round().max(1.0),
        };
        let queues = level.queues;
        let places = match level.queuing {
            Queuing::Queue {
                queues,
                queue_length_limit,
                ..
            } => i64::from(queues) * i64::from(queue_length_limit),
            Queuing::Exempt | Queuing::Reject => 1,
        };
        let places = places.max(1) as f64;
        self.seats.set(now, queues.seats_in_use() as f64 / seats);
        self.executing.set(now, queues.executing() as f64 / seats);
        self.waiting.set(now, queues.waiting() as f64 / places);
        self.demand.set(now, queues.seat_demand() as f64 / seats);
    }
}

/// The numbers of requests of one flow schema.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) executing: u64,
    pub(crate) executing_seats: u64,
    pub(crate) waiting: u64,
    pub(crate) waiting_seats: u64,
    pub(crate) dispatched: u64,
    pub(crate) queue_full: u64,
    pub(crate) concurrency_limit: u64,
    pub(crate) timed_out: u64,
    pub(crate) cancelled: u64,
}

impl Counts {
    pub(super) fn wait(&mut self, seats: u64) {
        self.waiting += 1;
        self.waiting_seats += seats;
    }

    pub(super) fn leave_queue(&mut self, seats: u64) {
        self.waiting -= 1;
        self.waiting_seats -= seats;
    }

    pub(super) fn execute(&mut self, seats: u64) {
        self.dispatched += 1;
        self.executing += 1;
        self.executing_seats += seats;
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, counts| Self {
            executing: sum.executing + counts.executing,
            executing_seats: sum.executing_seats + counts.executing_seats,
            waiting: sum.waiting + counts.waiting,
            waiting_seats: sum.waiting_seats + counts.waiting_seats,
            dispatched: sum.dispatched + counts.dispatched,
            queue_full: sum.queue_full + counts.queue_full,
            concurrency_limit: sum.concurrency_limit + counts.concurrency_limit,
            timed_out: sum.timed_out + counts.timed_out,
            cancelled: sum.cancelled + counts.cancelled,
        })
    }
}
