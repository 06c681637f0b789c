//! A client of the log, and how long it pauses after responses.

use crate::simulation::connections::{Connections, Outcome};
use crate::simulation::logged::Recorded;
use std::collections::VecDeque;
use std::time::Duration;

/// A request that follows a response.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor {
    pub(super) request: Recorded,
    /// The time since the response, or since the end of its `Retry-After`.
    pub(super) think: Duration,
    pub(super) after: Outcome,
}

/// The pauses after one outcome.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pauses {
    sum: Duration,
    count: u32,
}

impl Pauses {
    pub(super) fn add(&mut self, think: Duration) {
        self.sum = self.sum.saturating_add(think);
        self.count = self.count.saturating_add(1);
    }

    pub(super) fn average(self) -> Option<Duration> {
        self.sum.checked_div(self.count)
    }
}

/// A client of the log.
///
/// Its requests keep their order, and not their connection: all connections of a client end together, as in the log.
#[derive(Debug, Default)]
pub(super) struct Client {
    pub(super) connections: Connections,
    /// Requests that wait for a response in the simulation.
    pub(super) next: VecDeque<Successor>,
    /// The last requests, which follow once more when the log ends before the simulation.
    pub(super) past: VecDeque<Successor>,
    /// The ends of simulated requests that still lack a successor, and the `Retry-After` of the rejected requests.
    pub(super) idle: Vec<(Duration, Option<Duration>)>,
    /// By [`Outcome`].
    pub(super) pauses: [Pauses; 3],
}

impl Client {
    /// How long the client pauses after a simulated response before a request of the log: as long as in the log, or after another
    /// outcome as long as it did on average.
    pub(super) fn pause(&self, successor: &Successor, retry_after: Option<Duration>) -> Duration {
        let [executed, rejected, ignored] = self.pauses;
        let (after, usual) = match (retry_after, successor.after) {
            (None, Outcome::Executed) | (Some(_), Outcome::Rejected | Outcome::Ignored) => {
                (successor.after, None)
            }
            (None, _) => (Outcome::Executed, executed.average()),
            (Some(_), _) if ignored.count > rejected.count => (Outcome::Ignored, ignored.average()),
            (Some(_), _) => (Outcome::Rejected, rejected.average()),
        };
        let think = usual.unwrap_or(successor.think);
        match after {
            Outcome::Rejected => think.saturating_add(retry_after.unwrap_or_default()),
            Outcome::Executed | Outcome::Ignored => think,
        }
    }
}
