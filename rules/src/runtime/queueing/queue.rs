//! The queues of a queue set.

use super::seat_seconds::SeatSeconds;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
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

/// The number of used queues from which on those without requests are forgotten.
const MANY: usize = 10_000;

/// The queues, with sums over all of them. A queue takes memory from its first request on, because a level may have ten million;
/// among many, only until its last.
#[derive(Clone, Debug, Default)]
pub(super) struct Queues {
    count: usize,
    used: HashMap<usize, Queue, BuildHasherDefault<IndexHasher>>,
    /// The number of used queues at which those without requests are forgotten.
    forgets_at: usize,
    /// Stands for a queue that is not used.
    unused: Queue,
    /// The virtual times at which the oldest waiting requests would finish, with their queues.
    finishes: BTreeSet<(SeatSeconds, usize)>,
    pub(super) active: usize,
    pub(super) seat_demand: u64,
}

impl Queues {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The queues that were used, in any order.
    pub(super) fn used(&self) -> impl Iterator<Item = &Queue> {
        self.used.values()
    }

    /// Adds queues until there are `count`.
    pub(super) fn grow(&mut self, count: usize) {
        self.count = self.count.max(count);
    }

    /// Removes a queue without requests. The later ones move up.
    pub(super) fn remove(&mut self, index: usize) {
        self.count -= 1;
        self.used.remove(&index);
        let moved = self.used.drain().map(|(other, queue)| match other > index {
            true => (other - 1, queue),
            false => (other, queue),
        });
        self.used = moved.collect();
        self.find_finishes();
    }

    /// Forgets the queues without requests, before the queue `index` is used, if there are many. The next request of a queue sets
    /// its place in virtual time again, so only a dump shows the difference.
    fn make_room(&mut self, index: usize) {
        if self.used.len() < self.forgets_at.max(MANY) || self.used.contains_key(&index) {
            return;
        }
        self.used
            .retain(|_, queue| queue.is_active() || queue.seats_in_use > 0);
        // Searching all of them takes no longer than using as many others.
        self.forgets_at = 2 * self.used.len();
    }

    /// Changes the requests of a queue.
    pub(super) fn change(&mut self, index: usize, change: impl FnOnce(&mut Queue)) {
        self.make_room(index);
        let queue = self.used.entry(index).or_default();
        self.active -= usize::from(queue.is_active());
        self.seat_demand -= queue.seat_demand();
        let before = queue.finish();
        change(queue);
        self.active += usize::from(queue.is_active());
        self.seat_demand += queue.seat_demand();
        let after = queue.finish();
        self.moved(index, before, after);
    }

    /// Changes the place of a queue in virtual time.
    pub(super) fn set_next_dispatch_r(&mut self, index: usize, next_dispatch_r: SeatSeconds) {
        self.make_room(index);
        let queue = self.used.entry(index).or_default();
        let before = queue.finish();
        queue.next_dispatch_r = next_dispatch_r;
        let after = queue.finish();
        self.moved(index, before, after);
    }

    /// Changes the place of every used queue in virtual time.
    pub(super) fn set_every_next_dispatch_r(&mut self, of: impl Fn(&Queue) -> SeatSeconds) {
        for queue in self.used.values_mut() {
            queue.next_dispatch_r = of(queue);
        }
        self.find_finishes();
    }

    /// The queue whose oldest request would finish first in virtual time. Among several, it is the first queue from
    /// index `first` on, or the first queue of all.
    pub(super) fn earliest(&self, first: usize) -> Option<usize> {
        let (finish, earliest) = *self.finishes.first()?;
        let mut later = self.finishes.range((finish, first)..=(finish, usize::MAX));
        Some(later.next().map_or(earliest, |(_, queue)| *queue))
    }

    fn moved(&mut self, index: usize, before: Option<SeatSeconds>, after: Option<SeatSeconds>) {
        if before == after {
            return;
        }
        if let Some(before) = before {
            self.finishes.remove(&(before, index));
        }
        if let Some(after) = after {
            self.finishes.insert((after, index));
        }
    }

    fn find_finishes(&mut self) {
        let finishes = self.used.iter();
        let finishes = finishes.filter_map(|(index, queue)| Some((queue.finish()?, *index)));
        self.finishes = finishes.collect();
    }
}

impl Index<usize> for Queues {
    type Output = Queue;

    fn index(&self, index: usize) -> &Queue {
        self.used.get(&index).unwrap_or(&self.unused)
    }
}

/// Spreads indexes, which callers cannot choose.
#[derive(Clone, Copy, Debug, Default)]
struct IndexHasher(u64);

impl Hasher for IndexHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, index: usize) {
        self.0 = (self.0 ^ index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
