//! The result of a simulation.

use super::waits::Waits;
use std::time::Duration;

/// The result of a simulation.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The priority levels, sorted by name.
    pub levels: Vec<LevelReport>,
    /// The flows that had requests, sorted by flow schema and distinguisher.
    pub flows: Vec<FlowReport>,
    /// The groups of clients, in the order of the load; the verbs and resources of an audit log, in the order of their first
    /// request.
    pub clients: Vec<(String, Counts)>,
    /// The time at which the last request ended.
    pub end: Duration,
    /// The number of requests, retries included.
    pub requests: u64,
}

/// The numbers of requests. Each retry counts as a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Requests that arrived.
    pub arrived: u64,
    /// Requests that were executed.
    pub dispatched: u64,
    /// Requests that were rejected on arrival, with status 429.
    pub rejected: u64,
    /// Requests that waited too long in a queue, with status 429.
    pub timed_out: u64,
    /// Requests that were sent again after status 429.
    pub retried: u64,
    /// Requests that got status 429 and were not sent again.
    pub failed: u64,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Self) {
        self.arrived += other.arrived;
        self.dispatched += other.dispatched;
        self.rejected += other.rejected;
        self.timed_out += other.timed_out;
        self.retried += other.retried;
        self.failed += other.failed;
    }
}

/// The result of a priority level.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LevelReport {
    /// The level's name.
    pub name: String,
    /// The numbers of requests.
    pub counts: Counts,
    /// The waiting times of the dispatched requests.
    pub waits: Waits,
    /// The state over time, in equal distances, until the last request ends but at most for twice the load's duration.
    pub samples: Vec<Sample>,
    /// The most seats in use for any time.
    pub peak_seats_in_use: u64,
    /// The waits that an audit log recorded; empty for generated clients.
    pub observed: Observed,
}

/// The waits that the server of an audit log recorded, and the simulated waits of the same requests.
///
/// A wait ends with the dispatch or with the rejection of its request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observed {
    /// The recorded waits.
    pub waits: Waits,
    /// The simulated waits of the requests that have a recorded one.
    pub predicted: Waits,
    /// For each of these requests the difference of both, without its sign.
    pub differences: Waits,
    /// The simulated waits that a server would record, which it does for requests that take more than half a second.
    /// Their distribution is comparable with that of `waits`, unlike `predicted`, whose requests are chosen by their
    /// recorded wait.
    pub shown: Waits,
    /// The requests that the server of the log rejected.
    pub rejected: u64,
}

impl Observed {
    pub(super) fn add(&mut self, observed: Duration, predicted: Duration) {
        self.waits.add(observed);
        self.predicted.add(predicted);
        self.differences.add(observed.abs_diff(predicted));
    }
}

/// The state of a priority level at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// The time from the start.
    pub at: Duration,
    /// The current limit in seats.
    pub limit: i64,
    /// The seats in use.
    pub seats_in_use: u64,
    /// The number of executing requests.
    pub executing: usize,
    /// The number of waiting requests.
    pub waiting: usize,
    /// The seats that the waiting requests need.
    pub seats_waiting: u64,
    /// The mean of the seats in use since the sample before; the seats in use for the first one.
    pub mean_seats_in_use: f64,
    /// The mean of the seats that waiting requests needed since the sample before.
    pub mean_seats_waiting: f64,
}

/// The result of a flow.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowReport {
    /// The flow schema.
    pub flow_schema: String,
    /// The flow distinguisher; empty if the schema has none.
    pub flow_distinguisher: String,
    /// The priority level.
    pub priority_level: String,
    /// The numbers of requests.
    pub counts: Counts,
    /// The waiting times of the dispatched requests.
    pub waits: Waits,
    /// The waits that an audit log recorded; empty for generated clients.
    pub observed: Waits,
    /// The requests that the server of an audit log rejected.
    pub observed_rejected: u64,
    /// The simulated waits that a server would record, which it does for requests that take more than half a second.
    pub shown: Waits,
}
