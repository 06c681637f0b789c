//! The state machine of one priority level.

use super::config::{QueueSetConfig, Queuing, Work};
use super::fifo::Requests;
use super::last_dispatch::LastDispatch;
use super::queue::Queues;
use super::request::{Decision, Phase, Rejection, Request, RequestId};
use super::seat_seconds::SeatSeconds;
use crate::sharding::{Dealer, InvalidDealer};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::time::Duration;

/// The estimate, in nanoseconds, of how long a request executes. Its queue is charged for it at dispatch.
pub(super) const SERVICE_TIME: u64 = 3_000_000;

/// The queues, seats and requests of one priority level.
///
/// Every method that takes a time first ends the additional latencies that were over before that time. An additional
/// latency that ends exactly then ends with [`advance`](Self::advance), so the caller decides the order of events at
/// the same time. A time before the last one counts as the last one. Times are exact to the nanosecond for 584 years.
///
/// A request whose time limit is over is [canceled](Self::cancel) by the caller: a queue set does not know time limits.
///
/// Removing queues differs from a server in one case. A server removes a surplus queue when nothing waits or executes in it
/// and can panic later if a request of it still occupied final seats. Here such a queue stays until these seats are free.
#[derive(Clone, Debug)]
pub struct QueueSet {
    pub(super) seats: u64,
    pub(super) queuing: Queuing,
    pub(super) dealer: Option<Dealer>,
    pub(super) queue_length_limit: u32,

    /// The time of the last event in nanoseconds.
    pub(super) now: u64,
    pub(super) current_r: SeatSeconds,
    pub(super) queues: Queues,
    /// The index of the queue after which the search for the next dispatch starts.
    pub(super) last_dispatched: Option<usize>,
    /// The number of requests that were dealt a hand. It varies the order in which the hand is searched.
    pub(super) dealt: u64,
    pub(super) hand: Vec<u32>,

    pub(super) requests: Requests,
    /// The requests that occupy final seats, by the end of their additional latency and then in the order of their end.
    pub(super) lingering: BinaryHeap<Reverse<(u64, u64, u32)>>,
    pub(super) lingered: u64,
    pub(super) dispatched: Vec<RequestId>,
    pub(super) keeps_last_dispatch: bool,
    pub(super) last_dispatch: Option<LastDispatch>,

    pub(super) waiting: usize,
    pub(super) executing: usize,
    pub(super) seats_in_use: u64,
    pub(super) seats_waiting: u64,
    /// The seats by which dispatches reduced requests. A server subtracts the reduced request from the waiting seats, and so counts the
    /// difference as demand for ever.
    pub(super) seats_reduced: u64,
}

impl QueueSet {
    /// Creates an idle queue set at the time `start`.
    ///
    /// # Errors
    /// [`InvalidDealer`] if hands cannot be dealt, for example if a hand is larger than the number of queues.
    pub fn new(config: &QueueSetConfig, start: Duration) -> Result<Self, InvalidDealer> {
        let mut new = Self {
            seats: 0,
            queuing: Queuing::Reject,
            dealer: None,
            queue_length_limit: 0,
            now: nanoseconds(start),
            current_r: SeatSeconds::default(),
            queues: Queues::default(),
            last_dispatched: Some(0),
            dealt: 0,
            hand: Vec::new(),
            requests: Requests::default(),
            lingering: BinaryHeap::new(),
            lingered: 0,
            dispatched: Vec::new(),
            keeps_last_dispatch: false,
            last_dispatch: None,
            waiting: 0,
            executing: 0,
            seats_in_use: 0,
            seats_waiting: 0,
            seats_reduced: 0,
        };
        new.reconfigure(start, config)?;
        Ok(new)
    }

    /// Forgets all requests. The next requests are dealt to queues as after `arrived` further requests.
    /// Errors: as [`new`](Self::new). The queue set is then unchanged.
    pub(crate) fn restart(
        &mut self,
        now: Duration,
        config: &QueueSetConfig,
        arrived: u64,
    ) -> Result<(), InvalidDealer> {
        let mut new = Self::new(config, now)?;
        new.dealt = self.dealt.wrapping_add(arrived);
        new.keeps_last_dispatch = self.keeps_last_dispatch;
        new.seats_reduced = self.seats_reduced;
        *self = new;
        Ok(())
    }

    /// Lets a new queue set take the place of `past`, of which no id is used again.
    pub(crate) fn continue_ids(&mut self, past: &mut Self) {
        self.requests = std::mem::take(&mut past.requests);
        self.requests.forget_all();
    }

