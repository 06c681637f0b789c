//! Recorded requests, sent again by clients that wait for responses.

use super::hidden::Estimates;
use super::recorded::{Class, Recorded};
use super::source::{Facts, Source};
use super::tally::SHORTEST_ANNOTATED;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

/// A request that comes later than this after the last response of its client keeps the time of the log, in microseconds: a
/// timer or a person sent it, and not the response.
const LONGEST_THINK_US: i64 = 5_000_000;
/// The header `Retry-After` of a rejection.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// A recorded request on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub(super) recorded: Recorded,
    /// None for a client that does not wait for responses.
    chain: Option<u32>,
}

/// The start of a request.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// At this time of the log.
    At(Duration),
    /// So long after the response of the predecessor, which the server of the log rejected or not.
    After { think: Duration, rejection: bool },
}

/// One of the requests that a client has at the same time, with those that follow it.
#[derive(Debug, Default)]
struct Chain {
    /// The end of its last request that was read, in microseconds of the log, and whether that was rejected.
    last: Option<(i64, bool)>,
    /// Requests whose predecessors have not ended.
    next: VecDeque<(Start, Recorded)>,
    /// The end of the last request in the simulation, and whether it was rejected; none while a request is planned or executes.
    idle: Option<(Duration, bool)>,
    /// The end of the request that is planned or executes, in microseconds of the log.
    current_end: i64,
}

/// The pauses after one outcome.
#[derive(Clone, Copy, Debug, Default)]
struct Pauses {
    sum: Duration,
    count: u32,
}

/// A client of the log.
#[derive(Debug, Default)]
struct Client {
    /// Its chains by the end of their last request.
    chains: BTreeSet<(i64, u32)>,
    /// After a response, and after a rejection.
    pauses: [Pauses; 2],
}

/// Sends recorded requests, each after the response that its client waited for.
pub(super) struct Causal<I> {
    classes: Vec<Class>,
    /// The execution time of the requests for which it is unknown, by kind.
    averages: Vec<Duration>,
    /// The time of the first request.
    first: i64,
    unread: Option<Recorded>,
    requests: I,
    clients: HashMap<u32, Client>,
    chains: Vec<Chain>,
    /// By time and number of the plan.
    planned: BinaryHeap<Reverse<(Duration, u64)>>,
    /// The planned requests by the number of the plan.
    ready: HashMap<u64, Sending>,
    /// Whether each client waits for its responses.
    waiting: HashMap<u32, bool>,
    plans: u64,
    now: Duration,
    /// The part of a time in the log that is a wait without annotation.
    estimates: Estimates,
    /// The same part in this simulation.
    pub(super) seen: Estimates,
    /// Whether the server of the log annotates waits.
    is_annotated: bool,
    /// Whether the request that ends now was rejected.
    is_rejection: bool,
}

impl<I: Iterator<Item = Recorded>> Causal<I> {
    pub(super) fn new(
        classes: Vec<Class>,
        averages: Vec<Duration>,
        waiting: HashMap<u32, bool>,
        (estimates, is_annotated): (Estimates, bool),
        first: i64,
        mut requests: I,
    ) -> Self {
        Self {
            classes,
            averages,
            first,
            unread: requests.next(),
            requests,
            clients: HashMap::new(),
            chains: Vec::new(),
            planned: BinaryHeap::new(),
            ready: HashMap::new(),
            waiting,
            plans: 0,
            now: Duration::ZERO,
            estimates,
            seen: Estimates::default(),
            is_annotated,
            is_rejection: false,
        }
    }

    /// The time of the log from its first request.
    fn at(&self, us: i64) -> Duration {
        Duration::from_micros(us.saturating_sub(self.first).max(0).unsigned_abs())
    }

    /// The time of the next request that was not read; a request out of order is late.
    fn unread_at(&self) -> Option<Duration> {
        let request = self.unread.as_ref()?;
        Some(self.at(request.received_us).max(self.now))
    }

    /// Reads the next request, and gives it to a chain of its client.
    fn read(&mut self) {
        let Some(request) = self.unread.take() else {
            return;
        };
        self.unread = self.requests.next();
        let received = request.received_us;
        if self.waiting.get(&request.client) != Some(&true) {
            let (at, chain) = (self.at(received), None);
            return self.start(
                at,
                Sending {
                    recorded: request,
                    chain,
                },
            );
        }
        let client = self.clients.entry(request.client).or_default();
        // The connection that has been free for the longest time.
        let free = client
            .chains
            .first()
            .copied()
            .filter(|(end, _)| *end <= received);
        let index = match free {
            Some(entry) => {
                client.chains.remove(&entry);
                entry.1
            }
            None => {
                self.chains.push(Chain {
                    idle: Some((Duration::ZERO, false)),
                    ..Chain::default()
                });
                // More chains do not fit into memory.
                self.chains.len() as u32 - 1
            }
        };
        let end = match request.took {
            Some(took) => received.saturating_add_unsigned(took.as_micros() as u64),
            None => i64::MAX,
        };
        client.chains.insert((end, index));
        let chain = &mut self.chains[index as usize];
        let start = match chain.last.replace((end, request.rejected)) {
            Some((before, rejection)) if received.saturating_sub(before) <= LONGEST_THINK_US => {
                let think = Duration::from_micros(received.saturating_sub(before).unsigned_abs());
                let pauses = &mut client.pauses[usize::from(rejection)];
                pauses.sum = pauses.sum.saturating_add(think);
                pauses.count = pauses.count.saturating_add(1);
                Start::After { think, rejection }
            }
            _ => Start::At(Duration::from_micros(
                received.saturating_sub(self.first).max(0).unsigned_abs(),
            )),
        };
        chain.next.push_back((start, request));
        self.plan(index);
    }

