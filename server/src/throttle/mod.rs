//! Flow control that really queues and rejects requests, with the clock of the process.
//!
//! [`FlowController`] makes the decisions. This module adds the clock, the waiting requests and the counts.

mod histogram;
mod metrics;
mod observe;
mod observed;

pub(crate) use metrics::text as metrics_text;
pub(crate) use observed::Counts;

use crate::flow_control::Configuration;
use crate::metrics::Gauges;
use k8s_flowcontrol_rules::controller::{Admission, FlowController, LevelState, Ticket};
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_rules::matching::{Classification, RequestAttributes};
use k8s_flowcontrol_rules::queueing::{Rejection, Work};
use k8s_flowcontrol_rules::seats::{Estimator, Request, Stored};
use k8s_flowcontrol_types::Release;
use observed::{OfLevel, OfSchema};
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The flow control of a server that throttles.
#[derive(Debug)]
pub(crate) struct Throttle {
    release: Release,
    started: Instant,
    controller: FlowController,
    estimator: Estimator,
    /// The requests that wait, until they are dispatched.
    waiting: BTreeMap<Ticket, oneshot::Sender<()>>,
    /// By flow schema and level.
    counts: BTreeMap<(String, String), Counts>,
    observed: BTreeMap<(String, String), OfSchema>,
    levels: BTreeMap<String, OfLevel>,
    gauges: Gauges,
}

/// A request as its metrics see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) flow_schema: &'a str,
    pub(crate) level: &'a str,
    pub(crate) work: Work,
}

impl Subject<'_> {
    /// The larger of the initial and the final seats, which the request occupies.
    fn seats(&self) -> u64 {
        self.work.initial_seats.max(self.work.final_seats).into()
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Executed {
        is_watch: bool,
        took: Duration,
    },
    /// The client left before the request executed.
    Left {
        waited: Duration,
    },
}

/// The decision about a request on arrival.
#[derive(Debug)]
pub(crate) enum Verdict {
    Executes(Ticket),
    /// The channel tells when the request is dispatched.
    Waits(Ticket, oneshot::Receiver<()>),
    /// With the time of the header `Retry-After`.
    Rejected(Duration),
}

impl Throttle {
    pub(crate) fn new(seats: u32, release: Release) -> Option<Self> {
        // The mandatory levels do not queue, so that their hands need not be dealt.
        let mut controller = FlowController::new(&[], &[], seats, release, Duration::ZERO).ok()?;
        controller.keep_last_dispatches();
        Some(Self {
            release,
            started: Instant::now(),
            controller,
            estimator: Estimator::new(release),
            waiting: BTreeMap::new(),
            counts: BTreeMap::new(),
            observed: BTreeMap::new(),
            levels: BTreeMap::new(),
            gauges: Gauges::default(),
        })
    }

    pub(crate) fn follow(&mut self, configuration: &Configuration) {
        let names = configuration.levels.iter();
        let names: HashSet<_> = names
            .filter_map(|level| level.metadata.name.as_deref())
            .collect();
        let mut present = self.limits().levels().iter();
        if present.any(|level| !names.contains(level.name.as_str())) {
            // The last values of a level that is going away.
            metrics::observe_gauges(self);
        }
        let now = self.now();
        let followed =
            self.controller
                .configure(now, &configuration.schemas, &configuration.levels);
        // Stored levels are valid, so that hands can be dealt.
        if followed.is_ok() {
            self.tell_dispatched();
        }
    }

    /// The maximum time that a request with this deadline waits in a queue.
    pub(crate) fn wait_limit(&self, deadline: Duration) -> Duration {
        self.controller.wait_limit(deadline)
    }

    /// Decides about a request of a level.
    pub(crate) fn arrive(&mut self, request: Subject<'_>, flow_hash: u64) -> Verdict {
        let Some(index) = self.controller.level(request.level) else {
            return Verdict::Rejected(Duration::from_secs(1));
        };
        let now = self.now();
        let admission = self.controller.arrive(now, index, flow_hash, request.work);
        self.observe_arrival(request, &admission);
        let counts = self.counts_of(request);
        let verdict = match admission {
            Admission::Dispatched(ticket) => {
                counts.execute(request.seats());
                Verdict::Executes(ticket)
            }
            Admission::Queued(ticket) => {
                counts.wait(request.seats());
                let (tell, told) = oneshot::channel();
                self.waiting.insert(ticket, tell);
                Verdict::Waits(ticket, told)
            }
            Admission::Rejected(rejection) => {
                match rejection {
                    Rejection::QueueFull => counts.queue_full += 1,
                    Rejection::ConcurrencyLimit => counts.concurrency_limit += 1,
                }
                Verdict::Rejected(self.controller.reject(now, index))
            }
        };
        self.tell_dispatched();
        verdict
    }

