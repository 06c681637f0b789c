//! Recorded requests, sent again by clients that wait for responses.

use super::logged::{Class, Recorded};
use super::report::Observed;
use super::slowdown::Slowdown;
use super::source::{Facts, Source};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

/// A request that comes later than this after the last response of its client keeps the time of the log, in microseconds: a
/// timer or a person sent it, and not the response.
const LONGEST_THINK_US: i64 = 5_000_000;
/// The last requests of a client, which are sent again if it is faster than in the log.
const KEPT: usize = 32;
/// The header `Retry-After` of a rejection.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// A recorded request on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub(super) recorded: Recorded,
    /// Whether its client waits for responses.
    is_awaited: bool,
}

/// A request that follows a response.
#[derive(Clone, Copy, Debug)]
struct Successor {
    request: Recorded,
    /// The time since the response.
    think: Duration,
    /// Whether the server of the log rejected the request before it.
    rejection: bool,
}

/// The pauses after one outcome.
#[derive(Clone, Copy, Debug, Default)]
struct Pauses {
    sum: Duration,
    count: u32,
}

/// A client of the log.
///
/// Its requests keep their order, and not their connection: all connections of a client end together, as in the log.
#[derive(Debug, Default)]
struct Client {
    /// The ends of the last requests of its connections in microseconds of the log, with their numbers, and whether they were
    /// rejected.
    ends: BTreeSet<(i64, u64, bool)>,
    /// Requests that wait for a response in the simulation.
    next: VecDeque<Successor>,
    /// The last requests, which follow once more when the log ends before the simulation.
    past: VecDeque<Successor>,
    /// The ends of simulated requests that still lack a successor, and whether they were rejected.
    idle: Vec<(Duration, bool)>,
    /// After a response, and after a rejection.
    pauses: [Pauses; 2],
}

/// Sends recorded requests, each after the response that its client waited for.
pub(super) struct Causal<I> {
    classes: Vec<Class>,
    /// The execution time of the requests for which it is unknown, by kind.
    averages: Vec<Duration>,
    /// None if requests do not slow each other down.
    slowdown: Option<Slowdown>,
    /// In the log; 1 if requests do not slow each other down.
    average_speed: f64,
    /// The time of the first request, and the time from it to the last one.
    first: i64,
    duration: Duration,
    /// The log, by flow.
    pub(super) observed: Vec<Observed>,
    unread: Option<Recorded>,
    requests: I,
    clients: HashMap<u32, Client>,
    reads: u64,
    /// By time and number of the plan.
    planned: BinaryHeap<Reverse<(Duration, u64)>>,
    /// The planned requests by the number of the plan.
    ready: HashMap<u64, Sending>,
    /// Whether each client waits for its responses.
    waiting: HashMap<u32, bool>,
    plans: u64,
    now: Duration,
    /// Whether the request that ends now was rejected.
    is_rejection: bool,
}

