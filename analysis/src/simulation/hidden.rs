//! The waits that a log does not have.
//!
//! A server records the waits of some requests only. The others follow from its queues, which can be derived from the log: they
//! get each request when it arrived, and lose it when it ended.

use super::logged::Recorded;
use super::places::Places;
use super::waits::Waits;
use crate::times::after;
use k8s_flowcontrol_rules::controller::{Admission, FlowController, LevelIndex};
use k8s_flowcontrol_rules::queueing::Work;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// The most requests that are kept because one before them has not ended.
const MAX_OPEN: usize = 1 << 16;

/// The rejections over which their times are averaged.
const REJECTIONS: u32 = 16;

/// The execution of a class that has not ended any, in microseconds.
const UNUSUAL_US: u64 = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// A recorded wait ends.
    Dispatch,
    End,
}

/// How long the requests of a class usually execute.
#[derive(Clone, Debug, Default)]
struct Usual {
    times: Waits,
    /// The median of the times when their number was last a power of two, in microseconds.
    median_us: u64,
}

impl Usual {
    /// In microseconds; [`UNUSUAL_US`] before the first time.
    fn median_us(&self) -> u64 {
        match self.median_us {
            0 => UNUSUAL_US,
            median => median,
        }
    }

    fn add(&mut self, time: Duration) {
        self.times.add(time);
        if self.times.count().is_power_of_two() {
            self.median_us = self.times.percentile(50.0).as_micros() as u64;
        }
    }
}

/// Where a request arrives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    pub(crate) level: LevelIndex,
    /// The hash of its flow.
    pub(crate) hash: u64,
    pub(crate) work: Work,
    /// How long it waits at most.
    pub(crate) patience: Duration,
}

/// The time that a server needed for a rejection besides flow control; none if the request waited too long, which is most of its time.
pub(crate) fn overhead_of_rejection(took: Duration, patience: Duration) -> Option<Duration> {
    (took < patience).then_some(took)
}

/// A request on its way.
#[derive(Clone, Debug)]
struct Open {
    request: Recorded,
    /// The index of its level; none if it does not have a place there.
    level: Option<usize>,
    /// The end of its recorded wait.
    waited: Option<i64>,
    /// The time that the server needs before and after flow control.
    overhead: Duration,
    /// How long it waits at most, if the log does not have its wait.
    patience: Duration,
    done: Option<Recorded>,
}

/// Separates the waits of requests from their executions. The requests keep their order.
///
/// Requests with the same class execute about equally long.
#[derive(Clone, Debug)]
pub(crate) struct Separator {
    server: FlowController,
    levels: Vec<Places>,
    /// Requests in the order of their arrival, with consecutive numbers.
    open: VecDeque<Open>,
    /// The number of the first of them.
    base: u64,
    steps: BinaryHeap<Reverse<(i64, Step, u64)>>,
    /// How long requests of each class executed that ended.
    executions: Vec<Usual>,
    /// The time that rejections took lately.
    overhead: Duration,
    first: i64,
    /// The time of the last step, in microseconds of the log.
    pub(crate) now: i64,
}

impl Separator {
    /// `server` is idle at the time `first` of the first request.
    pub(crate) fn new(mut server: FlowController, first: i64) -> Self {
        // Rejections come from the log.
        server.lift_queue_length_limits(Duration::ZERO);
        Self {
            levels: vec![Places::default(); server.levels().count()],
            server,
            open: VecDeque::new(),
            base: 0,
            steps: BinaryHeap::new(),
            executions: Vec::new(),
            overhead: Duration::ZERO,
            first,
            now: first,
        }
    }

    /// Adds a request that does not arrive before the last one; one that does counts as late.
    pub(crate) fn push(&mut self, request: Recorded, arriving: Arriving) {
        let arrival = request.received_us;
        while self
            .steps
            .peek()
            .is_some_and(|Reverse((at, ..))| *at <= arrival)
        {
            self.step();
        }
        self.advance(arrival);
        self.arrive(request, arriving);
    }

    /// The first request, if it has ended. It comes before its end if it keeps too many others waiting.
    pub(crate) fn pop(&mut self) -> Option<Recorded> {
        if self.open.len() > MAX_OPEN {
            self.end(self.base);
        }
        self.open.front().filter(|open| open.done.is_some())?;
        self.base += 1;
        self.open.pop_front()?.done
    }

    /// Lets the time pass until all requests have ended.
    pub(crate) fn finish(&mut self) {
        while self.step() {}
    }

    fn open(&mut self, number: u64) -> Option<&mut Open> {
        let index = usize::try_from(number.checked_sub(self.base)?).ok()?;
        self.open.get_mut(index)
    }

    /// A time of the server's queues.
    fn at(&self, us: i64) -> Duration {
        Duration::from_micros(us.saturating_sub(self.first).max(0).unsigned_abs())
    }

    /// Handles the next step; false without one.
    fn step(&mut self) -> bool {
        let Some(Reverse((at, step, number))) = self.steps.peek().copied() else {
            return false;
        };
        self.advance(at);
        self.steps.pop();
        match step {
            Step::End => self.end(number),
            Step::Dispatch => self.waited(number),
        }
        true
    }

