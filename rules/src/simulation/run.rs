//! Running a load against a server, event after event.

use super::events::{Event, Events, Sending};
use super::load::{Arrivals, Client, Load, ServiceTime};
use super::random::Random;
use super::report::{Counts, FlowReport, LevelReport, Report, Sample};
use super::waits::Waits;
use crate::controller::{Admission, FlowController, LevelIndex, Ticket, wait_limit};
use crate::queueing::Rejection;
use k8s_flowcontrol_types::order;
use std::collections::BTreeMap;
use std::time::Duration;

/// The wait before a retry: the server's `Retry-After`.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// The number of samples over the duration of the load.
const SAMPLES: u32 = 120;
/// The number of events from one report of progress to the next.
const EVENTS_PER_PROGRESS: u64 = 1 << 16;

/// How far a simulation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The simulated time.
    pub at: Duration,
    /// The number of requests until then.
    pub requests: u64,
}

/// Runs a load against a server that is idle at time zero, and tells `progress` from time to time how far it has come.
///
/// Clients whose requests are not subject to flow control send nothing.
pub fn simulate(
    server: FlowController,
    load: &Load,
    seed: u64,
    progress: impl FnMut(Progress),
) -> Report {
    let mut run = Run::new(server, load, seed, ());
    run.run(progress);
    run.report()
}

/// Sees the lives of requests.
pub(super) trait Observer {
    fn before_arrival(&mut self, _: &FlowController, _: &Flow) {}
    fn rejected(&mut self, _: Duration, _: &Flow, _: Sending, _: Rejection) {}
    fn admitted(&mut self, _: Duration, _: &FlowController, _: &Flow, _: Sending, _: Ticket) {}
    fn dispatched(&mut self, _: Duration, _: Ticket) {}
    fn timed_out(&mut self, _: Duration, _: Ticket) {}
    fn finished(&mut self, _: Duration, _: Ticket) {}
}

impl Observer for () {}

/// A flow with its level.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) flow_schema: String,
    pub(super) flow_distinguisher: String,
    pub(super) level: LevelIndex,
    pub(super) hash: u64,
    pub(super) counts: Counts,
    waits: Waits,
}

/// A request that waits or executes.
#[derive(Clone, Copy, Debug)]
struct Pending {
    sending: Sending,
    arrived: Duration,
}

pub(super) struct Run<'a, O> {
    server: FlowController,
    load: &'a Load,
    events: Events,
    /// One for each group of clients.
    randoms: Vec<Random>,
    /// The flow of each user of each group.
    users: Vec<Vec<u32>>,
    /// The number of requests of each group.
    sent: Vec<u64>,
    flows: Vec<Flow>,
    counts: Vec<Counts>,
    /// By level and by the slot of the request.
    pending: Vec<Vec<Option<Pending>>>,
    samples: Vec<Vec<Sample>>,
    /// By level.
    waits: Vec<Waits>,
    dispatched: Vec<Ticket>,
    requests: u64,
    end: Duration,
    pub(super) observer: O,
}

impl<'a, O: Observer> Run<'a, O> {
    pub(super) fn new(server: FlowController, load: &'a Load, seed: u64, observer: O) -> Self {
        let mut new = Self {
            load,
            events: Events::default(),
            randoms: (0..load.clients.len() as u64)
                .map(|client| Random::new(seed, client))
                .collect(),
            users: Vec::new(),
            sent: vec![0; load.clients.len()],
            flows: Vec::new(),
            counts: vec![Counts::default(); load.clients.len()],
            pending: vec![Vec::new(); server.levels().count()],
            samples: vec![Vec::new(); server.levels().count()],
            waits: vec![Waits::default(); server.levels().count()],
            dispatched: Vec::new(),
            requests: 0,
            end: Duration::ZERO,
            server,
            observer,
        };
        new.find_flows();
        for (index, client) in load.clients.iter().enumerate() {
            if !new.users[index].is_empty() {
                new.start(index as u32, client);
            }
        }
        new.events.plan(Duration::ZERO, Event::Sample);
        new
    }

    /// Classifies the request of every user of every group.
    fn find_flows(&mut self) {
        let mut known: BTreeMap<(String, String), u32> = BTreeMap::new();
        for client in &self.load.clients {
            let own = [client.request.user.clone()];
            let users = match client.users.is_empty() {
                true => &own[..],
                false => &client.users,
            };
            let mut flows = Vec::new();
            for user in users {
                let mut request = client.request.clone();
                request.user.clone_from(user);
                let Some(found) = self.server.classify(&request) else {
                    continue;
                };
                let Some(level) = self.server.level(found.priority_level) else {
                    continue;
                };
                let key = (
                    found.flow_schema.to_owned(),
                    found.flow_distinguisher.to_owned(),
                );
                let hash = found.flow_hash();
                let all = &mut self.flows;
                let flow = *known
                    .entry(key)
                    .or_insert_with_key(|(schema, distinguisher)| {
                        all.push(Flow {
                            flow_schema: schema.clone(),
                            flow_distinguisher: distinguisher.clone(),
                            level,
                            hash,
                            counts: Counts::default(),
                            waits: Waits::default(),
                        });
                        all.len() as u32 - 1
                    });
                flows.push(flow);
            }
            self.users.push(flows);
        }
    }