impl<I: Iterator<Item = Recorded>> Causal<I> {
    pub(super) fn new(
        classes: Vec<Class>,
        (averages, slowdown): (Vec<Duration>, Option<Slowdown>),
        waiting: HashMap<u32, bool>,
        (first, last): (i64, i64),
        mut requests: I,
    ) -> Self {
        let flows = classes.iter().map(|class| class.flow as usize + 1).max();
        Self {
            duration: Duration::from_micros(last.abs_diff(first)),
            observed: vec![Observed::default(); flows.unwrap_or_default()],
            classes,
            averages,
            average_speed: slowdown.as_ref().map_or(1.0, Slowdown::average),
            slowdown,
            first,
            unread: requests.next(),
            requests,
            clients: HashMap::new(),
            reads: 0,
            planned: BinaryHeap::new(),
            ready: HashMap::new(),
            waiting,
            plans: 0,
            now: Duration::ZERO,
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

    /// Reads the next request: it starts at its time, or follows a response of its client.
    fn read(&mut self) {
        let Some(request) = self.unread.take() else {
            return;
        };
        self.unread = self.requests.next();
        self.reads += 1;
        let flow = self.classes[request.class as usize].flow;
        self.observed[flow as usize].add(&request);
        let received = request.received_us;
        let at = self.at(received);
        let is_awaited = self.waiting.get(&request.client) == Some(&true);
        let sending = Sending {
            recorded: request,
            is_awaited,
        };
        if !is_awaited {
            return self.start(at, sending);
        }
        let client = self.clients.entry(request.client).or_default();
        // The connection that has been free for the longest time.
        let free = client.ends.first().copied();
        let free = free.filter(|(end, ..)| *end <= received);
        if let Some(free) = &free {
            client.ends.remove(free);
        }
        client
            .ends
            .insert((end(&request), self.reads, request.rejected));
        match free {
            Some((before, _, rejection)) if received.saturating_sub(before) <= LONGEST_THINK_US => {
                let think = Duration::from_micros(received.saturating_sub(before).unsigned_abs());
                let pauses = &mut client.pauses[usize::from(rejection)];
                pauses.sum = pauses.sum.saturating_add(think);
                pauses.count = pauses.count.saturating_add(1);
                let successor = Successor {
                    request,
                    think,
                    rejection,
                };
                client.next.push_back(successor);
                client.past.push_back(successor);
                if client.past.len() > KEPT {
                    client.past.pop_front();
                }
                self.follow(request.client);
            }
            _ => self.start(at, sending),
        }
    }

    /// Plans the next request of a client that has one and an idle connection.
    fn follow(&mut self, client: u32) {
        let Some(client) = self.clients.get_mut(&client) else {
            return;
        };
        let oldest = self
            .now
            .saturating_sub(Duration::from_micros(LONGEST_THINK_US.unsigned_abs()));
        client.idle.retain(|(ended, _)| *ended >= oldest);
        if client.idle.is_empty() {
            return;
        }
        let mut successor = client.next.pop_front();
        if successor.is_none() && self.unread.is_none() {
            // The client is ahead of the log, and would not stop.
            successor = client.past.pop_front();
            client.past.extend(successor);
        }
        let Some(successor) = successor else {
            return;
        };
        let Some((ended, rejected)) = client.idle.pop() else {
            return;
        };
        let think = successor.think;
        let pause = if successor.rejection == rejected {
            think
        } else {
            let pauses = client.pauses[usize::from(rejected)];
            let usual = pauses.sum.checked_div(pauses.count);
            usual.unwrap_or_else(|| match rejected {
                true => think.max(RETRY_AFTER),
                false => think.saturating_sub(RETRY_AFTER),
            })
        };
        let sending = Sending {
            recorded: successor.request,
            is_awaited: true,
        };
        let at = ended.saturating_add(pause);
        if at <= self.duration {
            self.start(at, sending);
        }
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
            overhead: Some(request.overhead),
        }
    }

    fn execution_time(&mut self, sending: Sending, _: Duration) -> Duration {
        let request = &sending.recorded;
        let kind = self.classes[request.class as usize].kind;
        let Some(execution) = request.execution else {
            let average = self.averages[kind as usize];
            return average.mul_f64(self.average_speed);
        };
        match (&self.slowdown, request.execution_us()) {
            (Some(slowdown), Some((began, ended))) => {
                Duration::from_nanos((slowdown.alone(began, ended) * 1000.0) as u64)
            }
            _ => execution,
        }
    }

    fn rejected(&mut self, _: Duration, _: Sending) -> bool {
        self.is_rejection = true;
        false
    }

    fn completed(&mut self, now: Duration, sending: Sending) {
        let rejection = std::mem::take(&mut self.is_rejection);
        self.now = self.now.max(now);
        if !sending.is_awaited {
            return;
        }
        let number = sending.recorded.client;
        let answered = now.saturating_add(sending.recorded.overhead);
        self.clients
            .entry(number)
            .or_default()
            .idle
            .push((answered, rejection));
        // The successor is at most so late in the log.
        let until = end(&sending.recorded).saturating_add(LONGEST_THINK_US);
        let has_next = |clients: &HashMap<u32, Client>| {
            let client = clients.get(&number);
            client.is_some_and(|client| !client.next.is_empty() || client.idle.is_empty())
        };
        while until < i64::MAX
            && !has_next(&self.clients)
            && self
                .unread
                .is_some_and(|request| request.received_us <= until)
        {
            self.read();
        }
        self.follow(number);
    }
}

/// The end of a request in microseconds of the log; the largest time if the log ends before it.
fn end(request: &Recorded) -> i64 {
    match request.took {
        Some(took) => request
            .received_us
            .saturating_add_unsigned(took.as_micros() as u64),
        None => i64::MAX,
    }
}
