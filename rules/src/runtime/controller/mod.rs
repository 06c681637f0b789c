//! The flow control of a whole server: classification, the queues of all priority levels, and borrowing of seats.
//!
//! A [`FlowController`] combines [`matching`](crate::matching), [`limits`](crate::limits) and
//! [`queueing`](crate::queueing) as kube-apiserver does. It does not do I/O and does not read a clock: every method
//! takes the time, as a duration since any fixed moment.
//!
//! ```
//! use k8s_flowcontrol_rules::controller::{Admission, FlowController};
//! use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
//! use k8s_flowcontrol_rules::queueing::Work;
//! use k8s_flowcontrol_types::Release;
//! use std::time::Duration;
//!
//! // A server without configured objects has the levels `exempt` and `catch-all`.
//! let mut server = FlowController::new(&[], &[], 600, Release::NEWEST, Duration::ZERO)?;
//! let request = RequestAttributes::from_http("GET", "/api/v1/pods", User::named("alice"))?;
//! let flow = server.classify(&request).ok_or("long-running")?;
//! let (level, hash) = (server.level(flow.priority_level).ok_or("no level")?, flow.flow_hash());
//! let Admission::Dispatched(ticket) = server.arrive(Duration::ZERO, level, hash, Work::seats(1)) else { panic!() };
//! server.finish(Duration::from_millis(3), ticket);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adjust;
mod configure;
mod forecast;
mod level;
mod retry_after;

pub use forecast::Forecast;
pub use level::LevelState;

use crate::limits::{Adjustment, ServerLimits};
use crate::matching::{Classification, Classifier, RequestAttributes};
use crate::queueing::{Decision, Rejection, RequestId, Work};
use crate::sharding::InvalidDealer;
use adjust::seats_of;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::{Fact, Release};
use level::Level;
use std::time::Duration;

/// The time between two adjustments of the limits.
pub const ADJUSTMENT_PERIOD: Duration = Duration::from_secs(10);

/// The time after which servers end requests by default.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// The time after which missed adjustments are not made up for.
const MISSED: Duration = Duration::from_secs(3600);

/// The maximum time that a request with this deadline waits in a queue since 1.29: a quarter of the deadline, at most one minute.
pub fn wait_limit(deadline: Duration) -> Duration {
    (deadline / 4).min(Duration::from_secs(60))
}

/// The place of a priority level in a [`FlowController`]. It stays the same until the level is removed and its last request has
/// ended; then a new level can get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LevelIndex(usize);

impl LevelIndex {
    /// A small number, as index for a table of the caller's own.
    pub const fn index(self) -> usize {
        self.0
    }
}

/// A request that executes or waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket {
    /// The priority level.
    pub level: LevelIndex,
    /// The request in the level's queue set.
    pub request: RequestId,
}

/// The decision about a request on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Admission {
    /// The request executes from now on.
    Dispatched(Ticket),
    /// The request waits in a queue.
    Queued(Ticket),
    /// The request gets HTTP status 429.
    Rejected(Rejection),
}

/// The flow control of one server.
///
/// Limits are adjusted to demand every [`ADJUSTMENT_PERIOD`] since the start, and on every change of the configuration. Levels that a
/// change removes keep their shares until their last request ends.
#[derive(Clone, Debug)]
pub struct FlowController {
    release: Release,
    concurrency_limit: u32,
    classifier: Classifier,
    limits: ServerLimits,
    adjustment: Option<Adjustment>,
    levels: Vec<Level>,
    next_adjustment: Duration,
    /// The time of the next adjustment or the next end of an additional latency.
    next_event: Duration,
    dispatched: Vec<Ticket>,
    keeps_last_dispatches: bool,
    has_length_limits: bool,
    /// What sets the next limits, between [`resume`](Self::resume) and the time of the forecast.
    forecast: Option<Forecast>,
}

