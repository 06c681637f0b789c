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
/// The least length of a window, in microseconds, unless a pause ends it: the load hardly changes in it, and it has several requests of each connection.
const WINDOW_US: u64 = 60_000_000;
/// Longer pauses end a window, in microseconds.
const LONGEST_PAUSE_US: u64 = 5_000_000;
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
///
/// The load of a client changes, and it may send nothing for hours. So the times of each [`Window`] are compared, and long pauses
/// belong to none.
#[derive(Debug, Default)]
struct Overlap {
    /// The ends of the times that have begun, in microseconds, with the number of their window.
    open: BinaryHeap<Reverse<(i64, u64)>>,
    now: Option<i64>,
    window: Window,
    /// The number of windows before.
    windows: u64,
    /// The sum, over their times, of how many fewer each met than the average.
    fewer_met: f64,
    times: f64,
}

/// A part of the time, from one beginning to another.
#[derive(Debug, Default)]
struct Window {
    /// Up to the last beginning, and since that.
    until_last: Integral,
    since_last: Integral,
    /// The number of times that began in this window, how many of them are open, and how many times all of them met.
    times: u64,
    open: u64,
    met: u64,
}

/// A length in microseconds, and the integrals over it of the number of open times: of all, and of the times that began in the window.
#[derive(Clone, Copy, Debug, Default)]
struct Integral {
    length: u64,
    all: u64,
    own: u64,
}

impl Window {
    /// How many fewer others its times met, on average, than if they came at random times. A connection changes that by less than one: more is a
    /// change of the load.
    fn fewer_met(&self) -> f64 {
        let times = self.times.max(1) as f64;
        let Integral { length, all, own } = self.until_last;
        let average = (all as f64 * times - own as f64) / length.max(1) as f64;
        ((average - self.met as f64) / times).clamp(-1.0, 1.0)
    }
}

impl Overlap {
    fn add(&mut self, began: i64, end: i64) {
        self.end_until(began);
        self.pass(began);
        if self.window.until_last.length >= WINDOW_US {
            self.close();
        }
        let window = &mut self.window;
        let Integral { length, all, own } = std::mem::take(&mut window.since_last);
        window.until_last.length += length;
        window.until_last.all = window.until_last.all.saturating_add(all);
        window.until_last.own = window.until_last.own.saturating_add(own);
        window.met += self.open.len() as u64;
        window.times += 1;
        window.open += 1;
        self.open.push(Reverse((end, self.windows)));
    }

    fn end_until(&mut self, until: i64) {
        while let Some(Reverse((end, window))) = self.open.peek().copied()
            && end <= until
        {
            self.pass(end);
            self.open.pop();
            self.window.open -= u64::from(window == self.windows);
        }
    }

    fn pass(&mut self, until: i64) {
        let now = self.now.unwrap_or(until);
        self.now = Some(now.max(until));
        let time = until.saturating_sub(now).max(0).unsigned_abs();
        let open = self.open.len() as u64;
        if open == 0 && time > LONGEST_PAUSE_US {
            return self.close();
        }
        let since = &mut self.window.since_last;
        since.length += time;
        since.all = since.all.saturating_add(time.saturating_mul(open));
        since.own = since
            .own
            .saturating_add(time.saturating_mul(self.window.open));
    }

    fn close(&mut self) {
        let window = std::mem::take(&mut self.window);
        self.windows += 1;
        self.times += window.times as f64;
        self.fewer_met += window.fewer_met() * window.times as f64;
    }

    /// Whether the times meet fewer than if they came at random times.
    fn has_fewer_met(&mut self) -> bool {
        self.close();
        self.fewer_met >= FEWER_MET * self.times
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
    /// The requests, and the requests with the time until the end of `Retry-After`: connections that were rejected together come back
    /// together, so that their requests alone look as if they met many by chance.
    alone: Overlap,
    with_retry_after: Overlap,
}

impl Concurrency {
    fn add(&mut self, request: &Recorded, retry_after: Option<Duration>) {
        let received = request.received_us;
        let end = after(received, request.took.unwrap_or_default());
        self.requests += 1;
        if self.connections.take(received).is_none()
            && self.connections.next_due(received).is_some()
        {
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
        let comes_back = self.rejected > 0 && !hurries && self.with_retry_after.has_fewer_met();
        let is_loop = self.alone.has_fewer_met() || comes_back;
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