    /// Plans the next request of a chain that is idle.
    fn plan(&mut self, index: u32) {
        let chain = &mut self.chains[index as usize];
        let Some((ended, rejected)) = chain.idle else {
            return;
        };
        let Some((start, request)) = chain.next.pop_front() else {
            return;
        };
        chain.idle = None;
        chain.current_end = match (request.took, chain.next.is_empty(), chain.last) {
            (_, true, Some((end, _))) => end,
            (Some(took), ..) => request
                .received_us
                .saturating_add_unsigned(took.as_micros() as u64),
            _ => i64::MAX,
        };
        let at = match start {
            Start::At(at) => at,
            Start::After { think, rejection } if rejection == rejected => {
                ended.saturating_add(think)
            }
            Start::After { think, .. } => {
                let client = self.clients.get(&request.client);
                let pauses = client.map(|client| client.pauses[usize::from(rejected)]);
                let usual = pauses.and_then(|pauses| pauses.sum.checked_div(pauses.count));
                let pause = usual.unwrap_or_else(|| match rejected {
                    true => think.max(RETRY_AFTER),
                    false => think.saturating_sub(RETRY_AFTER),
                });
                ended.saturating_add(pause)
            }
        };
        let chain = Some(index);
        self.start(
            at,
            Sending {
                recorded: request,
                chain,
            },
        );
    }

    fn start(&mut self, at: Duration, sending: Sending) {
        self.plans += 1;
        self.planned.push(Reverse((at.max(self.now), self.plans)));
        self.ready.insert(self.plans, sending);
    }
}

impl<I: Iterator<Item = Recorded>> Source for Causal<I> {
    type Request = Sending;

    fn next_arrival(&self) -> Option<Duration> {
        let planned = self.planned.peek().map(|Reverse((at, ..))| *at);
        match (planned, self.unread_at()) {
            (Some(planned), Some(unread)) => Some(planned.min(unread)),
            (planned, unread) => planned.or(unread),
        }
    }

    /// Sends the next request; none if the log has to be read first.
    fn send(&mut self) -> Option<Sending> {
        let planned = self.planned.peek().map(|Reverse((at, ..))| *at);
        if let Some(unread) = self.unread_at()
            && planned.is_none_or(|planned| unread <= planned)
        {
            self.now = unread;
            self.read();
            return None;
        }
        let Reverse((at, plan)) = self.planned.pop()?;
        self.now = at;
        self.ready.remove(&plan)
    }

    fn facts(&self, sending: Sending) -> Facts {
        let request = &sending.recorded;
        let class = &self.classes[request.class as usize];
        Facts {
            flow: class.flow as usize,
            group: class.kind as usize,
            retries_left: 0,
            work: class.work,
            deadline: class.deadline,
            observed: request.observed,
            observed_rejection: request.rejected,
        }
    }

    fn execution_time(&mut self, sending: Sending, wait: Duration) -> Duration {
        let request = &sending.recorded;
        let kind = self.classes[request.class as usize].kind;
        let Some(execution) = request.execution else {
            return self.averages[kind as usize];
        };
        let time = match request.observed {
            Some(_) => execution,
            None => self.estimates.execution(request.client, kind, execution),
        };
        if !self.is_annotated || wait.saturating_add(time) <= SHORTEST_ANNOTATED {
            self.seen.add(request.client, kind, wait, time);
        }
        time
    }

    fn rejected(&mut self, _: Duration, _: Sending) -> bool {
        self.is_rejection = true;
        false
    }

    fn completed(&mut self, now: Duration, sending: Sending) {
        let rejection = std::mem::take(&mut self.is_rejection);
        self.now = self.now.max(now);
        let Some(index) = sending.chain else {
            return;
        };
        // The successor is at most so late in the log.
        let until = self.chains[index as usize]
            .current_end
            .saturating_add(LONGEST_THINK_US);
        while self.chains[index as usize].next.is_empty()
            && until < i64::MAX
            && self
                .unread
                .is_some_and(|request| request.received_us <= until)
        {
            self.read();
        }
        self.chains[index as usize].idle = Some((now, rejection));
        self.plan(index);
    }
}
