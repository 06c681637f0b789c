//! The last choice of a queue, as the metrics of a server show it.

use super::queue_set::{QueueSet, SERVICE_TIME};
use super::seat_seconds::SeatSeconds;

/// The last dispatch from a queue, in virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastDispatch {
    /// The virtual time of the dispatch (metric `dispatch_r`).
    pub r: SeatSeconds,
    /// The virtual start of the dispatched request (metric `latest_s`).
    pub start_r: SeatSeconds,
    /// The least and the greatest virtual start of the queues in which requests waited (metric `next_s_bounds`).
    pub start_bounds: (SeatSeconds, SeatSeconds),
    /// The same without the estimated work of executing requests (metric `next_discounted_s_bounds`).
    pub discounted_bounds: (SeatSeconds, SeatSeconds),
}

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

    /// Notes the dispatch of the oldest request of a queue, which still waits.
    pub(super) fn note_dispatch(&mut self, index: usize) {
        if !self.keeps_last_dispatch {
            return;
        }
        let start_r = self.queues[index].next_dispatch_r;
        let mut last = LastDispatch {
            r: self.current_r,
            start_r,
            start_bounds: (start_r, start_r),
            discounted_bounds: (SeatSeconds(u64::MAX), SeatSeconds(0)),
        };
        for queue in self.queues.used().filter(|queue| queue.waiting > 0) {
            let start = queue.next_dispatch_r;
            let in_progress = SeatSeconds::of(queue.seats_in_use as f64, SERVICE_TIME);
            widen(&mut last.start_bounds, start);
            widen(&mut last.discounted_bounds, start.minus(in_progress));
        }
        self.last_dispatch = Some(last);
    }
}

fn widen(bounds: &mut (SeatSeconds, SeatSeconds), value: SeatSeconds) {
    bounds.0 = bounds.0.min(value);
    bounds.1 = bounds.1.max(value);
}
