//! The observations behind the metrics: of the requests of a flow schema, and of a level over time.

use super::histogram::{Histogram, TimingHistogram};
use k8s_flowcontrol_rules::controller::LevelState;
use k8s_flowcontrol_rules::limits::LevelLimits;
use k8s_flowcontrol_rules::queueing::Queuing;
use std::time::Duration;

const DURATIONS: &[f64] = &[
    0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0,
];
const LENGTHS: &[f64] = &[0.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0];
const SEATS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0];
const WATCHES: &[f64] = &[0.0, 1.0, 10.0, 100.0, 1000.0, 10000.0];
const SEAT_PARTS: &[f64] = &[
    0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0,
];
const REQUEST_PARTS: &[f64] = &[0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1.0];
const DEMANDS: &[f64] = &[0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.7, 2.0, 2.8, 4.0, 6.0];

/// The requests of a flow schema.
#[derive(Clone, Debug)]
pub(super) struct OfSchema {
    /// The waits of requests that a level with queues dispatched, and of those that it did not.
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

impl Default for OfSchema {
    fn default() -> Self {
        Self {
            executed_waits: Histogram::new(DURATIONS),
            other_waits: Histogram::new(DURATIONS),
            watches: Histogram::new(DURATIONS),
            regular: Histogram::new(DURATIONS),
            queue_lengths: Histogram::new(LENGTHS),
            seats: Histogram::new(SEATS),
            watchers: Histogram::new(WATCHES),
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
    pub(super) fn new(now: Duration) -> Self {
        Self {
            seats: TimingHistogram::new(SEAT_PARTS, now),
            executing: TimingHistogram::new(REQUEST_PARTS, now),
            waiting: TimingHistogram::new(REQUEST_PARTS, now),
            demand: TimingHistogram::new(DEMANDS, now),
        }
    }

    /// Notes the state of the level from now on.
    pub(super) fn set(
        &mut self,
        now: Duration,
        level: &LevelState<'_>,
        limits: Option<&LevelLimits>,
    ) {
        let part = |value: f64, whole: i64| value / whole.max(1) as f64;
        let queues = level.queues;
        let places = match level.queuing {
            Queuing::Queue {
                queues,
                queue_length_limit,
                ..
            } => i64::from(queues) * i64::from(queue_length_limit),
            Queuing::Exempt | Queuing::Reject => 1,
        };
        let nominal = limits.map_or(0, |limits| limits.nominal);
        let seats = queues.seats_in_use() as f64;
        self.seats.set(now, part(seats, level.limit));
        self.executing
            .set(now, part(queues.executing() as f64, level.limit));
        self.waiting.set(now, part(queues.waiting() as f64, places));
        self.demand
            .set(now, part(queues.seat_demand() as f64, nominal));
    }
}