    /// Notes that a request that has waited executes.
    pub(crate) fn note_dispatched(&mut self, request: Subject<'_>, waited: Duration) {
        let observed = self.observed_of(request);
        observed.executed_waits.observe(waited.as_secs_f64());
        let counts = self.counts_of(request);
        counts.leave_queue(request.seats());
        counts.execute(request.seats());
    }

    /// Takes a request out of its queue because it has waited too long, and returns its `Retry-After`; none if it was dispatched in the
    /// meantime.
    pub(crate) fn time_out(
        &mut self,
        ticket: Ticket,
        request: Subject<'_>,
        waited: Duration,
    ) -> Option<Duration> {
        if !self.leave_queue(ticket) {
            return None;
        }
        let observed = self.observed_of(request);
        observed.other_waits.observe(waited.as_secs_f64());
        let counts = self.counts_of(request);
        counts.leave_queue(request.seats());
        counts.timed_out += 1;
        Some(self.controller.reject(self.now(), ticket.level))
    }

    /// Ends a request. A waiting request is canceled.
    pub(crate) fn end(&mut self, ticket: Ticket, request: Subject<'_>, end: End) {
        let was_waiting = self.leave_queue(ticket);
        let observed = self.observed_of(request);
        match end {
            End::Left { waited } => observed.other_waits.observe(waited.as_secs_f64()),
            End::Executed { is_watch, took } => match is_watch {
                true => observed.watches.observe(took.as_secs_f64()),
                false => observed.regular.observe(took.as_secs_f64()),
            },
        }
        let counts = self.counts_of(request);
        match (was_waiting, end) {
            (true, _) => {
                counts.leave_queue(request.seats());
                counts.cancelled += 1;
            }
            // Dispatched, but its task has not run again.
            (false, End::Left { .. }) => {
                counts.leave_queue(request.seats());
                counts.dispatched += 1;
            }
            (false, End::Executed { .. }) => {
                counts.executing -= 1;
                counts.executing_seats -= request.seats();
            }
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
    ) -> Option<Classification<'a>> {
        self.controller.classify(request)
    }

    /// The seats of a request. A write takes final seats for the `watches` that see it.
    pub(crate) fn work(
        &self,
        request: &RequestAttributes,
        level: &str,
        query: &str,
        stored: Stored,
        watches: u64,
    ) -> Work {
        let estimate = self.estimator.estimate(&Request {
            verb: &request.verb,
            resource: &request.resource,
            subresource: &request.subresource,
            name: &request.name,
            query,
            stored,
            watches,
            max_seats: self
                .controller
                .level(level)
                .and_then(|level| self.controller.max_seats(level)),
        });
        let seats = |seats: u64| u32::try_from(seats).unwrap_or(u32::MAX);
        Work {
            initial_seats: seats(estimate.initial_seats),
            final_seats: seats(estimate.final_seats),
            additional_latency: estimate.additional_latency,
        }
    }

    /// The limits without demand.
    pub(crate) fn limits(&self) -> &ServerLimits {
        self.controller.limits()
    }

    pub(crate) fn level(&self, name: &str) -> Option<LevelState<'_>> {
        self.controller.levels().find(|level| level.name == name)
    }

    /// The counts of a level, summed over its flow schemas.
    pub(crate) fn level_counts(&self, level: &str) -> Counts {
        let of_level = self.counts.iter().filter(|((_, of), _)| of == level);
        of_level.map(|(_, counts)| *counts).sum()
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

    fn counts_of(&mut self, request: Subject<'_>) -> &mut Counts {
        let key = (request.flow_schema.to_owned(), request.level.to_owned());
        self.counts.entry(key).or_default()
    }

    /// Notifies the requests that were dispatched.
    fn tell_dispatched(&mut self) {
        let dispatched: Vec<_> = self.controller.dispatched().collect();
        for ticket in dispatched {
            if let Some(tell) = self.waiting.remove(&ticket) {
                // A request that is gone ends on its own.
                let _gone = tell.send(());
            }
        }
        self.observe_levels();
    }
}