impl FlowController {
    /// Creates the flow control of an idle server at the time `start`.
    ///
    /// The objects are read as by [`Classifier::new`] and [`ServerLimits::new`].
    ///
    /// # Errors
    /// [`InvalidDealer`] if a level's hands cannot be dealt, which validation excludes.
    pub fn new(
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        concurrency_limit: u32,
        release: Release,
        start: Duration,
    ) -> Result<Self, InvalidDealer> {
        let mut new = Self {
            release,
            concurrency_limit,
            classifier: Classifier::new(&[], &[], release),
            limits: ServerLimits::new(&[], concurrency_limit, release),
            adjustment: None,
            levels: Vec::new(),
            next_adjustment: start.saturating_add(ADJUSTMENT_PERIOD),
            next_event: start,
            dispatched: Vec::new(),
            keeps_last_dispatches: false,
            has_length_limits: true,
            forecast: None,
        };
        new.configure(start, flow_schemas, priority_levels)?;
        Ok(new)
    }

    /// Keeps the [last dispatch](crate::queueing::QueueSet::keep_last_dispatch) of each level from now on.
    pub fn keep_last_dispatches(&mut self) {
        self.keeps_last_dispatches = true;
        for level in &mut self.levels {
            level.queues.keep_last_dispatch();
        }
    }

    /// Lets any number of requests wait in each queue from now on, for requests that a server is known to have accepted.
    pub fn lift_queue_length_limits(&mut self, now: Duration) {
        self.advance(now);
        self.has_length_limits = false;
        for index in 0..self.levels.len() {
            self.reconfigure(now, index, seats_of(&self.levels[index]));
        }
    }

    /// The flow schema, priority level and flow of a request; `None` if flow control does not apply to it.
    pub fn classify<'a>(&'a self, request: &'a RequestAttributes) -> Option<Classification<'a>> {
        self.classifier.classify(request)
    }

    /// The place of a priority level; `None` if the level does not exist, or was removed and its last request has ended.
    pub fn level(&self, name: &str) -> Option<LevelIndex> {
        let index = self
            .levels
            .iter()
            .position(|level| level.adjusted.name == name && !level.adjusted.is_gone)?;
        Some(LevelIndex(index))
    }

