//! The progress of virtual time, and the places of queues in it.

use super::queue_set::{QueueSet, SERVICE_TIME, nanoseconds};
use super::request::Request;
use super::seat_seconds::SeatSeconds;
use std::cmp::Reverse;
use std::time::Duration;

impl QueueSet {
    /// Ends the additional latencies before `now`, and advances virtual time to `now`.
    pub(super) fn synchronize(&mut self, now: Duration) {
        let now = nanoseconds(now);
        while let Some(&Reverse((end, ..))) = self.lingering.peek() {
            if end >= now.max(self.now) {
                break;
            }
            self.step(Duration::from_nanos(end));
        }
        self.advance_virtual_time(now);
    }

    pub(super) fn advance_virtual_time(&mut self, now: u64) {
        let passed = now.saturating_sub(self.now);
        if passed == 0 {
            return;
        }
        self.now = now;
        if self.queues.active == 0 {
            return;
        }
        let seats = self.queues.seat_demand.min(self.seats) as f64 / self.queues.active as f64;
        self.current_r = self.current_r.plus(SeatSeconds::of(seats, passed));
        while self.current_r.ends_epoch() {
            self.start_epoch();
        }
    }

    /// Sets all readings of virtual time back, so that it never overflows.
    pub(super) fn start_epoch(&mut self) {
        self.current_r = self.current_r.in_next_epoch();
        self.queues
            .set_every_next_dispatch_r(|queue| match queue.is_active() {
                true => queue.next_dispatch_r.in_next_epoch(),
                // The next request of the queue sets it.
                false => SeatSeconds::default(),
            });
        for request in self.requests.all_mut() {
            request.arrival_r = request.arrival_r.in_next_epoch();
            request.start_r = request.start_r.in_next_epoch();
        }
    }

    /// Replaces the estimate for which the queue was charged at dispatch by the actual time.
    pub(super) fn correct_charge(&mut self, index: usize, ended: &Request) {
        let actual = self.now.saturating_sub(ended.started);
        let work = |time| SeatSeconds::of(ended.initial_seats.into(), time);
        let next = self.queues[index].next_dispatch_r;
        let corrected = match SERVICE_TIME.checked_sub(actual) {
            Some(saved) => next.minus(work(saved)),
            None => next.plus(work(actual - SERVICE_TIME)),
        };
        self.queues.set_next_dispatch_r(index, corrected);
    }

    /// A queue does not collect credit: its next dispatch in virtual time is not before the arrival of its next request.
    pub(super) fn bound_next_dispatch(&mut self, index: usize) {
        let queue = &self.queues[index];
        let arrival = queue.first.map(|slot| self.requests.get(slot).arrival_r);
        if let Some(arrival) = arrival.filter(|arrival| *arrival > queue.next_dispatch_r) {
            self.queues.set_next_dispatch_r(index, arrival);
        }
    }
}
