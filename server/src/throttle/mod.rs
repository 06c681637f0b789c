//! Flow control that really queues and rejects requests, with the clock of the process.
//!
//! The decisions are those of [`FlowController`]. This module adds the time, the requests that wait for them, and counts.

mod metrics;

pub(crate) use metrics::{ExecutingSeats, text as metrics_text};

use k8s_flowcontrol_rules::controller::{Admission, FlowController, LevelState, Ticket};
use k8s_flowcontrol_rules::matching::RequestAttributes;
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Request, Stored};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::{
    FlowSchema, FlowSchemaSpec, PriorityLevelConfiguration, PriorityLevelConfigurationSpec,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The names and specs of the objects in use. Other changes, such as those of a status, do not concern flow control.
type Specs = (
    Vec<(String, FlowSchemaSpec)>,
    Vec<(String, PriorityLevelConfigurationSpec)>,
);

/// The flow control of a server that throttles.
#[derive(Debug)]
pub(crate) struct Throttle {
    seats: u32,
    release: Release,
    started: Instant,
    controller: FlowController,
    bounds: LevelBounds,
    estimator: Estimator,
    /// The revision that was looked at last.
    revision: Option<u64>,
    specs: Specs,
    /// The requests that wait, until they are dispatched.
    waiting: BTreeMap<Ticket, oneshot::Sender<()>>,
    /// By flow schema and level.
    counts: BTreeMap<(String, String), Counts>,
}

/// The numbers of requests of one flow schema.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) executing: u64,
    pub(crate) waiting: u64,
    pub(crate) dispatched: u64,
    pub(crate) queue_full: u64,
    pub(crate) concurrency_limit: u64,
    pub(crate) timed_out: u64,
    pub(crate) cancelled: u64,
}

/// The decision about a request on arrival.
#[derive(Debug)]
pub(crate) enum Verdict {
    Executes(Ticket),
    /// The channel tells when the request is dispatched.
    Waits(Ticket, oneshot::Receiver<()>),
    Rejected,
}

impl Throttle {
    pub(crate) fn new(seats: u32, release: Release) -> Option<Self> {
        // The mandatory levels do not queue, so that their hands need not be dealt.
        let controller = FlowController::new(&[], &[], seats, release, Duration::ZERO).ok()?;
        Some(Self {
            seats,
            release,
            started: Instant::now(),
            controller,
            bounds: LevelBounds::new(&[], seats, release),
            estimator: Estimator::new(release),
            revision: None,
            specs: Specs::default(),
            waiting: BTreeMap::new(),
            counts: BTreeMap::new(),
        })
    }

    /// Follows the objects of a revision. They are read only if the revision is new.
    pub(crate) fn follow(
        &mut self,
        revision: u64,
        objects: impl FnOnce() -> (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>),
    ) {
        if self.revision == Some(revision) {
            return;
        }
        self.revision = Some(revision);
        let (schemas, levels) = objects();
        let specs = (
            schemas
                .iter()
                .map(|schema| (schema.name().to_owned(), schema.spec.clone()))
                .collect(),
            levels
                .iter()
                .map(|level| (level.name().to_owned(), level.spec.clone()))
                .collect(),
        );
        if specs == self.specs {
            return;
        }
        // Stored levels are valid, so that hands can be dealt.
        if self
            .controller
            .configure(self.now(), &schemas, &levels)
            .is_ok()
        {
            self.bounds = LevelBounds::new(&levels, self.seats, self.release);
            self.specs = specs;
            self.tell_dispatched();
        }
    }

    /// Decides about a request of a level.
    pub(crate) fn arrive(
        &mut self,
        flow_schema: &str,
        level: &str,
        flow_hash: u64,
        work: Work,
    ) -> Verdict {
        let Some(index) = self.controller.level(level) else {
            return Verdict::Rejected;
        };
        let now = self.now();
        let admission = self.controller.arrive(now, index, flow_hash, work);
        let counts = self.counts_of(flow_schema, level);
        let verdict = match admission {
            Admission::Dispatched(ticket) => {
                counts.dispatched += 1;
                counts.executing += 1;
                Verdict::Executes(ticket)
            }
            Admission::Queued(ticket) => {
                counts.waiting += 1;
                let (tell, told) = oneshot::channel();
                self.waiting.insert(ticket, tell);
                Verdict::Waits(ticket, told)
            }
            Admission::Rejected(rejection) => {
                match rejection {
                    k8s_flowcontrol_rules::queueing::Rejection::QueueFull => counts.queue_full += 1,
                    k8s_flowcontrol_rules::queueing::Rejection::ConcurrencyLimit => {
                        counts.concurrency_limit += 1;
                    }
                }
                Verdict::Rejected
            }
        };
        self.tell_dispatched();
        verdict
    }

