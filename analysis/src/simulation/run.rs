//! Running requests against a server, event after event.

use super::events::{Event, Events};
use super::executing::Executing;
use super::flows::Flow;
use super::quiet::{Leap, Quiet, QuietPeak};
use super::report::Report;
use super::source::{Facts, Passed, Source};
use super::tally::Tally;
use k8s_flowcontrol_rules::controller::{Admission, FlowController, LevelIndex, Ticket};
use k8s_flowcontrol_rules::queueing::Rejection;
use std::sync::Arc;
use std::time::Duration;

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

/// Sees the traces of requests.
pub(super) trait Observer {
    fn before_arrival(&mut self, _: &FlowController, _: &Flow) {}
    fn rejected(&mut self, _: Duration, _: &FlowController, _: &Flow, _: &Facts, _: Rejection) {}
    fn admitted(&mut self, _: Duration, _: &FlowController, _: &Flow, _: &Facts, _: Ticket) {}
    fn dispatched(&mut self, _: Duration, _: &FlowController, _: Ticket) {}
    fn before_time_out(&mut self, _: &FlowController, _: Ticket) {}
    fn timed_out(&mut self, _: Duration, _: Ticket) {}
    fn finished(&mut self, _: Duration, _: Ticket) {}
    /// A period in which nothing waits was accounted.
    fn passed(&mut self, _level: usize, _: QuietPeak) {}
}

impl Observer for () {}

/// A request that waits or executes.
#[derive(Clone, Copy, Debug)]
struct Pending<R> {
    request: R,
    arrived: Duration,
}

pub(super) struct Run<S: Source, O> {
    server: FlowController,
    pub(super) source: S,
    /// The duration of the load.
    duration: Duration,
    events: Events,
    /// None if requests execute for a time that is known at their dispatch.
    executing: Option<Executing>,
    /// By level and by the slot of the request.
    pending: Vec<Vec<Option<Pending<S::Request>>>>,
    dispatched: Vec<Ticket>,
    tally: Tally,
    /// The demand of the requests if none waits; none if every request has its events.
    quiet: Option<Arc<Quiet>>,
    /// Until then, the requests that execute are not those that would if none had waited.
    diverges_until: Duration,
    /// The requests that were accounted without events.
    pub(super) passed: u64,
    has_samples: bool,
    pub(super) observer: O,
}

impl<S: Source, O: Observer> Run<S, O> {
    /// `groups` are the names of the groups of the load's requests.
    pub(super) fn new(
        (server, executing): (FlowController, Option<Executing>),
        source: S,
        duration: Duration,
        flows: Vec<Flow>,
        groups: Vec<String>,
        observer: O,
    ) -> Self {
        let levels = server.levels().count();
        let mut events = Events::default();
        events.plan(Duration::ZERO, Event::Sample);
        Self {
            source,
            duration,
            events,
            executing,
            pending: vec![Vec::new(); levels],
            dispatched: Vec::new(),
            tally: Tally::new(flows, groups, levels),
            server,
            quiet: None,
            diverges_until: Duration::ZERO,
            passed: 0,
            has_samples: true,
            observer,
        }
    }

    /// Accounts the requests of periods in which nothing can wait without events. Waits, counts and the observed peaks stay the same; there are no samples and
    /// no response times.
    pub(super) fn leap(&mut self, quiet: Arc<Quiet>) {
        self.without_samples();
        self.quiet = Some(quiet);
    }

    /// Takes no samples, and sums no seats, which runs spend most of their time on. The report has neither samples nor peaks then.
    pub(super) fn without_samples(&mut self) {
        self.has_samples = false;
        self.events = Events::default();
    }