    fn start(&mut self, index: u32, client: &Client) {
        match client.arrivals {
            Arrivals::Open { per_second } if per_second > 0.0 && per_second.is_finite() => {
                self.plan_next(client.start, index, per_second);
            }
            Arrivals::Open { .. } => {}
            Arrivals::Closed { clients, think } => {
                for number in 0..clients {
                    let wait = self.randoms[index as usize].exponential(think);
                    self.plan_new(
                        client.start.saturating_add(wait),
                        index,
                        Event::Again(index, number),
                    );
                }
            }
        }
    }

    /// Plans a new request, unless the group has ended by then.
    fn plan_new(&mut self, at: Duration, client: u32, event: Event) {
        let end = self.load.clients[client as usize]
            .end
            .min(self.load.duration);
        if at < end {
            self.events.plan(at, event);
        }
    }

    fn plan_next(&mut self, now: Duration, client: u32, per_second: f64) {
        let average = Duration::try_from_secs_f64(1.0 / per_second).unwrap_or(Duration::MAX);
        let wait = self.randoms[client as usize].exponential(average);
        // Time must go on.
        let wait = wait.max(Duration::from_nanos(1));
        self.plan_new(now.saturating_add(wait), client, Event::Next(client));
    }

    pub(super) fn run(&mut self, mut progress: impl FnMut(Progress)) {
        let mut events = 0_u64;
        while let Some(next) = self.events.next_time() {
            let own = self.server.next_event();
            let now = next.min(own);
            if own < next {
                self.server.advance(own);
            } else if let Some((_, event)) = self.events.pop() {
                self.handle(now, event);
            }
            self.note_dispatched(now);
            events += 1;
            if events.is_multiple_of(EVENTS_PER_PROGRESS) {
                let requests = self.requests;
                progress(Progress { at: now, requests });
            }
        }
    }

    fn handle(&mut self, now: Duration, event: Event) {
        match event {
            Event::Next(client) => {
                let number = self.sent[client as usize];
                if let Arrivals::Open { per_second } = self.load.clients[client as usize].arrivals {
                    self.plan_next(now, client, per_second);
                }
                // Which of the users sends is all that the number decides.
                self.send_first(now, client, number as u32);
            }
            Event::Again(client, number) => self.send_first(now, client, number),
            Event::Retry(sending) => self.send(now, sending),
            Event::EndOfPatience(ticket) => {
                if self.server.cancel(now, ticket)
                    && let Some(pending) = self.take(ticket)
                {
                    self.observer.timed_out(now, ticket);
                    self.count(pending.sending, |counts| counts.timed_out += 1);
                    self.retry(now, pending.sending);
                }
            }
            Event::EndOfExecution(ticket) => {
                self.observer.finished(now, ticket);
                self.server.finish(now, ticket);
                self.end = now;
                if let Some(pending) = self.take(ticket) {
                    self.think(now, pending.sending);
                }
            }
            Event::Sample => self.sample(now),
        }
    }

    fn send_first(&mut self, now: Duration, client: u32, number: u32) {
        self.sent[client as usize] += 1;
        let retries = self.load.clients[client as usize].retries;
        self.send(
            now,
            Sending {
                client,
                number,
                retries,
            },
        );
    }

    fn send(&mut self, now: Duration, sending: Sending) {
        let index = self.flow_of(sending);
        let client = &self.load.clients[sending.client as usize];
        self.requests += 1;
        // All that happens until now belongs to the state that the request meets.
        self.server.advance(now);
        self.observer
            .before_arrival(&self.server, &self.flows[index]);
        let flow = &self.flows[index];
        let admission = self.server.arrive(now, flow.level, flow.hash, client.work);
        self.count(sending, |counts| counts.arrived += 1);
        let ticket = match admission {
            Admission::Dispatched(ticket) => ticket,
            Admission::Queued(ticket) => {
                let end = now.saturating_add(wait_limit(client.deadline));
                self.events.plan(end, Event::EndOfPatience(ticket));
                ticket
            }
            Admission::Rejected(reason) => {
                self.observer
                    .rejected(now, &self.flows[index], sending, reason);
                self.count(sending, |counts| counts.rejected += 1);
                self.retry(now, sending);
                return;
            }
        };
        self.observer
            .admitted(now, &self.server, &self.flows[index], sending, ticket);
        let slots = &mut self.pending[ticket.level.index()];
        let slot = ticket.request.slot();
        if slot >= slots.len() {
            slots.resize(slot + 1, None);
        }
        slots[slot] = Some(Pending {
            sending,
            arrived: now,
        });
    }

