//! Recorded requests, sent again by clients that wait for responses.

mod client;

use super::logged::{Class, Recorded};
use super::loops::{Habit, of_clock};
use super::report::Observed;
use super::slowdown::Slowdown;
use super::source::{Facts, Source, Stretches};
use crate::times::after;
use client::{Client, Response, Successor};
use k8s_flowcontrol_rules::controller::{FlowController, LevelIndex};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::Duration;

/// A request that comes later than this after the last response of its client keeps the time of the log, in microseconds: a
/// timer or a person sent it, and not the response.
const LONGEST_THINK_US: i64 = 5_000_000;
/// The last requests of a client, which are sent again if it is faster than in the log.
const KEPT: usize = 32;

/// A recorded request on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub(super) recorded: Recorded,
    /// Whether its client waits for responses.
    is_awaited: bool,
}

/// Sends recorded requests, each after the response that its client waited for.
pub(super) struct Causal<I> {
    classes: Vec<Class>,
    /// The execution time of the requests for which it is unknown, by class: that of the last request for which it is known, and
    /// before that the average of the log.
    usual: Vec<Duration>,
    /// None if requests do not slow each other down.
    slowdown: Option<Slowdown>,
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
    habits: HashMap<u32, Habit>,
    plans: u64,
    now: Duration,
    /// The `Retry-After` of the request that ends now, if it was rejected.
    retry_after: Option<Duration>,
    /// The level of each flow.
    levels: Vec<LevelIndex>,
    /// Counts the rejections of the log, for their `Retry-After`; its configuration does not matter for that.
    log: FlowController,
}

impl<I: Iterator<Item = Recorded>> Causal<I> {
    pub(super) fn new(
        classes: Vec<Class>,
        (log, levels): (FlowController, Vec<LevelIndex>),
        (mut usual, slowdown): (Vec<Duration>, Option<Slowdown>),
        habits: HashMap<u32, Habit>,
        (first, last): (i64, i64),
        mut requests: I,
    ) -> Self {
        let average_speed = slowdown.as_ref().map_or(1.0, Slowdown::average);
        for time in &mut usual {
            *time = time.mul_f64(average_speed);
        }
        let flows = classes.iter().map(|class| class.flow as usize + 1).max();
        Self {
            duration: Duration::from_micros(last.abs_diff(first)),
            observed: vec![Observed::default(); flows.unwrap_or_default()],
            classes,
            usual,
            slowdown,
            first,
            unread: requests.next(),
            requests,
            clients: HashMap::new(),
            reads: 0,
            planned: BinaryHeap::new(),
            ready: HashMap::new(),
            habits,
            plans: 0,
            now: Duration::ZERO,
            retry_after: None,
            levels,
            log,
        }
    }

    /// The time of the log from its first request.
    pub(super) fn at(&self, us: i64) -> Duration {
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
        let habit = self.habits.get(&request.client).copied();
        let is_awaited = matches!(habit, Some(Habit::Waits | Habit::Hurries));
        let sending = Sending {
            recorded: request,
            is_awaited,
        };
        if !is_awaited {
            return self.start(at, sending);
        }
        let client = self.clients.entry(request.client).or_default();
        let free = client.connections.take(received);
        let ended = end(&request);
        let due = request.rejected.then(|| {
            let level = self.levels[flow as usize];
            let retry_after = self.log.reject(of_clock(received), level);
            match habit {
                Some(Habit::Hurries) => ended,
                _ => after(ended, retry_after),
            }
        });
        client.connections.add(self.reads, ended, due);
        let (since, next) = (due.unwrap_or(ended), None);
        let response = Response { since, next };
        client.responses.insert((ended, self.reads), response);
        let free = free.filter(|free| received.saturating_sub(free.since) <= LONGEST_THINK_US);
        let follows = free.and_then(|free| Some((free, client.responses.get_mut(&free.last)?)));
        let Some((free, response)) = follows else {
            return self.start(at, sending);
        };
        let think = Duration::from_micros(received.saturating_sub(free.since).unsigned_abs());
        let successor = Successor {
            request,
            think,
            after: free.outcome,
        };
        response.next = Some(successor);
        client.pauses[free.outcome as usize].add(think);
        client.past.push_back(successor);
        if client.past.len() > KEPT {
            client.past.pop_front();
        }
    }

    /// The request that follows the next response of a client; none if its connection ends. Reads the log until that is known.
    fn next_of(&mut self, client: u32) -> Option<Successor> {
        let last = after(self.first, self.duration);
        loop {
            let known = self.clients.get_mut(&client)?;
            let response = known.responses.first_key_value();
            let Some((&number, &Response { since, next })) = response else {
                // It is ahead of the log, and would not stop.
                return known.again().filter(|_| self.unread.is_none());
            };
            let until = since.saturating_add(LONGEST_THINK_US);
            let is_next = |request: &Recorded| request.received_us <= until && until < i64::MAX;
            if next.is_none() && self.unread.as_ref().is_some_and(is_next) {
                self.read();
                continue;
            }
            known.responses.remove(&number);
            if next.is_some() {
                return next;
            }
            // The log may have ended before its next request.
            let again = after(since, known.usual_pause());
            return known.again().filter(|_| again >= last);
        }
    }

