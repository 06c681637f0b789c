//! The result of a simulation.

use super::logged::Recorded;
use super::waits::{Spread, Waits};
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
    /// How many times as long the requests of an audit log execute if twice as many execute at the same time; none if the log does
    /// not show that they slow each other down, and for generated clients.
    pub slowdown: Option<f64>,
    /// Whether the audit log shows if requests slow each other down: it does not if about as many execute all the time. If they do, a
    /// change of the configuration has other effects than those simulated.
    pub is_slowdown_known: bool,
    /// How long a request of an audit log that waited has its seats before it begins, which servers record as a part of its wait.
    pub start_delay: Duration,
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
    /// The least and the greatest current limit at any time; none for an exempt level, whose seats have no limit, and without samples.
    pub limits: Option<[i64; 2]>,
    /// The least that the current limit exceeded the seats in use at any time, at least 0; none for an exempt level, and without samples.
    pub least_free_seats: Option<u64>,
    /// How far the waits of several replays of an audit log differ; none for one run.
    pub spread: Option<Spread>,
    /// The times from the arrival to the response, without rejected requests; empty for generated clients.
    pub responses: Waits,
    /// The requests in the audit log; empty for generated clients.
    pub observed: Observed,
}

/// The requests of an audit log, as the server handled them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observed {
    /// The requests that the server rejected.
    pub rejected: u64,
    /// The waits of the other requests: recorded, or else as [`separate_waits`](super::Recording::separate_waits) estimates
    /// them.
    pub waits: Waits,
    /// The number of these waits that the server recorded.
    pub recorded: u64,
    /// The times from the arrival to the response, without rejected requests.
    pub responses: Waits,
}

impl Observed {
    pub(super) fn add(&mut self, request: &Recorded) {
        if request.rejected {
            self.rejected += 1;
        } else if let Some(took) = request.took {
            self.responses.add(took);
            self.recorded += u64::from(request.observed.is_some());
            self.waits.add(request.wait());
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.rejected += other.rejected;
        self.waits.merge(&other.waits);
        self.recorded += other.recorded;
        self.responses.merge(&other.responses);
    }
}

/// The state of a priority level at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// The time from the start.
    pub at: Duration,
    /// The current limit in seats; it does not limit exempt levels.
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

impl Sample {
    /// The headroom: the current limit less the mean of the seats in use, at least 0.
    pub fn free_seats(&self) -> f64 {
        (self.limit as f64 - self.mean_seats_in_use).max(0.0)
    }
}

/// The result of a flow.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowReport {
    /// The flow schema.
    pub flow_schema: String,
    /// The flow distinguisher; empty if the schema has none, or distinguishes namespaces and the requests have none.
    pub flow_distinguisher: String,
    /// The priority level.
    pub priority_level: String,
    /// The numbers of requests.
    pub counts: Counts,
    /// The waiting times of the dispatched requests.
    pub waits: Waits,
    /// How far the waits of several replays of an audit log differ; none for one run.
    pub spread: Option<Spread>,
    /// The times from the arrival to the response, without rejected requests; empty for generated clients.
    pub responses: Waits,
    /// The requests in the audit log; empty for generated clients.
    pub observed: Observed,
}