    /// Sends a request with status 429 again, or gives up.
    fn retry(&mut self, now: Duration, sending: Sending) {
        self.end = now;
        let Some(retries) = sending.retries.checked_sub(1) else {
            self.count(sending, |counts| counts.failed += 1);
            self.think(now, sending);
            return;
        };
        self.count(sending, |counts| counts.retried += 1);
        let retry = Sending { retries, ..sending };
        self.events
            .plan(now.saturating_add(RETRY_AFTER), Event::Retry(retry));
    }

    /// Plans the next request of a client that waits for responses.
    fn think(&mut self, now: Duration, sending: Sending) {
        let client = sending.client;
        if let Arrivals::Closed { think, .. } = self.load.clients[client as usize].arrivals {
            let wait = self.randoms[client as usize].exponential(think);
            // Time must go on.
            let at = now.saturating_add(wait.max(Duration::from_nanos(1)));
            self.plan_new(at, client, Event::Again(client, sending.number));
        }
    }

    fn note_dispatched(&mut self, now: Duration) {
        let mut dispatched = std::mem::take(&mut self.dispatched);
        dispatched.extend(self.server.dispatched());
        for ticket in dispatched.drain(..) {
            let pending = &self.pending[ticket.level.index()];
            let Some(Pending { sending, arrived }) = pending[ticket.request.slot()] else {
                continue;
            };
            self.observer.dispatched(now, ticket);
            self.count(sending, |counts| counts.dispatched += 1);
            let index = self.flow_of(sending);
            let wait = now.saturating_sub(arrived);
            self.flows[index].waits.add(wait);
            self.waits[ticket.level.index()].add(wait);
            let client = sending.client as usize;
            let time = match self.load.clients[client].service_time {
                ServiceTime::Constant(time) => time,
                ServiceTime::Exponential(average) => self.randoms[client].exponential(average),
            };
            self.events
                .plan(now.saturating_add(time), Event::EndOfExecution(ticket));
        }
        self.dispatched = dispatched;
    }

    fn flow_of(&self, sending: Sending) -> usize {
        let users = &self.users[sending.client as usize];
        users[sending.number as usize % users.len()] as usize
    }

    fn take(&mut self, ticket: Ticket) -> Option<Pending> {
        self.pending[ticket.level.index()][ticket.request.slot()].take()
    }

    fn count(&mut self, sending: Sending, count: impl Fn(&mut Counts)) {
        let flow = self.flow_of(sending);
        count(&mut self.flows[flow].counts);
        count(&mut self.counts[sending.client as usize]);
    }

    fn sample(&mut self, now: Duration) {
        for (samples, level) in self.samples.iter_mut().zip(self.server.levels()) {
            samples.push(Sample {
                at: now,
                limit: level.limit,
                seats_in_use: level.queues.seats_in_use(),
                executing: level.queues.executing(),
                waiting: level.queues.waiting(),
            });
        }
        let every = (self.load.duration / SAMPLES).max(Duration::from_millis(1));
        // Requests of the load can end long after its last arrival.
        let until = match self.events.pending {
            0 => self.load.duration,
            _ => self.load.duration.saturating_mul(2),
        };
        if now + every <= until {
            self.events.plan(now + every, Event::Sample);
        }
    }

    fn report(self) -> Report {
        let mut levels = Vec::new();
        let parts = self.server.levels().zip(self.samples).zip(self.waits);
        for (index, ((level, samples), waits)) in parts.enumerate() {
            let mut counts = Counts::default();
            for flow in self.flows.iter().filter(|flow| flow.level.index() == index) {
                counts.add(&flow.counts);
            }
            let name = level.name.to_owned();
            levels.push(LevelReport {
                name,
                counts,
                waits,
                samples,
            });
        }
        let name_of = |level: LevelIndex| {
            levels
                .get(level.index())
                .map_or_else(String::new, |level| level.name.clone())
        };
        let mut flows: Vec<_> = self
            .flows
            .into_iter()
            .map(|flow| FlowReport {
                priority_level: name_of(flow.level),
                flow_schema: flow.flow_schema,
                flow_distinguisher: flow.flow_distinguisher,
                counts: flow.counts,
                waits: flow.waits,
            })
            .collect();
        order::sort_by(&mut flows, |left, right| {
            let key =
                |flow: &FlowReport| (flow.flow_schema.clone(), flow.flow_distinguisher.clone());
            key(left).cmp(&key(right))
        });
        order::sort_by(&mut levels, |left, right| left.name.cmp(&right.name));
        let names = self.load.clients.iter().map(|client| client.name.clone());
        Report {
            levels,
            flows,
            clients: names.zip(self.counts).collect(),
            end: self.end,
            requests: self.requests,
        }
    }
}
