//! The last choice of a queue, as the metrics of a server show it.

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

impl LastDispatch {
    /// The dispatch of a request with the virtual start `start_r`, at the virtual time `r`. `queues` are the virtual starts of the
    /// queues in which requests wait, each with and without the estimated work of executing requests.
    pub(super) fn new(
        r: SeatSeconds,
        start_r: SeatSeconds,
        queues: impl Iterator<Item = (SeatSeconds, SeatSeconds)>,
    ) -> Self {
        let mut last = Self {
            r,
            start_r,
            start_bounds: (start_r, start_r),
            discounted_bounds: (SeatSeconds(u64::MAX), SeatSeconds(0)),
        };
        for (start, discounted) in queues {
            widen(&mut last.start_bounds, start);
            widen(&mut last.discounted_bounds, discounted);
        }
        last
    }
}

fn widen(bounds: &mut (SeatSeconds, SeatSeconds), value: SeatSeconds) {
    bounds.0 = bounds.0.min(value);
    bounds.1 = bounds.1.max(value);
}
