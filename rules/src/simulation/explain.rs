//! The lives of the requests of one flow.

use super::events::Sending;
use super::load::Load;
use super::run::{Flow, Observer, Run};
use crate::controller::{FlowController, Ticket};
use crate::queueing::{QueueSet, Rejection, SeatSeconds};
use std::collections::BTreeMap;
use std::time::Duration;

/// The life of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Life {
    /// The group of clients.
    pub client: String,
    /// The time of arrival.
    pub arrived: Duration,
    /// The number of retries that are left.
    pub retries_left: u32,
    /// The queues of the flow's hand at the time of arrival, in the order dealt; empty for a level without queues.
    pub hand: Vec<HandQueue>,
    /// The seats in use and the limit of the level at the time of arrival.
    pub seats: (u64, i64),
    /// What happened then, with the time of each step.
    pub steps: Vec<(Duration, Step)>,
}

/// A queue of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandQueue {
    /// The index of the queue.
    pub queue: u32,
    /// The number of waiting requests.
    pub waiting: u32,
    /// The work of the waiting requests. The queue with the least takes the request.
    pub work: SeatSeconds,
}

/// A step in the life of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// It got status 429 on arrival.
    Rejected(Rejection),
    /// It joined a queue.
    Queued {
        /// The index of the queue.
        queue: u32,
        /// The number of requests ahead of it in the queue.
        ahead: u32,
    },
    /// It began to execute.
    Dispatched {
        /// The number of requests that were dispatched since its arrival from the same level, before it.
        others: u64,
    },
    /// It got status 429 because it waited too long.
    TimedOut,
    /// It ended.
    Finished,
}

/// Runs a simulation like [`simulate`](super::simulate), and returns the lives of the first `most` requests of a flow.
///
/// A flow is named by its flow schema and its flow distinguisher, which is empty if the schema has none.
pub fn explain(
    server: FlowController,
    load: &Load,
    seed: u64,
    flow: (&str, &str),
    most: usize,
) -> Vec<Life> {
    let lives = Lives {
        names: load
            .clients
            .iter()
            .map(|client| client.name.as_str())
            .collect(),
        flow,
        most,
        meeting: None,
        lives: Vec::new(),
        open: BTreeMap::new(),
        dispatched: BTreeMap::new(),
    };
    let mut run = Run::new(server, load, seed, lives);
    run.run(|_| ());
    run.observer.lives
}

struct Lives<'a> {
    names: Vec<&'a str>,
    flow: (&'a str, &'a str),
    most: usize,
    /// The hand and the seats that the next request meets.
    meeting: Option<(Vec<HandQueue>, (u64, i64))>,
    lives: Vec<Life>,
    /// The lives that have not ended, with the number of requests dispatched before their arrival.
    open: BTreeMap<Ticket, (usize, u64)>,
    /// The number of dispatched requests of each level.
    dispatched: BTreeMap<usize, u64>,
}

impl Lives<'_> {
    fn is_wanted(&self, flow: &Flow) -> bool {
        self.lives.len() < self.most
            && (flow.flow_schema.as_str(), flow.flow_distinguisher.as_str()) == self.flow
    }

    fn begin(&mut self, now: Duration, sending: Sending, step: Option<Step>) {
        let (hand, seats) = self.meeting.take().unwrap_or_default();
        self.lives.push(Life {
            client: self.names[sending.client as usize].to_owned(),
            arrived: now,
            retries_left: sending.retries,
            hand,
            seats,
            steps: step.map(|step| (now, step)).into_iter().collect(),
        });
    }

    fn step(&mut self, now: Duration, ticket: Ticket, step: impl FnOnce(u64) -> Step) {
        if let Some((life, before)) = self.open.get(&ticket) {
            self.lives[*life].steps.push((now, step(*before)));
        }
    }
}

impl Observer for Lives<'_> {
    fn before_arrival(&mut self, server: &FlowController, flow: &Flow) {
        if !self.is_wanted(flow) {
            return;
        }
        self.meeting = server.levels().nth(flow.level.index()).map(|level| {
            let hand = hand(level.queues, flow.hash);
            (hand, (level.queues.seats_in_use(), level.limit))
        });
    }

    fn rejected(&mut self, now: Duration, flow: &Flow, sending: Sending, reason: Rejection) {
        if self.is_wanted(flow) {
            self.begin(now, sending, Some(Step::Rejected(reason)));
        }
    }

    fn admitted(
        &mut self,
        now: Duration,
        server: &FlowController,
        flow: &Flow,
        sending: Sending,
        ticket: Ticket,
    ) {
        if !self.is_wanted(flow) {
            return;
        }
        let queues = server
            .levels()
            .nth(flow.level.index())
            .map(|level| level.queues);
        let place = queues.and_then(|queues| queues.place(ticket.request));
        let step = place.map(|(queue, ahead)| Step::Queued { queue, ahead });
        self.begin(now, sending, step);
        let before = self.dispatched.get(&ticket.level.index()).copied();
        self.open
            .insert(ticket, (self.lives.len() - 1, before.unwrap_or_default()));
    }

    fn dispatched(&mut self, now: Duration, ticket: Ticket) {
        let count = self.dispatched.entry(ticket.level.index()).or_default();
        let before = *count;
        *count += 1;
        self.step(now, ticket, |at_arrival| Step::Dispatched {
            others: before - at_arrival,
        });
    }

    fn timed_out(&mut self, now: Duration, ticket: Ticket) {
        self.step(now, ticket, |_| Step::TimedOut);
        self.open.remove(&ticket);
    }

    fn finished(&mut self, now: Duration, ticket: Ticket) {
        self.step(now, ticket, |_| Step::Finished);
        self.open.remove(&ticket);
    }
}

fn hand(queues: &QueueSet, hash: u64) -> Vec<HandQueue> {
    let state = queues.state();
    let of = |queue: u32| {
        let found = state.queues.get(queue as usize)?;
        Some(HandQueue {
            queue,
            waiting: found.waiting,
            work: found.waiting_work,
        })
    };
    queues.hand(hash).into_iter().filter_map(of).collect()
}