    /// Notes that a request that has waited executes.
    pub(crate) fn note_dispatched(&mut self, flow_schema: &str, level: &str) {
        let counts = self.counts_of(flow_schema, level);
        counts.waiting -= 1;
        counts.dispatched += 1;
        counts.executing += 1;
    }

    /// Takes a request out of its queue because it has waited too long, and returns whether it still waited.
    pub(crate) fn time_out(&mut self, ticket: Ticket, flow_schema: &str, level: &str) -> bool {
        let is_out = self.leave_queue(ticket);
        if is_out {
            let counts = self.counts_of(flow_schema, level);
            counts.waiting -= 1;
            counts.timed_out += 1;
        }
        is_out
    }

    /// Ends a request. A waiting request is canceled.
    pub(crate) fn end(
        &mut self,
        ticket: Ticket,
        has_started: bool,
        flow_schema: &str,
        level: &str,
    ) {
        let was_waiting = self.leave_queue(ticket);
        let counts = self.counts_of(flow_schema, level);
        match (was_waiting, has_started) {
            (true, _) => {
                counts.waiting -= 1;
                counts.cancelled += 1;
            }
            // Dispatched, but its task has not run again.
            (false, false) => {
                counts.waiting -= 1;
                counts.dispatched += 1;
            }
            (false, true) => counts.executing -= 1,
        }
        if !was_waiting {
            self.controller.finish(self.now(), ticket);
        }
        self.tell_dispatched();
    }

    /// Handles the events until now.
    pub(crate) fn advance(&mut self) {
        self.controller.advance(self.now());
        self.tell_dispatched();
    }

    /// The time of the next event that no request causes.
    pub(crate) fn next_event(&self) -> Instant {
        self.started + self.controller.next_event()
    }

    pub(crate) fn classify<'a>(
        &'a self,
        request: &'a RequestAttributes,
    ) -> Option<k8s_flowcontrol_rules::matching::Classification<'a>> {
        self.controller.classify(request)
    }

    /// The seats of a request. Writes take no final seats.
    pub(crate) fn work(
        &self,
        request: &RequestAttributes,
        level: &str,
        query: &str,
        stored: Stored,
    ) -> Work {
        let estimate = self.estimator.estimate(&Request {
            verb: &request.verb,
            resource: &request.resource,
            subresource: &request.subresource,
            name: &request.name,
            query,
            stored,
            watches: 0,
            max_seats: self.bounds.of(level),
        });
        let seats = |seats: u64| u32::try_from(seats).unwrap_or(u32::MAX);
        Work {
            initial_seats: seats(estimate.initial_seats),
            final_seats: seats(estimate.final_seats),
            additional_latency: estimate.additional_latency,
        }
    }

    pub(crate) fn level(&self, name: &str) -> Option<LevelState<'_>> {
        self.controller.levels().find(|level| level.name == name)
    }

    /// The counts of a level, summed over its flow schemas.
    pub(crate) fn level_counts(&self, level: &str) -> Counts {
        let of_level = self.counts.iter().filter(|((_, of), _)| of == level);
        of_level.fold(Counts::default(), |sum, (_, counts)| Counts {
            executing: sum.executing + counts.executing,
            waiting: sum.waiting + counts.waiting,
            dispatched: sum.dispatched + counts.dispatched,
            queue_full: sum.queue_full + counts.queue_full,
            concurrency_limit: sum.concurrency_limit + counts.concurrency_limit,
            timed_out: sum.timed_out + counts.timed_out,
            cancelled: sum.cancelled + counts.cancelled,
        })
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn leave_queue(&mut self, ticket: Ticket) -> bool {
        let was_waiting = self.controller.cancel(self.now(), ticket);
        if was_waiting {
            self.waiting.remove(&ticket);
        }
        was_waiting
    }

    fn counts_of(&mut self, flow_schema: &str, level: &str) -> &mut Counts {
        let key = (flow_schema.to_owned(), level.to_owned());
        self.counts.entry(key).or_default()
    }

    /// Tells the requests that were dispatched.
    fn tell_dispatched(&mut self) {
        let dispatched: Vec<_> = self.controller.dispatched().collect();
        for ticket in dispatched {
            if let Some(tell) = self.waiting.remove(&ticket) {
                // A request that is gone ends on its own.
                let _gone = tell.send(());
            }
        }
    }
}
