//! A request of a queue set.

use super::seat_seconds::SeatSeconds;

/// The number of a request of one [`QueueSet`](super::QueueSet).
///
/// An id is not used again. The methods of the queue set ignore ids that it does not know (any more).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId {
    pub(super) generation: u32,
    pub(super) slot: u32,
}

impl RequestId {
    /// A small number that no other request has at the same time, as index for a table of the caller's own.
    ///
    /// A later request can have the same one.
    pub const fn slot(self) -> usize {
        self.slot as usize
    }
}

/// The decision of a queue set about a request on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Decision {
    /// The request executes from now on.
    Dispatched(RequestId),
    /// The request waits in a queue.
    Queued(RequestId),
    /// The request gets HTTP status 429.
    Rejected(Rejection),
}

/// Why a queue set rejects a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The queue is full and all seats are in use.
    QueueFull,
    /// Not enough seats are free, and the level does not queue.
    ConcurrencyLimit,
}

impl Rejection {
    /// The label `reason` of the server's metric `apiserver_flowcontrol_rejected_requests_total`.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::QueueFull => "queue-full",
            Self::ConcurrencyLimit => "concurrency-limit",
        }
    }
}

/// The part of its life in which a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Waiting,
    Executing,
    /// The request has ended and still occupies its seats.
    Lingering,
    /// The slot is free.
    Over,
}

/// A request, or the free slot of a past one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) generation: u32,
    pub(super) phase: Phase,
    /// The index of the queue; none if the request was dispatched on arrival without one.
    pub(super) queue: Option<u32>,
    pub(super) initial_seats: u32,
    pub(super) final_seats: u32,
    /// In nanoseconds.
    pub(super) additional_latency: u64,
    /// Of the final seats.
    pub(super) final_work: SeatSeconds,
    pub(super) total_work: SeatSeconds,
    /// Virtual time at the arrival.
    pub(super) arrival_r: SeatSeconds,
    /// The virtual start: the virtual time of the queue's next dispatch when the request was dispatched.
    pub(super) start_r: SeatSeconds,
    /// In nanoseconds.
    pub(super) started: u64,
    /// The neighbors in the queue.
    pub(super) before: Option<u32>,
    pub(super) after: Option<u32>,
}

impl Request {
    /// The seats that the request occupies in all phases.
    pub(super) fn seats(&self) -> u64 {
        self.initial_seats.max(self.final_seats).into()
    }
}