    /// Changes the configuration. More seats can dispatch requests.
    ///
    /// Surplus queues get no more requests. Each is removed when the last of its requests ends, as long as there are
    /// more queues than configured; a queue in which nothing executes at the change can stay, as on a server. Requests
    /// that wait stay in their queues, also if the level does not queue any more.
    ///
    /// # Errors
    /// [`InvalidDealer`] if hands cannot be dealt. The configuration is then unchanged.
    pub fn reconfigure(
        &mut self,
        now: Duration,
        config: &QueueSetConfig,
    ) -> Result<(), InvalidDealer> {
        let dealer = match config.queuing {
            Queuing::Queue {
                queues, hand_size, ..
            } => Some(Dealer::new(queues, hand_size)?),
            Queuing::Exempt | Queuing::Reject => None,
        };
        self.synchronize(now);
        if let Queuing::Queue {
            queue_length_limit, ..
        } = config.queuing
        {
            self.queue_length_limit = u32::try_from(queue_length_limit).unwrap_or(0);
        }
        let queues = dealer.map_or(0, |dealer| dealer.queues() as usize);
        self.queues.grow(queues);
        self.seats = config.seats.into();
        self.queuing = config.queuing;
        self.dealer = dealer;
        self.dispatch_all();
        Ok(())
    }

    /// Decides about a new request of the flow with the hash `flow_hash`; see [`flow_hash`](crate::sharding::flow_hash).
    ///
    /// Other requests can be dispatched too: see [`dispatched`](Self::dispatched).
    pub fn arrive(&mut self, now: Duration, flow_hash: u64, work: Work) -> Decision {
        self.synchronize(now);
        let Some(dealer) = self.dealer else {
            return self.arrive_without_queue(work);
        };
        let index = self.choose_queue(dealer, flow_hash);
        let queue = &self.queues[index];
        if self.seats_in_use >= self.seats && queue.waiting >= self.queue_length_limit {
            return Decision::Rejected(Rejection::QueueFull);
        }
        if !queue.is_active() {
            self.queues.set_next_dispatch_r(index, self.current_r);
        }
        let id = self.insert(work, Phase::Waiting, Some(index as u32));
        self.queues
            .change(index, |queue| self.requests.push_back(queue, id.slot));
        self.waiting += 1;
        self.seats_waiting += self.requests.get(id.slot).seats();
        self.bound_next_dispatch(index);
        self.dispatch_all();
        match self.requests.get(id.slot).phase {
            Phase::Waiting => Decision::Queued(id),
            _ => Decision::Dispatched(id),
        }
    }

    /// Ends the execution of a request, which can dispatch others.
    ///
    /// Returns the time until which the request still occupies its seats, if it has an additional latency. A request
    /// that does not execute is ignored.
    pub fn finish(&mut self, now: Duration, request: RequestId) -> Option<Duration> {
        let slot = self.requests.find(request, Phase::Executing)?;
        self.synchronize(now);
        self.executing -= 1;
        let ended = *self.requests.get(slot);
        if let Some(index) = ended.queue.map(|index| index as usize) {
            self.queues.change(index, |queue| queue.executing -= 1);
            self.correct_charge(index, &ended);
            self.bound_next_dispatch(index);
        }
        let mut until = None;
        if ended.additional_latency == 0 {
            self.release(slot);
        } else {
            let end = self.now.saturating_add(ended.additional_latency);
            self.requests.get_mut(slot).phase = Phase::Lingering;
            self.lingering.push(Reverse((end, self.lingered, slot)));
            self.lingered += 1;
            until = Some(Duration::from_nanos(end));
        }
        self.dispatch_all();
        until
    }

    /// Removes a waiting request, for example because its time limit is over, and returns whether it was waiting.
    ///
    /// A request that executes cannot be canceled. As on a server, the free place does not lead to a dispatch before
    /// the next event, even if the canceled request kept others from being dispatched.
    pub fn cancel(&mut self, now: Duration, request: RequestId) -> bool {
        if self.requests.find(request, Phase::Waiting).is_none() {
            return false;
        }
        self.synchronize(now);
        // The time can have dispatched the request.
        let Some(slot) = self.requests.find(request, Phase::Waiting) else {
            return false;
        };
        if let Some(index) = self.requests.get(slot).queue.map(|index| index as usize) {
            self.leave_queue(index, slot);
            self.bound_next_dispatch(index);
        }
        self.requests.remove(slot);
        true
    }

    /// The time at which the next additional latency ends; none if no request has one.
    pub fn next_event(&self) -> Option<Duration> {
        let Reverse((end, ..)) = self.lingering.peek()?;
        Some(Duration::from_nanos(*end))
    }

