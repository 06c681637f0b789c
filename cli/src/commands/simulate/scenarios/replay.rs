//! One scenario, event after event.

use super::Scenario;
use k8s_flowcontrol::rules::queueing::{Decision, QueueSet, QueueSetState, RequestId};
use k8s_flowcontrol::rules::sharding::InvalidDealer;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// The number of events from one state to the next.
const EVENTS_PER_STATE: usize = 25;

/// The outcome of a request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    outcome: &'static str,
    at_us: u64,
}

/// The state of the level at a time.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    at_us: u64,
    waiting: usize,
    executing: usize,
    seats_in_use: u64,
    queues: Vec<Queue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Queue {
    waiting: u32,
    executing: u32,
    seats_in_use: u64,
    #[serde(rename = "nextDispatchR")]
    next_dispatch_r: String,
}

/// An event. Requests and changes have the index that they have in the scenario.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrival(usize),
    Change(usize),
    QueueTimeout(usize),
    EndOfExecution(usize),
    EndOfAdditionalLatency,
}

/// Runs a scenario. Returns the outcome of each request, and the state after every 25th event.
pub(super) fn replay(scenario: &Scenario) -> Result<(Vec<Outcome>, Vec<State>), InvalidDealer> {
    let mut replay = Replay::new(scenario)?;
    let mut states = Vec::new();
    let mut events = 0;
    while let Some(Reverse((at, _, event))) = replay.events.pop() {
        replay.run(at, event)?;
        events += 1;
        if events % EVENTS_PER_STATE == 0 {
            states.push(state(at, replay.level.state()));
        }
    }
    let outcomes = replay.outcomes.into_iter();
    let never = || Outcome {
        outcome: "waiting",
        at_us: 0,
    };
    Ok((
        outcomes
            .map(|outcome| outcome.unwrap_or_else(never))
            .collect(),
        states,
    ))
}

struct Replay<'a> {
    scenario: &'a Scenario,
    level: QueueSet,
    /// By time, and then in the order in which they were planned.
    events: BinaryHeap<Reverse<(Duration, u64, Event)>>,
    planned: u64,
    /// The id of each request after its arrival.
    ids: Vec<Option<RequestId>>,
    /// The request that has each slot of the level.
    slots: Vec<usize>,
    outcomes: Vec<Option<Outcome>>,
}

impl<'a> Replay<'a> {
    fn new(scenario: &'a Scenario) -> Result<Self, InvalidDealer> {
        let requests = scenario.requests.len();
        let mut new = Self {
            scenario,
            level: QueueSet::new(&scenario.level.config(), Duration::ZERO)?,
            events: BinaryHeap::new(),
            planned: 0,
            ids: vec![None; requests],
            slots: Vec::new(),
            outcomes: (0..requests).map(|_| None).collect(),
        };
        for (index, request) in scenario.requests.iter().enumerate() {
            new.plan(
                Duration::from_micros(request.arrive_us),
                Event::Arrival(index),
            );
        }
        for (index, change) in scenario.changes.iter().enumerate() {
            new.plan(Duration::from_micros(change.at_us), Event::Change(index));
        }
        Ok(new)
    }

    fn plan(&mut self, at: Duration, event: Event) {
        self.events.push(Reverse((at, self.planned, event)));
        self.planned += 1;
    }

    fn run(&mut self, now: Duration, event: Event) -> Result<(), InvalidDealer> {
        match event {
            Event::Arrival(index) => self.arrive(now, index),
            Event::Change(index) => {
                let config = self.scenario.changes[index].level.config();
                self.level.reconfigure(now, &config)?;
            }
            Event::QueueTimeout(index) => {
                if let Some(id) = self.ids[index]
                    && self.level.cancel(now, id)
                {
                    self.decide(index, "cancelled", now);
                }
            }
            Event::EndOfExecution(index) => {
                if let Some(id) = self.ids[index]
                    && let Some(until) = self.level.finish(now, id)
                {
                    self.plan(until, Event::EndOfAdditionalLatency);
                }
            }
            Event::EndOfAdditionalLatency => {
                self.level.step(now);
            }
        }
        let dispatched: Vec<_> = self.level.dispatched().collect();
        for id in dispatched {
            let index = self.slots[id.slot()];
            self.decide(index, "dispatched", now);
            let execute = Duration::from_micros(self.scenario.requests[index].execute_us);
            self.plan(now.saturating_add(execute), Event::EndOfExecution(index));
        }
        Ok(())
    }

    fn arrive(&mut self, now: Duration, index: usize) {
        let request = &self.scenario.requests[index];
        let decision = self.level.arrive(now, request.hash, request.work());
        let (Decision::Dispatched(id) | Decision::Queued(id)) = decision else {
            self.decide(index, "rejected", now);
            return;
        };
        self.ids[index] = Some(id);
        if id.slot() >= self.slots.len() {
            self.slots.resize(id.slot() + 1, 0);
        }
        self.slots[id.slot()] = index;
        if let Some(patience) = request.patience() {
            self.plan(now.saturating_add(patience), Event::QueueTimeout(index));
        }
    }

    fn decide(&mut self, index: usize, outcome: &'static str, at: Duration) {
        let at_us = microseconds(at);
        self.outcomes[index] = Some(Outcome { outcome, at_us });
    }
}

fn state(at: Duration, state: QueueSetState) -> State {
    let queues = state.queues.iter().map(|queue| Queue {
        waiting: queue.waiting,
        executing: queue.executing,
        seats_in_use: queue.seats_in_use,
        next_dispatch_r: queue.next_dispatch_r.to_string(),
    });
    State {
        at_us: microseconds(at),
        waiting: state.waiting,
        executing: state.executing,
        seats_in_use: state.seats_in_use,
        queues: queues.collect(),
    }
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
