//! The traces of the requests of one flow.

use super::flows::Flow;
use super::run::Observer;
use super::source::Facts;
use k8s_flowcontrol_rules::controller::{FlowController, LevelState, Ticket};
use k8s_flowcontrol_rules::queueing::{QueueSet, Queuing, Rejection, SeatSeconds, Work};
use std::collections::BTreeMap;
use std::time::Duration;

/// The trace of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestTrace {
    /// The group of clients; the verb and resource if the request comes from an audit log.
    pub client: String,
    /// The time of arrival.
    pub arrived: Duration,
    /// The seats that the request needs.
    pub work: Work,
    /// The number of retries that are left; 0 for a request of an audit log, which has the retries as requests.
    pub retries_left: u32,
    /// The state of the level at the arrival of the request.
    pub arrival: ArrivalState,
    /// What happened then, with the time of each step.
    pub steps: Vec<(Duration, Step)>,
}

/// The state of a priority level at the arrival of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArrivalState {
    /// The queues of the flow's hand, in the order dealt; empty for a level without queues.
    pub hand: Vec<HandQueue>,
    /// The queue of the hand with the least work, which takes the request or rejects it because it is full.
    pub queue: Option<u32>,
    /// The seats in use.
    pub seats_in_use: u64,
    /// The current limit in seats; none for an exempt level, which dispatches all requests on arrival.
    pub limit: Option<i64>,
    /// The number of requests that wait in all queues of the level.
    pub waiting: usize,
    /// The reading of virtual time at the arrival.
    pub current_r: SeatSeconds,
}

/// A queue of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandQueue {
    /// The index of the queue.
    pub queue: u32,
    /// The number of waiting requests.
    pub waiting: u32,
    /// The number of executing requests.
    pub executing: u32,
    /// The work of the waiting requests. The queue with the least takes the request.
    pub work: SeatSeconds,
    /// The virtual time of the queue's next dispatch.
    pub next_dispatch_r: SeatSeconds,
}

/// A step in the trace of a request.
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
    /// It got its seats. Of an audit log, a request that waited begins [later](super::Report::start_delay).
    Dispatched {
        /// The number of requests that were dispatched since its arrival from the same level, before it.
        others: u64,
        /// The reasons; `None` for a request of a level without queues.
        turn: Option<DispatchState>,
    },
    /// It got status 429 because it waited too long.
    TimedOut {
        /// The number of requests ahead of it in its queue.
        ahead: u32,
        /// The virtual time of its queue's next dispatch.
        next_dispatch_r: SeatSeconds,
        /// The reading of virtual time.
        current_r: SeatSeconds,
    },
    /// It ended.
    Finished,
}

/// The virtual times for which a queue went first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DispatchState {
    /// The index of the queue.
    pub queue: u32,
    /// The reading of virtual time.
    pub current_r: SeatSeconds,
    /// The virtual start of the request: the virtual time of its queue's next dispatch.
    pub start_r: SeatSeconds,
    /// The virtual finish of the request, the earliest of all queues.
    pub finish_r: SeatSeconds,
    /// The queue with the next one, and its virtual finish; `None` if no other request waits.
    pub next: Option<(u32, SeatSeconds)>,
}

/// Collects the traces of a flow's first requests.
#[derive(Default)]
pub(super) struct Tracer<'a> {
    /// The names of the groups.
    names: Vec<String>,
    /// The flow schema and the flow distinguisher.
    flow: (&'a str, &'a str),
    most: usize,
    /// The state that the next request meets.
    arrival: Option<ArrivalState>,
    pub(super) traces: Vec<RequestTrace>,
    /// The traces that have not ended, with the number of requests dispatched before their arrival.
    open: BTreeMap<Ticket, (usize, u64)>,
    /// The number of dispatched requests of each level.
    dispatched: BTreeMap<usize, u64>,
    /// The end of a wait that was too long.
    timing_out: Option<Step>,
}

impl<'a> Tracer<'a> {
    pub(super) fn new(names: Vec<String>, flow: (&'a str, &'a str), most: usize) -> Self {
        Self {
            names,
            flow,
            most,
            ..Self::default()
        }
    }

    fn is_wanted(&self, flow: &Flow) -> bool {
        self.traces.len() < self.most
            && (flow.flow_schema.as_str(), flow.flow_distinguisher.as_str()) == self.flow
    }