    /// Ends all additional latencies that are over at `now`, which can dispatch requests.
    pub fn advance(&mut self, now: Duration) {
        while self.step(now) {}
    }

    /// Ends the oldest additional latency that is over at `now`, and returns whether there was one.
    pub fn step(&mut self, now: Duration) -> bool {
        let until = nanoseconds(now).max(self.now);
        match self.lingering.peek() {
            Some(&Reverse((end, _, slot))) if end <= until => {
                self.lingering.pop();
                self.advance_virtual_time(end);
                self.release(slot);
                self.dispatch_all();
                true
            }
            _ => false,
        }
    }

    /// Takes the requests that were dispatched since the last call, in order.
    ///
    /// They include those for which [`arrive`](Self::arrive) returned [`Decision::Dispatched`].
    pub fn dispatched(&mut self) -> std::vec::Drain<'_, RequestId> {
        self.dispatched.drain(..)
    }

    fn arrive_without_queue(&mut self, work: Work) -> Decision {
        let seats = work.initial_seats.max(work.final_seats);
        if !self.has_room(seats.into()) {
            return Decision::Rejected(Rejection::ConcurrencyLimit);
        }
        let id = self.insert(work, Phase::Executing, None);
        self.executing += 1;
        self.seats_in_use += u64::from(seats);
        self.dispatched.push(id);
        Decision::Dispatched(id)
    }

    fn insert(&mut self, work: Work, phase: Phase, queue: Option<u32>) -> RequestId {
        let additional_latency = nanoseconds(work.additional_latency);
        let final_work = SeatSeconds::of(work.final_seats.into(), additional_latency);
        let initial_work = SeatSeconds::of(work.initial_seats.into(), SERVICE_TIME);
        self.requests.insert(Request {
            generation: 0,
            phase,
            queue,
            initial_seats: work.initial_seats,
            final_seats: work.final_seats,
            additional_latency,
            final_work,
            total_work: initial_work.plus(final_work),
            arrival_r: self.current_r,
            start_r: self.current_r,
            started: self.now,
            before: None,
            after: None,
        })
    }

    /// The queue of the flow's hand with the least waiting work.
    fn choose_queue(&mut self, dealer: Dealer, flow_hash: u64) -> usize {
        dealer.deal_into(flow_hash, &mut self.hand);
        let least = self.least_work(&self.hand);
        self.dealt += 1;
        least.unwrap_or(0) as usize
    }

    /// The queue of a hand with the least waiting work. Of several, the number of hands dealt before decides.
    pub(super) fn least_work(&self, hand: &[u32]) -> Option<u32> {
        // Less than the hand's size, so it fits.
        let (before, first) = hand.split_at((self.dealt % hand.len().max(1) as u64) as usize);
        let work = |index: &&u32| self.queues[**index as usize].waiting_work;
        first.iter().chain(before).min_by_key(work).copied()
    }

    /// Removes a waiting request from its queue.
    pub(super) fn leave_queue(&mut self, index: usize, slot: u32) {
        self.waiting -= 1;
        self.seats_waiting -= self.requests.get(slot).seats();
        self.queues
            .change(index, |queue| self.requests.unlink(queue, slot));
    }

    /// Frees the seats of a request and forgets it.
    fn release(&mut self, slot: u32) {
        let over = *self.requests.get(slot);
        self.requests.remove(slot);
        self.seats_in_use -= over.seats();
        if let Some(index) = over.queue.map(|index| index as usize) {
            self.queues
                .change(index, |queue| queue.seats_in_use -= over.seats());
            self.remove_queue_if_surplus(index);
        }
    }

    /// Removes a queue that no request uses if there are more than configured.
    fn remove_queue_if_surplus(&mut self, index: usize) {
        let configured = self.dealer.map_or(0, |dealer| dealer.queues() as usize);
        let queue = &self.queues[index];
        if self.queues.len() <= configured || queue.is_active() || queue.seats_in_use > 0 {
            return;
        }
        self.queues.remove(index);
        // The queue after the last dispatched one stays the same.
        if let Some(last) = self.last_dispatched
            && last >= index
        {
            self.last_dispatched = last.checked_sub(1);
        }
        for request in self.requests.all_mut() {
            request.queue = request
                .queue
                .and_then(|queue| match (queue as usize).cmp(&index) {
                    Ordering::Less => Some(queue),
                    // Only a request of no seats, which ends later.
                    Ordering::Equal => None,
                    Ordering::Greater => Some(queue - 1),
                });
        }
    }
}

pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
