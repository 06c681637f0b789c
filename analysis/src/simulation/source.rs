//! The interface between the events of a server and the clients that send requests.

use super::logged::Recorded;
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

    /// The part of a second that the server's clock shows when the simulation begins: a server counts rejections by its seconds.
    fn clock_phase(&self) -> Duration {
        Duration::ZERO
    }

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

    /// Whether it can be [interrupted](Self::interrupt).
    fn can_be_interrupted(&self, _now: Duration) -> bool {
        false
    }

    /// Forgets which clients wait for responses. The source is settled then.
    fn interrupt(&mut self) {}

    /// Passes the requests before `until` without sending them, and counts those of each flow and those of each group of the report;
    /// adds the end of the last one. The source must be settled.
    fn pass(&mut self, _until: Duration, _: &mut Passed) {}
}

/// Requests of a log in the order of time, of which whole stretches can be passed.
pub(crate) trait Stretches: Iterator<Item = Recorded> {
    /// Passes requests before a time, in microseconds since 1970, as far as their sums are known: the class, the number and the last end of
    /// an execution, in microseconds since 1970, of each sum. Others that come before the time can be left.
    fn pass(&mut self, until_us: i64, passed: impl FnMut(u32, u64, i64));
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
