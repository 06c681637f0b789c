//! Which clients of a log wait for a response, and for the end of `Retry-After`, before they send their next request.

use super::connections::Connections;
use super::logged::Recorded;
use crate::times::after;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::Duration;

/// A client with this many more requests on average than its arriving requests meet waits for its responses.
///
/// Requests that arrive at random times meet the average number. A client with a fixed number of connections sends
/// while a connection is free, so its requests meet up to one less. In between, responses are short compared with
/// pauses, and both models agree.
const FEWER_MET: f64 = 0.3;
/// Fewer requests do not characterize a client.
const LEAST_REQUESTS: u64 = 10;

/// A client ignores `Retry-After` if it has more early requests than this part of its rejections: connections that are new come early
/// once.
const EARLY: f64 = 0.3;

/// When a client sends its next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Habit {
    /// At times that do not depend on responses.
    Independent,
    /// After a response, and after a rejection not before the end of `Retry-After`.
    Waits,
    /// After a response, without regard to `Retry-After`.
    Hurries,
}

/// A time in microseconds since 1970 as that of a server's clock, by whose seconds `Retry-After` changes.
pub(super) fn of_clock(us: i64) -> Duration {
    Duration::from_micros(us.max(0).unsigned_abs())
}

/// How many times overlap on average, and how many of them each meets.
#[derive(Debug, Default)]
struct Overlap {
    /// The ends of the times that have begun, in microseconds.
    open: BinaryHeap<Reverse<i64>>,
    /// The sum, over all times, of the times that each of them met.
    met: u64,
    /// The integral of the number of open times until `now`, in microseconds.
    integral: u64,
    now: i64,
}

impl Overlap {
    fn add(&mut self, began: i64, end: i64) {
        self.end_until(began);
        self.pass(began);
        self.met += self.open.len() as u64;
        self.open.push(Reverse(end));
    }

    /// Lets the times end that end by `until`.
    fn end_until(&mut self, until: i64) {
        while let Some(Reverse(end)) = self.open.peek().copied()
            && end <= until
        {
            self.pass(end);
            self.open.pop();
        }
    }

    fn pass(&mut self, until: i64) {
        let time = until.saturating_sub(self.now).max(0).unsigned_abs();
        let open = self.open.len() as u64;
        self.integral = self.integral.saturating_add(time.saturating_mul(open));
        self.now = self.now.max(until);
    }

    /// Whether the requests meet fewer than if they came at random times.
    fn has_fewer_met(&self, requests: u64, first: i64) -> bool {
        let period = self.now.saturating_sub(first).max(1) as f64;
        let met = self.met as f64 / requests.max(1) as f64;
        self.integral as f64 / period - met >= FEWER_MET
    }
}

/// The requests that a client has at the same time.
#[derive(Debug, Default)]
struct Concurrency {
    connections: Connections,
    rejected: u64,
    /// The requests for which there was no connection, unless a request did not wait for the end of `Retry-After`.
    early: u64,
    requests: u64,
    first: i64,
    /// The requests, and the requests with the time until the end of `Retry-After`: connections that were rejected together come back
    /// together, so that their requests alone look as if they met many by chance.
    alone: Overlap,
    with_retry_after: Overlap,
}

impl Concurrency {
    fn add(&mut self, request: &Recorded, retry_after: Option<Duration>) {
        let received = request.received_us;
        let end = after(received, request.took.unwrap_or_default());
        if self.requests == 0 {
            self.first = received;
        }
        self.requests += 1;
        if self.connections.take(received).is_none() && self.connections.any_waits(received) {
            self.early += 1;
        }
        self.rejected += u64::from(retry_after.is_some());
        let due = retry_after.map(|retry_after| after(end, retry_after));
        self.alone.add(received, end);
        self.with_retry_after.add(received, due.unwrap_or(end));
        self.connections.add(self.requests, end, due);
    }

    fn habit(mut self) -> Habit {
        let hurries = self.early as f64 > self.rejected as f64 * EARLY;
        // Requests that pile up until the end of the log do not wait for each other.
        self.alone.end_until(i64::MAX);
        let is_loop = |overlap: &Overlap| overlap.has_fewer_met(self.requests, self.first);
        let comes_back = self.rejected > 0 && !hurries && is_loop(&self.with_retry_after);
        let is_loop = is_loop(&self.alone) || comes_back;
        match (self.requests < LEAST_REQUESTS || !is_loop, hurries) {
            (true, _) => Habit::Independent,
            (false, true) => Habit::Hurries,
            (false, false) => Habit::Waits,
        }
    }
}

/// The habit of each client. The requests are sorted by time; rejected requests have their `Retry-After`.
pub(super) fn habits(
    requests: impl Iterator<Item = (Recorded, Option<Duration>)>,
) -> HashMap<u32, Habit> {
    let mut clients: HashMap<u32, Concurrency> = HashMap::new();
    for (request, retry_after) in requests {
        let client = clients.entry(request.client).or_default();
        client.add(&request, retry_after);
    }
    let clients = clients.into_iter();
    clients
        .map(|(client, found)| (client, found.habit()))
        .collect()
}
