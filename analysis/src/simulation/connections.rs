//! The connections of a client: which of them sends the next request of a log.

use std::collections::BTreeSet;

/// The response that a request follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Executed,
    /// The client waited until the end of `Retry-After`.
    Rejected,
    /// The client did not wait for the end of `Retry-After`.
    Ignored,
}

/// A connection that sends the next request of a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    /// The end of its last request, and the number of that.
    pub(super) last: (i64, u64),
    /// The time from which it thinks.
    pub(super) since: i64,
    pub(super) outcome: Outcome,
}

/// The connections of a client that have a response, or will have one, in microseconds of the log.
///
/// Logs do not have connections: of several that can send a request, the connection that has been free for the longest time sends it.
#[derive(Clone, Debug, Default)]
pub(super) struct Connections {
    /// The ends of the last requests, with their numbers.
    executed: BTreeSet<(i64, u64)>,
    /// Of the rejected requests, with the end of `Retry-After` first.
    rejected: BTreeSet<(i64, u64, i64)>,
}

impl Connections {
    /// Adds the end of a request and, if it was rejected, the end of its `Retry-After`, or its own end if the client ignores that.
    pub(super) fn add(&mut self, number: u64, end: i64, due: Option<i64>) {
        match due {
            Some(due) => self.rejected.insert((due, number, end)),
            None => self.executed.insert((end, number)),
        };
    }

    /// Takes the connection that sends a request. None if all are busy, or wait for the end of `Retry-After`: then the connection is new.
    ///
    /// At the end of `Retry-After` a connection sends at once, before others.
    pub(super) fn take(&mut self, received: i64) -> Option<Free> {
        let executed = self.executed.first().copied();
        let executed = executed.filter(|(end, _)| *end <= received);
        let rejected = self.rejected.first().copied();
        if let Some((due, number, end)) = rejected.filter(|(due, ..)| *due <= received) {
            let waited = due > end;
            if waited || executed.is_none_or(|(executed, _)| due <= executed) {
                self.rejected.pop_first();
                let outcome = match waited {
                    true => Outcome::Rejected,
                    false => Outcome::Ignored,
                };
                return Some(Free {
                    last: (end, number),
                    since: due,
                    outcome,
                });
            }
        }
        let last = executed?;
        self.executed.pop_first();
        Some(Free {
            last,
            since: last.0,
            outcome: Outcome::Executed,
        })
    }

    /// The end of the `Retry-After` for which a connection waits.
    pub(super) fn next_due(&self, received: i64) -> Option<i64> {
        let (due, _, end) = self.rejected.first()?;
        (*end <= received && *due > received).then_some(*due)
    }
}