    fn begin(&mut self, now: Duration, queues: &QueueSet, facts: &Facts, step: Option<Step>) {
        let arrival = self.arrival.take().unwrap_or_default();
        self.traces.push(RequestTrace {
            client: self.names[facts.group].clone(),
            arrived: now,
            work: facts.work,
            retries_left: facts.retries_left,
            arrival: ArrivalState {
                // The arrival has advanced virtual time.
                current_r: queues.current_r(),
                ..arrival
            },
            steps: step.map(|step| (now, step)).into_iter().collect(),
        });
    }

    fn step(&mut self, now: Duration, ticket: Ticket, step: Step) {
        if let Some((trace, _)) = self.open.get(&ticket) {
            self.traces[*trace].steps.push((now, step));
        }
    }
}

impl Observer for Tracer<'_> {
    fn before_arrival(&mut self, server: &FlowController, flow: &Flow) {
        if self.is_wanted(flow) {
            let level = server.levels().nth(flow.level.index());
            self.arrival = level.map(|level| arrival(&level, flow.hash));
        }
    }

    fn rejected(
        &mut self,
        now: Duration,
        server: &FlowController,
        flow: &Flow,
        facts: &Facts,
        reason: Rejection,
    ) {
        if self.is_wanted(flow)
            && let Some(level) = server.levels().nth(flow.level.index())
        {
            self.begin(now, level.queues, facts, Some(Step::Rejected(reason)));
        }
    }

    fn admitted(
        &mut self,
        now: Duration,
        server: &FlowController,
        flow: &Flow,
        facts: &Facts,
        ticket: Ticket,
    ) {
        if !self.is_wanted(flow) {
            return;
        }
        let Some(queues) = queues(server, ticket) else {
            return;
        };
        let place = queues.place(ticket.request);
        let step = place.map(|(queue, ahead)| Step::Queued { queue, ahead });
        self.begin(now, queues, facts, step);
        let before = self.dispatched.get(&ticket.level.index()).copied();
        self.open
            .insert(ticket, (self.traces.len() - 1, before.unwrap_or_default()));
    }

    fn dispatched(&mut self, now: Duration, server: &FlowController, ticket: Ticket) {
        let count = self.dispatched.entry(ticket.level.index()).or_default();
        let before = *count;
        *count += 1;
        if let Some((_, at_arrival)) = self.open.get(&ticket) {
            let others = before - at_arrival;
            let turn = queues(server, ticket).and_then(|queues| turn(queues, ticket));
            self.step(now, ticket, Step::Dispatched { others, turn });
        }
    }

    fn before_time_out(&mut self, server: &FlowController, ticket: Ticket) {
        if !self.open.contains_key(&ticket) {
            return;
        }
        self.timing_out = queues(server, ticket).and_then(|queues| {
            let (queue, ahead) = queues.place(ticket.request)?;
            Some(Step::TimedOut {
                ahead,
                next_dispatch_r: queues.queue_state(queue)?.next_dispatch_r,
                current_r: queues.current_r(),
            })
        });
    }

    fn timed_out(&mut self, now: Duration, ticket: Ticket) {
        if let Some(step) = self.timing_out.take() {
            self.step(now, ticket, step);
        }
        self.open.remove(&ticket);
    }

    fn finished(&mut self, now: Duration, ticket: Ticket) {
        self.step(now, ticket, Step::Finished);
        self.open.remove(&ticket);
    }
}

fn queues(server: &FlowController, ticket: Ticket) -> Option<&QueueSet> {
    let level = server.levels().nth(ticket.level.index())?;
    Some(level.queues)
}

fn arrival(level: &LevelState<'_>, hash: u64) -> ArrivalState {
    let of = |queue: u32| {
        let found = level.queues.queue_state(queue)?;
        Some(HandQueue {
            queue,
            waiting: found.waiting,
            executing: found.executing,
            work: found.waiting_work,
            next_dispatch_r: found.next_dispatch_r,
        })
    };
    ArrivalState {
        hand: level.queues.hand(hash).into_iter().filter_map(of).collect(),
        queue: level.queues.next_queue_of(hash),
        seats_in_use: level.queues.seats_in_use(),
        limit: (level.queuing != Queuing::Exempt).then_some(level.limit),
        waiting: level.queues.waiting(),
        current_r: level.queues.current_r(),
    }
}

fn turn(queues: &QueueSet, ticket: Ticket) -> Option<DispatchState> {
    let (start_r, finish_r) = queues.virtual_execution(ticket.request)?;
    Some(DispatchState {
        queue: queues.queue(ticket.request)?,
        current_r: queues.current_r(),
        start_r,
        finish_r,
        next: queues.next_finish(),
    })
}
