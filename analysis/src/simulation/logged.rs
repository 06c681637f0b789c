//! A request of an audit log, and its class.

use crate::times::after;
use k8s_flowcontrol_rules::queueing::Work;
use std::time::Duration;

/// A request of an audit log, prepared for a [`Recording`](super::Recording).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// The time at which the request arrived, in microseconds since 1970.
    pub received_us: i64,
    /// The class of the request in its recording.
    pub class: u32,
    /// How long the request executed; none if the log does not have it: the server rejected the request, or the log ends
    /// before it. It then executes as long as the requests with the same verb and resource do on average.
    pub execution: Option<Duration>,
    /// The wait in a queue that the server recorded; none without [annotation](crate::audit::Event::queue_wait).
    pub observed: Option<Duration>,
    /// The client that sent the request: its user and user agent.
    pub client: u32,
    /// The time from the arrival to the response in the log; none if the log ends before it.
    pub took: Option<Duration>,
    /// Whether the server of the log rejected the request.
    pub rejected: bool,
    /// The time that the server needed before and after flow control; zero before
    /// [`separate_waits`](super::Recording::separate_waits).
    pub overhead: Duration,
}

impl Recorded {
    /// The longest time for which a request of a log executes or waits; the simulation continues until all requests have ended.
    pub(super) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

    /// The times between which the request executed, in microseconds since 1970; none without them.
    pub(super) fn execution_us(&self) -> Option<(i64, i64)> {
        let (execution, wait) = (self.execution?, self.wait());
        let began = after(self.received_us, wait);
        Some((began, after(began, execution)))
    }

    /// The wait of the request: recorded, or else the rest of its time.
    pub(super) fn wait(&self) -> Duration {
        let took = self.took.unwrap_or_default();
        let others = self.overhead.saturating_add(self.execution.unwrap_or(took));
        self.observed.unwrap_or(took.saturating_sub(others))
    }

    /// A request of a class; see the fields. Its client is 0, and it took its execution and its wait.
    pub fn new(
        received_us: i64,
        class: u32,
        execution: Option<Duration>,
        observed: Option<Duration>,
    ) -> Self {
        Self {
            received_us,
            class,
            execution,
            observed,
            client: 0,
            took: execution.map(|time| time.saturating_add(observed.unwrap_or_default())),
            rejected: false,
            overhead: Duration::ZERO,
        }
    }
}

/// The requests that a server cannot tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class {
    pub(super) flow: u32,
    pub(super) kind: u32,
    pub(super) work: Work,
    pub(super) deadline: Duration,
}
