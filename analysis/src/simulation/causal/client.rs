//! A client of the log, and how long it pauses after responses.

use crate::simulation::connections::{Connections, Outcome};
use crate::simulation::logged::Recorded;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// The least pause before a request that is sent once more: the last requests of a log may have taken no time, and would never end.
const LEAST_PAUSE: Duration = Duration::from_micros(100);

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
        let (sum, count) = (think, 1);
        *self = self.and(Self { sum, count });
    }

    fn and(self, other: Self) -> Self {
        Self {
            sum: self.sum.saturating_add(other.sum),
            count: self.count.saturating_add(other.count),
        }
    }

    pub(super) fn average(self) -> Option<Duration> {
        self.sum.checked_div(self.count)
    }
}

/// A response of the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Response {
    /// Its time, or the end of its `Retry-After` if the client waits for that.
    pub(super) since: i64,
    /// The request that follows, if it has been read.
    pub(super) next: Option<Successor>,
}

/// A client of the log.
///
/// The first simulated response has the successor of the first response of the log, and so on. So connections that wait for a long
/// `Retry-After` do not take the requests of those that do not wait.
#[derive(Debug, Default)]
pub(super) struct Client {
    pub(super) connections: Connections,
    /// The responses of the log that the simulation has not reached, by the end of the request and its number.
    pub(super) responses: BTreeMap<(i64, u64), Response>,
    /// The last requests, which follow once more when the log ends before the simulation.
    pub(super) past: VecDeque<Successor>,
    /// By [`Outcome`].
    pub(super) pauses: [Pauses; 3],
}

impl Client {
    /// One of the last requests once more.
    pub(super) fn again(&mut self) -> Option<Successor> {
        let mut successor = self.past.pop_front()?;
        successor.think = successor.think.max(LEAST_PAUSE);
        self.past.push_back(successor);
        Some(successor)
    }

    /// How long it pauses on average; no time before its first pause.
    pub(super) fn usual_pause(&self) -> Duration {
        let [executed, rejected, ignored] = self.pauses;
        let all = executed.and(rejected).and(ignored);
        all.average().unwrap_or_default()
    }

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