    pub(super) fn run(&mut self, progress: &mut dyn FnMut(Progress)) {
        let mut events = 0_u64;
        loop {
            let arrival = self.source.next_arrival().unwrap_or(Duration::MAX);
            let end = self.executing.as_ref().and_then(Executing::next_change);
            let own = self.events.next_time().into_iter().chain(end).min();
            let next = match own {
                Some(own) => own.min(arrival),
                None if arrival < Duration::MAX => arrival,
                None => return,
            };
            let change = self.server.next_event();
            let now = next.min(change);
            if self.has_samples {
                self.tally.sum(now, &self.server);
            }
            // At the same time the limits are adjusted first in either case.
            if change < next || change == next && self.quiet.is_some() {
                self.server.advance(change);
                self.note_dispatched(now);
                self.pass_quiet_periods(now);
            } else if end == Some(next) {
                let executing = self.executing.as_mut();
                if let Some(ticket) = executing.and_then(|executing| executing.change(now)) {
                    self.end(now, ticket);
                }
            } else if own.is_some_and(|own| own <= arrival) {
                if let Some(event) = self.events.pop() {
                    self.handle(now, event);
                }
            } else if let Some(request) = self.source.send() {
                self.arrive(now, request);
            }
            self.note_dispatched(now);
            events += 1;
            if events.is_multiple_of(EVENTS_PER_PROGRESS) {
                let requests = self.tally.requests;
                progress(Progress { at: now, requests });
            }
        }
    }

    /// Accounts the requests until the next period in which a request can wait, if the present state is as if none had waited, or if
    /// that is assumed.
    fn pass_quiet_periods(&mut self, now: Duration) {
        let Some(quiet) = self.quiet.clone() else {
            return;
        };
        let waits = || self.server.levels().any(|level| level.queues.waiting() > 0);
        let is_assumed = quiet.is_assumed_at(now);
        let can_leap = match is_assumed {
            true => self.source.can_be_interrupted(now),
            false => self.diverges_until < now && !waits() && self.source.is_settled(now),
        };
        if !can_leap {
            return;
        }
        let Some(Leap {
            forecast,
            periods,
            until,
        }) = quiet.leap(now, &self.server)
        else {
            return;
        };
        for (end, ticket) in self.events.clear() {
            self.tally.end = self.tally.end.max(end);
            self.take(ticket);
        }
        if is_assumed {
            self.release_waiting(now);
            self.source.interrupt();
        }
        for (level, peak) in periods.flat_map(|period| quiet.peaks(period)) {
            self.observer.passed(level, peak);
        }
        let mut passed = Passed {
            of_flows: vec![0; self.tally.flows.len()],
            ..Passed::default()
        };
        self.source.pass(until, &mut passed);
        self.tally.passed(&passed);
        let mut arrived = vec![0; self.pending.len()];
        for (flow, requests) in self.tally.flows.iter().zip(&passed.of_flows) {
            arrived[flow.level.index()] += requests;
            self.passed += requests;
        }
        for pending in &mut self.pending {
            pending.clear();
        }
        let of = |level: LevelIndex| arrived[level.index()];
        self.server.resume(forecast, until, of);
    }

    /// Counts the requests that wait as dispatched now.
    fn release_waiting(&mut self, now: Duration) {
        let waiting = self.pending.iter_mut().flatten().filter_map(Option::take);
        for Pending { request, arrived } in waiting {
            let facts = self.source.facts(request);
            let wait = now.saturating_sub(arrived);
            self.tally.dispatched(&facts, wait);
            self.source.execution_time(request, wait);
        }
        self.diverges_until = now;
    }

    pub(super) fn report(self) -> Report {
        self.tally.report(&self.server)
    }

    fn handle(&mut self, now: Duration, event: Event) {
        match event {
            Event::QueueTimeout(ticket) => {
                self.server.advance(now);
                self.observer.before_time_out(&self.server, ticket);
                if self.server.cancel(now, ticket)
                    && let Some(Pending { request, .. }) = self.take(ticket)
                {
                    self.observer.timed_out(now, ticket);
                    let facts = self.source.facts(request);
                    self.tally.count(&facts, |counts| counts.timed_out += 1);
                    self.reject(now, request, &facts);
                }
            }
            Event::EndOfExecution(ticket) => self.end(now, ticket),
            Event::Sample => self.sample(now),
        }
    }

    fn end(&mut self, now: Duration, ticket: Ticket) {
        self.observer.finished(now, ticket);
        self.server.finish(now, ticket);
        self.tally.end = now;
        if let Some(pending) = self.take(ticket) {
            let facts = self.source.facts(pending.request);
            let took = now.saturating_sub(pending.arrived);
            self.tally.executed(&facts, took);
            self.source.completed(now, pending.request);
        }
    }