    /// Forgets which requests follow a response: they come at the times of the log, or now.
    pub(super) fn interrupt(&mut self) {
        let mut clients: Vec<_> = self.clients.drain().collect();
        clients.sort_unstable_by_key(|(number, _)| *number);
        for (_, client) in clients {
            let responses = client.responses.into_values();
            for successor in responses.filter_map(|response| response.next) {
                let recorded = successor.request;
                let is_awaited = false;
                let sending = Sending {
                    recorded,
                    is_awaited,
                };
                self.start(self.at(recorded.received_us), sending);
            }
        }
        for sending in self.ready.values_mut() {
            sending.is_awaited = false;
        }
    }

    pub(super) fn flow(&self, class: u32) -> usize {
        self.classes[class as usize].flow as usize
    }

    fn start(&mut self, at: Duration, sending: Sending) {
        self.plans += 1;
        self.planned.push(Reverse((at.max(self.now), self.plans)));
        self.ready.insert(self.plans, sending);
    }
}

impl<I: Stretches> Causal<I> {
    /// Passes the requests before `until`, whose clients do not wait for responses: the class, the number and the last end of an execution.
    pub(super) fn pass_each(
        &mut self,
        until: Duration,
        mut passed: impl FnMut(u32, u64, Duration),
    ) {
        let end = |at: Duration, request: &Recorded| {
            at.saturating_add(request.execution.unwrap_or_default())
        };
        while let Some(Reverse((at, plan))) = self.planned.peek().copied()
            && at < until
        {
            self.planned.pop();
            if let Some(sending) = self.ready.remove(&plan) {
                let request = &sending.recorded;
                passed(request.class, 1, end(at, request));
            }
        }
        let first = self.first;
        let us = u64::try_from(until.as_micros()).unwrap_or(u64::MAX);
        let mut is_in_stretch = false;
        while let Some(at) = self.unread_at().filter(|at| *at < until)
            && let Some(request) = self.unread.take()
        {
            passed(request.class, 1, end(at, &request));
            if !is_in_stretch {
                is_in_stretch = true;
                let until_us = first.saturating_add_unsigned(us);
                self.requests.pass(until_us, |class, count, end_us| {
                    let end = end_us.saturating_sub(first).max(0).unsigned_abs();
                    passed(class, count, Duration::from_micros(end));
                });
            }
            self.unread = self.requests.next();
        }
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

    fn clock_phase(&self) -> Duration {
        Duration::from_micros(self.first.rem_euclid(1_000_000).unsigned_abs())
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
        let usual = &mut self.usual[request.class as usize];
        let Some(execution) = request.execution else {
            return *usual;
        };
        *usual = match (&self.slowdown, request.execution_us()) {
            (Some(slowdown), Some((began, ended))) => {
                Duration::from_nanos((slowdown.alone(began, ended) * 1000.0) as u64)
            }
            _ => execution,
        };
        *usual
    }

    fn rejected(&mut self, _: Duration, _: Sending, retry_after: Duration) -> bool {
        self.retry_after = Some(retry_after);
        false
    }

    fn known_execution(&self, sending: Sending) -> Option<Duration> {
        let is_known = !sending.is_awaited && self.slowdown.is_none();
        sending.recorded.execution.filter(|_| is_known)
    }

    fn is_settled(&mut self, _: Duration) -> bool {
        self.slowdown.is_none()
            && self
                .clients
                .values()
                .all(|client| client.responses.is_empty())
            && self.ready.values().all(|sending| !sending.is_awaited)
    }

    fn completed(&mut self, now: Duration, sending: Sending) {
        let retry_after = self.retry_after.take();
        self.now = self.now.max(now);
        if !sending.is_awaited {
            return;
        }
        let number = sending.recorded.client;
        let Some(successor) = self.next_of(number) else {
            return;
        };
        let answered = now.saturating_add(sending.recorded.overhead);
        let client = self.clients.entry(number).or_default();
        let at = answered.saturating_add(client.pause(&successor, retry_after));
        if at <= self.duration {
            let sending = Sending {
                recorded: successor.request,
                is_awaited: true,
            };
            self.start(at, sending);
        }
    }
}

/// The end of a request in microseconds of the log; the largest time if the log ends before it.
fn end(request: &Recorded) -> i64 {
    let took = request.took;
    took.map_or(i64::MAX, |took| after(request.received_us, took))
}
