//! The interface between the events of a server and the clients that send requests.

use k8s_flowcontrol_rules::queueing::Work;
use std::time::Duration;

/// Clients that send requests.
pub(super) trait Source {
    /// A request that waits or executes, as the source knows it.
    type Request: Copy;

    /// The time of the next request; none after the last one.
    fn next_arrival(&self) -> Option<Duration>;

    /// Sends the next request.
    fn send(&mut self) -> Option<Self::Request>;

    fn facts(&self, request: Self::Request) -> Facts;

    /// How long a request executes that waited for `wait`.
    fn execution_time(&mut self, request: Self::Request, wait: Duration) -> Duration;

    /// Reports that a request got status 429 with this `Retry-After`, and returns whether its client sends it again.
    fn rejected(&mut self, now: Duration, request: Self::Request, retry_after: Duration) -> bool;

    /// Reports that a request has ended.
    fn completed(&mut self, now: Duration, request: Self::Request);

    /// How long a request executes if it does not wait; none unless it comes at a time that does not depend on other requests.
    fn known_execution(&self, _: Self::Request) -> Option<Duration> {
        None
    }

    /// Whether all further requests come at times that do not depend on the requests before `now`, unless their clients wait for
    /// responses that come later.
    fn is_settled(&mut self, _now: Duration) -> bool {
        false
    }

    /// Passes the requests before `until` without sending them, and counts those of each flow and those of each group of the report;
    /// adds the end of the last one. The source must be settled.
    fn pass(&mut self, _until: Duration, _: &mut Passed) {}
}

/// The requests that are counted without events.
#[derive(Clone, Debug, Default)]
pub(super) struct Passed {
    pub(super) of_flows: Vec<u64>,
    pub(super) of_groups: Vec<u64>,
    pub(super) end: Duration,
}

/// The facts about a request that a server sees, and further facts that reports need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// The index of the flow.
    pub(super) flow: usize,
    /// The index of the group in reports.
    pub(super) group: usize,
    pub(super) retries_left: u32,
    pub(super) work: Work,
    pub(super) deadline: Duration,
    /// The time that the server needs before and after flow control, for a request of a log.
    pub(super) overhead: Option<Duration>,
}