    /// Lets the time of the queues pass.
    fn advance(&mut self, until: i64) {
        let until = until.max(self.now);
        loop {
            let next = self.server.next_event().as_nanos().div_ceil(1000);
            let next = i64::try_from(next).unwrap_or(i64::MAX);
            self.now = next.saturating_add(self.first).min(until).max(self.now);
            self.server.advance(self.at(self.now));
            self.note_dispatched();
            if self.now == until {
                return;
            }
        }
    }

    fn note_dispatched(&mut self) {
        for ticket in self.server.dispatched() {
            self.levels[ticket.level.index()].dispatched(self.now, ticket);
        }
    }

    fn arrive(&mut self, request: Recorded, arriving: Arriving) {
        let number = self.base + self.open.len() as u64;
        let took = request.took.unwrap_or_default();
        let waited = request.observed.unwrap_or_default();
        let mut open = Open {
            request,
            level: None,
            waited: None,
            overhead: self.overhead.min(took.saturating_sub(waited)),
            patience: arriving.patience,
            done: None,
        };
        let received = request.received_us;
        if request.rejected
            && let Some(took) = overhead_of_rejection(took, arriving.patience)
        {
            open.overhead = took;
            self.overhead = match self.overhead.is_zero() {
                true => took,
                false => (self.overhead * (REJECTIONS - 1) + took) / REJECTIONS,
            };
        }
        if request.rejected || request.took.is_none() {
            open.done = Some(Recorded {
                execution: None,
                overhead: open.overhead,
                ..request
            });
        } else {
            let end = after(received, took.saturating_sub(open.overhead));
            self.steps.push(Reverse((end, Step::End, number)));
            let at = self.at(self.now);
            let Arriving {
                level, hash, work, ..
            } = arriving;
            let admission = self.server.arrive(at, level, hash, work);
            if let Admission::Dispatched(ticket) | Admission::Queued(ticket) = admission {
                let until = request.observed.map(|wait| after(received, wait).min(end));
                if let Some(until) = until {
                    self.steps.push(Reverse((until, Step::Dispatch, number)));
                }
                let level = ticket.level.index();
                open.level = Some(level);
                let usual = self.executions.get(request.class as usize);
                let usual = usual.map_or(UNUSUAL_US, Usual::median_us);
                self.levels[level].add(number, ticket, (received, end), until, usual);
            }
        }
        self.open.push_back(open);
        self.note_dispatched();
    }

    fn waited(&mut self, number: u64) {
        let now = self.now;
        let open = self.open(number);
        if let Some(open) = open
            && let Some(level) = open.level
        {
            open.waited = Some(now);
            self.levels[level].waited(number);
        }
    }

    fn end(&mut self, number: u64) {
        let now = self.now;
        let Some(open) = self.open(number) else {
            return;
        };
        let (request, level) = (open.request, open.level);
        let (waited, overhead, patience) = (open.waited, open.overhead, open.patience);
        let place = level.and_then(|level| self.levels[level].remove(number));
        // Without a place, the queues would have rejected the request.
        let began = waited.or(place.map(|(_, began)| began.unwrap_or(now)));
        let wait = began.map_or(0, |began| began.saturating_sub(request.received_us));
        // A longer rest of its time is execution.
        let wait = Duration::from_micros(wait.max(0).unsigned_abs()).min(patience);
        let execution = request.took.map(|took| {
            let took = took.saturating_sub(overhead);
            took.saturating_sub(request.observed.unwrap_or(wait))
        });
        if let Some(execution) = execution {
            let class = request.class as usize;
            if class >= self.executions.len() {
                self.executions.resize(class + 1, Usual::default());
            }
            self.executions[class].add(execution);
        }
        if let Some(open) = self.open(number) {
            open.done = Some(Recorded {
                execution,
                overhead,
                ..request
            });
        }
        match place {
            Some((ticket, Some(_))) => self.server.finish(self.at(now), ticket),
            Some((ticket, None)) => {
                self.server.cancel(self.at(now), ticket);
            }
            None => {}
        }
        self.note_dispatched();
    }
}

/// The requests of a log whose waits are separated from their executions.
pub(super) struct Separate<I> {
    separator: Separator,
    requests: I,
}

impl<I: Iterator<Item = (Recorded, Arriving)>> Separate<I> {
    /// `separator` is that of the same log.
    pub(super) fn new(separator: Separator, requests: I) -> Self {
        Self {
            separator,
            requests,
        }
    }
}

impl<I: Iterator<Item = (Recorded, Arriving)>> Iterator for Separate<I> {
    type Item = Recorded;

    fn next(&mut self) -> Option<Recorded> {
        loop {
            let done = self.separator.pop();
            if done.is_some() {
                return done;
            }
            let Some((request, arriving)) = self.requests.next() else {
                self.separator.finish();
                return self.separator.pop();
            };
            self.separator.push(request, arriving);
        }
    }
}
