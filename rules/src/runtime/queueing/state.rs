//! The state of a queue set for people and programs.

use super::queue::Queue;
use super::queue_set::QueueSet;
use super::request::{Phase, RequestId};
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
    /// The virtual time of the queue's next dispatch; 0 for a queue that was never used. If more than 10,000 queues were used, those
    /// without requests can count as never used.
    pub next_dispatch_r: SeatSeconds,
    /// The virtual time at which the queue's oldest waiting request would finish; none if nothing waits. The queue with the
    /// earliest is dispatched from next.
    pub next_finish_r: Option<SeatSeconds>,
}

impl QueueSet {
    /// The seats in use and the seats that the waiting requests need: the seat demand, from which a server adjusts the
    /// limits of its levels.
    ///
    /// A server never ceases to count the seats by which a dispatch [reduced](super::Work::final_seats) a request.
    pub fn seat_demand(&self) -> u64 {
        self.seats_in_use + self.seats_waiting + self.seats_reduced
    }

    /// The seats that the waiting requests need.
    pub fn seats_waiting(&self) -> u64 {
        self.seats_waiting
    }

    /// The hand of a flow: indexes of queues, in the order dealt. Empty if the level does not queue.
    pub fn hand(&self, flow_hash: u64) -> Vec<u32> {
        let hand = self.dealer.map(|dealer| dealer.deal(flow_hash));
        hand.unwrap_or_default()
    }

    /// The queue that the next request of a flow would join: the queue of its hand with the least waiting work. `None`
    /// if the level does not queue.
    pub fn next_queue_of(&self, flow_hash: u64) -> Option<u32> {
        let hand = self.hand(flow_hash);
        self.least_work(&hand)
    }

    /// The virtual start of an executing request of a queue, and its virtual finish: the start and the work that its queue was
    /// charged for. The request whose finish was the earliest went first.
    pub fn virtual_execution(&self, request: RequestId) -> Option<(SeatSeconds, SeatSeconds)> {
        let request = self
            .requests
            .get(self.requests.find(request, Phase::Executing)?);
        request.queue?;
        Some((request.start_r, request.start_r.plus(request.total_work)))
    }

    /// The queue of a request that waits or executes; `None` if it has none.
    pub fn queue(&self, request: RequestId) -> Option<u32> {
        let phases = [Phase::Waiting, Phase::Executing];
        let mut found = phases
            .iter()
            .filter_map(|phase| self.requests.find(request, *phase));
        self.requests.get(found.next()?).queue
    }

    /// The queue of a waiting request, and the number of requests ahead of it in the queue; `None` if it does not wait.
    pub fn place(&self, request: RequestId) -> Option<(u32, u32)> {
        let slot = self.requests.find(request, Phase::Waiting)?;
        let request = self.requests.get(slot);
        Some((request.queue?, self.requests.ahead(slot)))
    }

    /// The number of waiting requests.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// The number of executing requests, without requests that have ended and still occupy final seats.
    pub fn executing(&self) -> usize {
        self.executing
    }

    /// The seats in use, final seats included.
    pub fn seats_in_use(&self) -> u64 {
        self.seats_in_use
    }

    /// The reading of virtual time at the last event.
    pub fn current_r(&self) -> SeatSeconds {
        self.current_r
    }

    /// The number of queues. More than configured while surplus queues drain.
    pub fn queue_count(&self) -> usize {
        self.queues.len()
    }

    /// The number of queues in which requests wait.
    pub fn waiting_queues(&self) -> usize {
        let queues = self.queues.used();
        queues.filter(|queue| queue.waiting > 0).count()
    }

    /// The state of a queue, as of the last event; `None` if there is no such queue.
    pub fn queue_state(&self, index: u32) -> Option<QueueState> {
        let index = index as usize;
        (index < self.queues.len()).then(|| QueueState::of(&self.queues[index]))
    }

    /// The queue that is dispatched from next, and the virtual time at which its oldest waiting request would finish; the
    /// first of several. `None` if nothing waits.
    pub fn next_finish(&self) -> Option<(u32, SeatSeconds)> {
        let index = self.queues.earliest(0)?;
        let finish = self.queues[index].finish()?;
        Some((u32::try_from(index).ok()?, finish))
    }

    /// The current state, as of the last event, with that of every queue: 72 bytes each.
    pub fn state(&self) -> QueueSetState {
        QueueSetState {
            waiting: self.waiting,
            executing: self.executing,
            seats_in_use: self.seats_in_use,
            seats_waiting: self.seats_waiting,
            current_r: self.current_r,
            queues: (0..self.queues.len())
                .map(|index| QueueState::of(&self.queues[index]))
                .collect(),
        }
    }
}

impl QueueState {
    fn of(queue: &Queue) -> Self {
        Self {
            waiting: queue.waiting,
            executing: queue.executing,
            seats_in_use: queue.seats_in_use,
            seats_waiting: queue.waiting_seats,
            initial_seats_waiting: queue.waiting_initial_seats,
            waiting_work: queue.waiting_work,
            next_dispatch_r: queue.next_dispatch_r,
            next_finish_r: queue.finish(),
        }
    }
}
