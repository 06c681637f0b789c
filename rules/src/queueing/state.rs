//! The state of a queue set for people and programs.

use super::seat_seconds::SeatSeconds;

/// The state of a [`QueueSet`](super::QueueSet).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueSetState {
    /// The number of waiting requests.
    pub waiting: usize,
    /// The number of executing requests, without requests that have ended and still occupy final seats.
    pub executing: usize,
    /// The seats in use, final seats included.
    pub seats_in_use: u64,
    /// The seats that the waiting requests need.
    pub seats_waiting: u64,
    /// The reading of virtual time at the last event.
    pub current_r: SeatSeconds,
    /// The queues. More than configured while surplus queues drain.
    pub queues: Vec<QueueState>,
}

/// The state of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueState {
    /// The number of waiting requests.
    pub waiting: u32,
    /// The number of executing requests, without requests that have ended and still occupy final seats.
    pub executing: u32,
    /// The seats in use by requests of this queue, final seats included.
    pub seats_in_use: u64,
    /// The seats that the waiting requests need.
    pub seats_waiting: u64,
    /// The seats that the waiting requests need while they execute, without final seats.
    pub initial_seats_waiting: u64,
    /// The work of the waiting requests. The queue of a hand with the least takes the request.
    pub waiting_work: SeatSeconds,
    /// The virtual time of the queue's next dispatch.
    pub next_dispatch_r: SeatSeconds,
    /// The virtual time at which the queue's oldest waiting request would finish; none if nothing waits. The queue with the
    /// earliest is dispatched from next.
    pub next_finish_r: Option<SeatSeconds>,
}
