//! Counts of requests.

use std::iter::Sum;

/// The numbers of requests of one flow schema.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) executing: u64,
    pub(crate) executing_seats: u64,
    pub(crate) waiting: u64,
    pub(crate) waiting_seats: u64,
    pub(crate) dispatched: u64,
    pub(crate) queue_full: u64,
    pub(crate) concurrency_limit: u64,
    pub(crate) timed_out: u64,
    pub(crate) cancelled: u64,
}

impl Counts {
    pub(super) fn wait(&mut self, seats: u64) {
        self.waiting += 1;
        self.waiting_seats += seats;
    }

    pub(super) fn leave_queue(&mut self, seats: u64) {
        self.waiting -= 1;
        self.waiting_seats -= seats;
    }

    pub(super) fn execute(&mut self, seats: u64) {
        self.dispatched += 1;
        self.executing += 1;
        self.executing_seats += seats;
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, counts| Self {
            executing: sum.executing + counts.executing,
            executing_seats: sum.executing_seats + counts.executing_seats,
            waiting: sum.waiting + counts.waiting,
            waiting_seats: sum.waiting_seats + counts.waiting_seats,
            dispatched: sum.dispatched + counts.dispatched,
            queue_full: sum.queue_full + counts.queue_full,
            concurrency_limit: sum.concurrency_limit + counts.concurrency_limit,
            timed_out: sum.timed_out + counts.timed_out,
            cancelled: sum.cancelled + counts.cancelled,
        })
    }
}