    /// The levels, in the order of [`LevelIndex`]. A removed level is included until a new level gets its place.
    pub fn levels(&self) -> impl Iterator<Item = LevelState<'_>> {
        self.levels.iter().map(Level::state)
    }

    /// The limits without demand: of the configuration, and of removed levels until their last request ends.
    pub fn limits(&self) -> &ServerLimits {
        &self.limits
    }

    /// The last adjustment of the limits to the demand.
    pub fn adjustment(&self) -> Option<&Adjustment> {
        self.adjustment.as_ref()
    }

    /// The maximum time that a request with this deadline waits in a queue: [`wait_limit`], or before 1.29 a quarter of the server's default
    /// request timeout, which is a minute.
    pub fn wait_limit(&self, deadline: Duration) -> Duration {
        match self.release.has(Fact::OwnWaitLimits) {
            true => wait_limit(deadline),
            false => wait_limit(REQUEST_TIMEOUT).min(deadline),
        }
    }

    /// Decides about a new request of a level, with the hash of its flow and its work.
    ///
    /// Other requests can be dispatched too: see [`dispatched`](Self::dispatched).
    pub fn arrive(
        &mut self,
        now: Duration,
        level: LevelIndex,
        flow_hash: u64,
        work: Work,
    ) -> Admission {
        self.advance(now);
        let ticket = |request| Ticket { level, request };
        let decision = self.change(now, level, |queues| queues.arrive(now, flow_hash, work));
        match decision {
            Decision::Dispatched(request) => Admission::Dispatched(ticket(request)),
            Decision::Queued(request) => Admission::Queued(ticket(request)),
            Decision::Rejected(rejection) => Admission::Rejected(rejection),
        }
    }

    /// Counts a request of a level that gets status 429, because it was [rejected](Self::arrive) or waited too long, and returns the
    /// value of its header `Retry-After`: one second, or since 1.28 up to 32 seconds while the level rejects many requests.
    pub fn reject(&mut self, now: Duration, level: LevelIndex) -> Duration {
        match self.levels.get_mut(level.0) {
            Some(level) => level.retry_after.reject(now),
            None => Duration::from_secs(1),
        }
    }

    /// Sets the `Retry-After` of a level that goes on from a log or from another server. It changes when the rejections of as many seconds are
    /// known; before 1.28 it is always one second.
    pub fn set_retry_after(&mut self, level: LevelIndex, time: Duration) {
        if let Some(level) = self.levels.get_mut(level.0) {
            level.retry_after.set(time);
        }
    }

    /// Ends the execution of a request. A request that does not execute is ignored.
    pub fn finish(&mut self, now: Duration, ticket: Ticket) {
        self.advance(now);
        self.change(now, ticket.level, |queues| {
            queues.finish(now, ticket.request)
        });
        self.divide_seats_of(now, ticket.level);
    }

    /// Removes a waiting request, and returns whether it was waiting.
    pub fn cancel(&mut self, now: Duration, ticket: Ticket) -> bool {
        self.advance(now);
        let was_waiting = self.change(now, ticket.level, |queues| {
            queues.cancel(now, ticket.request)
        });
        self.divide_seats_of(now, ticket.level);
        was_waiting
    }

    /// The maximum number of seats that the server estimates for a request of a level; `None` if the level does not bound them.
    ///
    /// A level that does not queue any more keeps the bound that it had when it did.
    pub fn max_seats(&self, level: LevelIndex) -> Option<u64> {
        self.levels.get(level.0)?.max_seats
    }

    /// The time of the next adjustment or the next end of an additional latency, at which the caller advances.
    pub fn next_event(&self) -> Duration {
        self.next_event
    }

    /// Handles everything that happens until `now`, each at its time.
    ///
    /// After a jump of the clock by more than an hour one adjustment replaces all missed adjustments.
    pub fn advance(&mut self, now: Duration) {
        if now.saturating_sub(self.next_adjustment) > MISSED {
            self.next_adjustment = now;
            self.next_event = self.find_next_event();
        }
        loop {
            let next = self.next_event;
            if next > now || now == Duration::MAX {
                return;
            }
            for index in 0..self.levels.len() {
                if self.levels[index]
                    .queues
                    .next_event()
                    .is_some_and(|event| event <= next)
                {
                    self.change(next, LevelIndex(index), |queues| queues.advance(next));
                }
            }
            if self.next_adjustment <= next {
                self.next_adjustment = next.saturating_add(ADJUSTMENT_PERIOD);
                self.adjust(next);
            }
            self.next_event = self.find_next_event();
        }
    }

    fn find_next_event(&self) -> Duration {
        let events = self
            .levels
            .iter()
            .filter_map(|level| level.queues.next_event());
        events.fold(self.next_adjustment, Duration::min)
    }

    /// Takes the requests that were dispatched since the last call, in order. It includes requests that were dispatched on
    /// arrival.
    pub fn dispatched(&mut self) -> std::vec::Drain<'_, Ticket> {
        self.dispatched.drain(..)
    }

    /// Changes a level's queues, and notes the new demand and the dispatched requests.
    fn change<T>(
        &mut self,
        now: Duration,
        level: LevelIndex,
        change: impl FnOnce(&mut crate::queueing::QueueSet) -> T,
    ) -> T {
        let of = &mut self.levels[level.0];
        let result = change(&mut of.queues);
        of.note_demand(now);
        if let Some(event) = of.queues.next_event() {
            self.next_event = self.next_event.min(event);
        }
        let dispatched = of.queues.dispatched();
        self.dispatched
            .extend(dispatched.map(|request| Ticket { level, request }));
        result
    }
}
