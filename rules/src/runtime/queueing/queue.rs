//! The queues of a queue set.

use super::finishes::Finishes;
use super::seat_seconds::SeatSeconds;
use std::ops::Index;

/// A queue: its waiting requests as a list of slots, and its executing ones as numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// The oldest waiting request.
    pub(super) first: Option<u32>,
    /// The total work of the oldest waiting request.
    pub(super) first_work: SeatSeconds,
    /// The newest waiting request.
    pub(super) last: Option<u32>,
    pub(super) waiting: u32,
    pub(super) executing: u32,
    pub(super) waiting_work: SeatSeconds,
    pub(super) waiting_seats: u64,
    /// Without the final seats.
    pub(super) waiting_initial_seats: u64,
    /// The seats of executing and lingering requests.
    pub(super) seats_in_use: u64,
    pub(super) next_dispatch_r: SeatSeconds,
}

impl Queue {
    /// Whether the queue counts for the speed of virtual time.
    pub(super) fn is_active(&self) -> bool {
        self.waiting > 0 || self.executing > 0
    }

    /// The virtual time at which the oldest waiting request would finish.
    pub(super) fn finish(&self) -> Option<SeatSeconds> {
        self.first?;
        Some(self.next_dispatch_r.plus(self.first_work))
    }

    /// The seats that the queue could use.
    pub(super) fn seat_demand(&self) -> u64 {
        self.seats_in_use + self.waiting_seats
    }
}

/// The queues, with sums over all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Queues {
    queues: Vec<Queue>,
    finishes: Finishes,
    /// The number of active queues.
    pub(super) active: usize,
    /// The sum of the seat demands.
    pub(super) seat_demand: u64,
}

impl Queues {
    pub(super) fn len(&self) -> usize {
        self.queues.len()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Queue> {
        self.queues.iter()
    }

    /// Adds queues until there are `count`.
    pub(super) fn grow(&mut self, count: usize) {
        if count > self.queues.len() {
            self.queues.resize(count, Queue::default());
            self.find_finishes();
        }
    }

    /// Removes a queue without requests. The later ones move up.
    pub(super) fn remove(&mut self, index: usize) {
        self.queues.remove(index);
        self.find_finishes();
    }

    /// Changes the requests of a queue.
    pub(super) fn change(&mut self, index: usize, change: impl FnOnce(&mut Queue)) {
        let queue = &mut self.queues[index];
        self.active -= usize::from(queue.is_active());
        self.seat_demand -= queue.seat_demand();
        change(queue);
        self.active += usize::from(queue.is_active());
        self.seat_demand += queue.seat_demand();
        self.finishes.set(index, queue.finish());
    }

    /// Changes the place of a queue in virtual time.
    pub(super) fn set_next_dispatch_r(&mut self, index: usize, next_dispatch_r: SeatSeconds) {
        let queue = &mut self.queues[index];
        queue.next_dispatch_r = next_dispatch_r;
        self.finishes.set(index, queue.finish());
    }

    /// Changes the place of every queue in virtual time.
    pub(super) fn set_every_next_dispatch_r(&mut self, of: impl Fn(&Queue) -> SeatSeconds) {
        for queue in &mut self.queues {
            queue.next_dispatch_r = of(queue);
        }
        self.find_finishes();
    }

    /// The queue whose oldest request would finish first in virtual time; of several, the first one from `first` on, or
    /// else the first one of all.
    pub(super) fn earliest(&self, first: usize) -> Option<usize> {
        self.finishes.earliest(first)
    }

    fn find_finishes(&mut self) {
        self.finishes = Finishes::new(self.queues.iter().map(Queue::finish));
    }
}

impl Index<usize> for Queues {
    type Output = Queue;

    fn index(&self, index: usize) -> &Queue {
        &self.queues[index]
    }
}