    fn arrive(&mut self, now: Duration, request: S::Request) {
        let facts = self.source.facts(request);
        self.tally.arrived(&facts);
        // All that happens until now belongs to the state that the request meets.
        self.server.advance(now);
        let flow = &self.tally.flows[facts.flow];
        self.observer.before_arrival(&self.server, flow);
        let admission = self.server.arrive(now, flow.level, flow.hash, facts.work);
        let ticket = match admission {
            Admission::Dispatched(ticket) => ticket,
            Admission::Queued(ticket) => {
                let limit = self.server.wait_limit(facts.deadline);
                self.events.plan_end_of_patience(now, limit, ticket);
                ticket
            }
            Admission::Rejected(reason) => {
                self.observer
                    .rejected(now, &self.server, flow, &facts, reason);
                self.tally.count(&facts, |counts| counts.rejected += 1);
                self.reject(now, request, &facts);
                return;
            }
        };
        self.observer
            .admitted(now, &self.server, flow, &facts, ticket);
        let slots = &mut self.pending[ticket.level.index()];
        let slot = ticket.request.slot();
        if slot >= slots.len() {
            slots.resize(slot + 1, None);
        }
        slots[slot] = Some(Pending {
            request,
            arrived: now,
        });
    }

    /// Tells a client that its request got status 429.
    fn reject(&mut self, now: Duration, request: S::Request, facts: &Facts) {
        self.tally.end = now;
        let execution = self.source.known_execution(request).unwrap_or_default();
        self.diverge(now.saturating_add(execution));
        let level = self.tally.flows[facts.flow].level;
        let of_clock = now.saturating_add(self.source.clock_phase());
        let retry_after = self.server.reject(of_clock, level);
        match self.source.rejected(now, request, retry_after) {
            true => self.tally.count(facts, |counts| counts.retried += 1),
            false => {
                self.tally.count(facts, |counts| counts.failed += 1);
                self.source.completed(now, request);
            }
        }
    }

    fn note_dispatched(&mut self, now: Duration) {
        let mut dispatched = std::mem::take(&mut self.dispatched);
        dispatched.extend(self.server.dispatched());
        for ticket in dispatched.drain(..) {
            let pending = &self.pending[ticket.level.index()];
            let Some(Pending { request, arrived }) = pending[ticket.request.slot()] else {
                continue;
            };
            self.observer.dispatched(now, &self.server, ticket);
            let facts = self.source.facts(request);
            let wait = now.saturating_sub(arrived);
            let time = self.source.execution_time(request, wait);
            if !wait.is_zero() || self.source.known_execution(request).is_none() {
                self.diverge(now.saturating_add(time));
            }
            let delay = match &mut self.executing {
                Some(executing) => executing.add(now, wait, time, ticket),
                None => {
                    let end = now.saturating_add(time);
                    self.events.plan(end, Event::EndOfExecution(ticket));
                    Duration::ZERO
                }
            };
            self.tally.dispatched(&facts, wait.saturating_add(delay));
        }
        self.dispatched = dispatched;
    }

    fn diverge(&mut self, until: Duration) {
        self.diverges_until = self.diverges_until.max(until);
    }

    fn take(&mut self, ticket: Ticket) -> Option<Pending<S::Request>> {
        self.pending[ticket.level.index()][ticket.request.slot()].take()
    }

    fn sample(&mut self, now: Duration) {
        self.tally.sample(now, &self.server);
        let every = (self.duration / SAMPLES).max(Duration::from_millis(1));
        // Requests of the load can end long after its last arrival.
        let executes = self
            .executing
            .as_ref()
            .is_some_and(|executing| !executing.is_empty());
        let until =
            match self.events.pending == 0 && !executes && self.source.next_arrival().is_none() {
                true => self.duration,
                false => self.duration.saturating_mul(2),
            };
        if now + every <= until {
            self.events.plan(now + every, Event::Sample);
        }
    }
}
