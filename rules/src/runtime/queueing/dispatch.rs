//! The choice of the next request.

use super::config::Queuing;
use super::last_dispatch::LastDispatch;
use super::queue_set::{QueueSet, SERVICE_TIME};
use super::request::Phase;
use super::seat_seconds::SeatSeconds;

impl QueueSet {
    /// Keeps the [last dispatch](Self::last_dispatch) from now on. Each dispatch then looks at every queue.
    pub fn keep_last_dispatch(&mut self) {
        self.keeps_last_dispatch = true;
    }

    /// The last dispatch from a queue; `None` before the first one, and unless it is
    /// [kept](Self::keep_last_dispatch).
    pub fn last_dispatch(&self) -> Option<LastDispatch> {
        self.last_dispatch
    }

    pub(super) fn dispatch_all(&mut self) {
        while self.waiting > 0 && (self.is_exempt() || self.seats_in_use < self.seats) {
            let Some(index) = self.next_queue() else {
                break;
            };
            let Some(slot) = self.queues[index].first else {
                break;
            };
            if !self.has_room(self.requests.get(slot).seats()) {
                break;
            }
            self.last_dispatched = Some(index);
            self.note_dispatch(index);
            self.dispatch(index, slot);
        }
    }

    /// The queue whose oldest request would finish first in virtual time; of several, the first one after the queue that
    /// was dispatched from last.
    pub(super) fn next_queue(&mut self) -> Option<usize> {
        let first = match self.last_dispatched {
            Some(last) => (last + 1) % self.queues.len().max(1),
            None => 0,
        };
        // A search that does not dispatch ends at the queue before the one at which it starts.
        self.last_dispatched = (first + self.queues.len())
            .checked_sub(1)
            .map(|last| last % self.queues.len().max(1));
        self.queues.earliest(first)
    }

    /// Notes the dispatch of the oldest request of a queue, which still waits.
    fn note_dispatch(&mut self, index: usize) {
        if !self.keeps_last_dispatch {
            return;
        }
        let starts = self
            .queues
            .used()
            .filter(|queue| queue.waiting > 0)
            .map(|queue| {
                let in_progress = SeatSeconds::of(queue.seats_in_use as f64, SERVICE_TIME);
                (
                    queue.next_dispatch_r,
                    queue.next_dispatch_r.minus(in_progress),
                )
            });
        let start_r = self.queues[index].next_dispatch_r;
        self.last_dispatch = Some(LastDispatch::new(self.current_r, start_r, starts));
    }

    /// Whether a request that needs `seats` seats can execute now.
    pub(super) fn has_room(&self, seats: u64) -> bool {
        if self.is_exempt() {
            return true;
        }
        if seats > self.seats {
            return self.executing == 0;
        }
        self.seats_in_use + seats <= self.seats
    }

    pub(super) fn is_exempt(&self) -> bool {
        self.queuing == Queuing::Exempt
    }

    /// Takes the oldest request of a queue and executes it.
    pub(super) fn dispatch(&mut self, index: usize, slot: u32) {
        self.leave_queue(index, slot);
        let limit = u32::try_from(self.seats).unwrap_or(u32::MAX).max(1);
        let start_r = self.queues[index].next_dispatch_r;
        let request = self.requests.get_mut(slot);
        request.phase = Phase::Executing;
        request.started = self.now;
        request.start_r = start_r;
        let waited = request.seats();
        if request.final_seats > limit {
            // The work stays the same.
            request.final_seats = limit;
            request.additional_latency = request.final_work.nanoseconds_of(limit);
        }
        let (seats, work) = (request.seats(), request.total_work);
        self.executing += 1;
        self.seats_in_use += seats;
        self.seats_reduced += waited - seats;
        self.queues.change(index, |queue| {
            queue.executing += 1;
            queue.seats_in_use += seats;
            queue.next_dispatch_r = queue.next_dispatch_r.plus(work);
        });
        self.bound_next_dispatch(index);
        self.dispatched.push(self.requests.id(slot));
    }
}
