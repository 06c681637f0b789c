//! The requests that execute at a speed that changes, and when they end.

use super::slowdown::Slowdown;
use k8s_flowcontrol_rules::controller::Ticket;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// Executing requests. All have the same speed, so that the one ends first that has to reach the least progress.
#[derive(Debug)]
pub(super) struct Executing {
    slowdown: Slowdown,
    /// The requests that were dispatched and have not begun, with their work and the time at which they begin.
    starting: VecDeque<(Duration, Duration, Ticket)>,
    /// The progress of each request in nanoseconds since the last time at which none executed, at `at`.
    progress: f64,
    at: Duration,
    /// By the progress in nanoseconds at which they end, and in the order in which they began.
    requests: BinaryHeap<Reverse<(u64, u64, Ticket)>>,
    begun: u64,
}

impl Executing {
    pub(super) fn new(slowdown: Slowdown) -> Self {
        Self {
            slowdown,
            starting: VecDeque::new(),
            progress: 0.0,
            at: Duration::ZERO,
            requests: BinaryHeap::new(),
            begun: 0,
        }
    }

    /// Adds a request that is dispatched after a wait, and has so much work: the time for which it executes alone. Returns the
    /// time until it begins.
    pub(super) fn add(
        &mut self,
        now: Duration,
        wait: Duration,
        work: Duration,
        ticket: Ticket,
    ) -> Duration {
        if wait.is_zero() || self.slowdown.start_delay.is_zero() {
            self.begin(now, work, ticket);
            return Duration::ZERO;
        }
        let delay = self.slowdown.start_delay;
        let at = now.saturating_add(delay);
        self.starting.push_back((at, work, ticket));
        delay
    }

    fn begin(&mut self, now: Duration, work: Duration, ticket: Ticket) {
        self.advance(now);
        self.begun += 1;
        let end = self.progress + work.as_nanos() as f64;
        self.requests
            .push(Reverse((end as u64, self.begun, ticket)));
    }

    /// The time at which the next request begins or ends.
    pub(super) fn next_change(&self) -> Option<Duration> {
        let start = self.starting.front().map(|(at, ..)| *at);
        start.into_iter().chain(self.next_end()).min()
    }

    fn next_end(&self) -> Option<Duration> {
        let Reverse((end, ..)) = self.requests.peek()?;
        let left = (*end as f64 - self.progress).max(0.0) / self.speed();
        Some(
            self.at
                .saturating_add(Duration::from_nanos(left.ceil() as u64)),
        )
    }

    /// Begins or ends the next request, and returns the ticket of a request that ends.
    pub(super) fn change(&mut self, now: Duration) -> Option<Ticket> {
        if let Some((at, work, ticket)) = self.starting.front().copied()
            && at <= now
        {
            self.starting.pop_front();
            self.begin(now, work, ticket);
            return None;
        }
        self.advance(now);
        let Reverse((.., ticket)) = self.requests.pop()?;
        Some(ticket)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.starting.is_empty()
    }

    fn advance(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.at).as_nanos() as f64;
        self.progress = match self.requests.is_empty() {
            true => 0.0,
            false => self.progress + passed * self.speed(),
        };
        self.at = self.at.max(now);
    }

    fn speed(&self) -> f64 {
        self.slowdown.speed(self.requests.len() as f64)
    }
}
