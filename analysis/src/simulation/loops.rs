//! Which clients of a log wait for a response before they send their next request.

use super::logged::Recorded;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A client with this many more requests on average than its arriving requests meet waits for its responses.
///
/// Requests that arrive at random times meet the average number. A client with a fixed number of connections sends
/// while a connection is free, so its requests meet up to one less. In between, responses are short compared with
/// pauses, and both models agree.
const FEWER_MET: f64 = 0.3;
/// Fewer requests do not characterize a client.
const LEAST_REQUESTS: u64 = 10;

/// The requests that a client has at the same time.
#[derive(Debug, Default)]
struct Concurrency {
    /// The ends of requests, in microseconds.
    open: BinaryHeap<Reverse<i64>>,
    requests: u64,
    /// The sum, over all requests, of the requests that each of them met.
    met: u64,
    /// The sum of response times, in microseconds.
    took: u64,
    first: i64,
    last: i64,
}

impl Concurrency {
    fn add(&mut self, request: &Recorded) {
        let received = request.received_us;
        let took = request.took.unwrap_or_default().as_micros() as u64;
        let end = received.saturating_add_unsigned(took);
        if self.requests == 0 {
            (self.first, self.last) = (received, end);
        }
        while self
            .open
            .peek()
            .is_some_and(|Reverse(end)| *end <= received)
        {
            self.open.pop();
        }
        self.requests += 1;
        self.met += self.open.len() as u64;
        self.took = self.took.saturating_add(took);
        self.last = self.last.max(end);
        self.open.push(Reverse(end));
    }

    fn waits_for_responses(&self) -> bool {
        let period = self.last.saturating_sub(self.first).max(1) as f64;
        let met = self.met as f64 / self.requests.max(1) as f64;
        self.requests >= LEAST_REQUESTS && self.took as f64 / period - met >= FEWER_MET
    }
}

/// Whether each client waits for its responses; the requests are sorted by time.
pub(super) fn waiting_clients(requests: impl Iterator<Item = Recorded>) -> HashMap<u32, bool> {
    let mut clients: HashMap<u32, Concurrency> = HashMap::new();
    for request in requests {
        clients.entry(request.client).or_default().add(&request);
    }
    let clients = clients.into_iter();
    clients
        .map(|(client, found)| (client, found.waits_for_responses()))
        .collect()
}
