//! The queues of a queue set.

use super::occupied::Occupied;
use super::seat_seconds::SeatSeconds;
use std::ops::Index;

/// A queue: its waiting requests as a list of slots, and its executing ones as numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// The oldest waiting request.
    pub(super) first: Option<u32>,
    /// The newest waiting request.
    pub(super) last: Option<u32>,
    pub(super) waiting: u32,
    pub(super) executing: u32,
    pub(super) waiting_work: SeatSeconds,
    pub(super) waiting_seats: u64,
    /// The seats of executing and lingering requests.
    pub(super) seats_in_use: u64,
    pub(super) next_dispatch_r: SeatSeconds,
}

impl Queue {
    /// Whether the queue counts for the speed of virtual time.
    pub(super) fn is_active(&self) -> bool {
        self.waiting > 0 || self.executing > 0
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
    occupied: Occupied,
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

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Queue> {
        self.queues.iter_mut()
    }

    /// Adds queues until there are `count`.
    pub(super) fn grow(&mut self, count: usize) {
        if count > self.queues.len() {
            self.queues.resize(count, Queue::default());
        }
    }

    /// Removes a queue without requests. The later ones move up.
    pub(super) fn remove(&mut self, index: usize) {
        self.queues.remove(index);
        self.occupied = Occupied::default();
        for (index, queue) in self.queues.iter().enumerate() {
            if queue.first.is_some() {
                self.occupied.insert(index);
            }
        }
    }

    /// Changes the requests of a queue.
    pub(super) fn change(&mut self, index: usize, change: impl FnOnce(&mut Queue)) {
        let queue = &mut self.queues[index];
        self.active -= usize::from(queue.is_active());
        self.seat_demand -= queue.seat_demand();
        change(queue);
        self.active += usize::from(queue.is_active());
        self.seat_demand += queue.seat_demand();
        match queue.first {
            Some(_) => self.occupied.insert(index),
            None => self.occupied.remove(index),
        }
    }

    /// The place of a queue in virtual time.
    pub(super) fn next_dispatch_r(&mut self, index: usize) -> &mut SeatSeconds {
        &mut self.queues[index].next_dispatch_r
    }

    /// The queues in which requests wait, in order from the index `first` on, with their indexes.
    pub(super) fn occupied_from(&self, first: usize) -> impl Iterator<Item = (usize, &Queue)> {
        let queue = |index| (index, &self.queues[index]);
        self.occupied.from(first).map(queue)
    }
}

impl Index<usize> for Queues {
    type Output = Queue;

    fn index(&self, index: usize) -> &Queue {
        &self.queues[index]
    }
}
