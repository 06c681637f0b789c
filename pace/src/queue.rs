//! The requests that wait for a place: by priority, and callers in turns.

use crate::class::{Class, Priority};
use crate::place::Place;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The distance between two requests of a priority, from low to high.
const STRIDES: [u64; 3] = [16, 4, 1];

/// A request that waits.
#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) id: u64,
    pub(crate) class: Class,
    pub(crate) grant: oneshot::Sender<Place>,
}

/// Stride scheduling (Waldspurger and Weihl, 1995) of priorities; in each of them, callers take turns.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    priorities: [Callers; 3],
    /// The virtual time of the last start.
    now: u64,
    length: usize,
}

#[derive(Debug, Default)]
struct Callers {
    /// The virtual time of the next start.
    next: u64,
    /// The callers that wait, in turn.
    turns: VecDeque<Arc<str>>,
    waiters: HashMap<Arc<str>, VecDeque<Waiter>>,
}

impl Queue {
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, waiter: Waiter) {
        let now = self.now;
        let callers = self.of(waiter.class.priority);
        if callers.turns.is_empty() {
            // Time without waiters does not give an advantage.
            callers.next = callers.next.max(now);
        }
        let caller = waiter.class.caller.clone();
        let waiters = callers.waiters.entry(caller.clone()).or_default();
        if waiters.is_empty() {
            callers.turns.push_back(caller);
        }
        waiters.push_back(waiter);
        self.length += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<Waiter> {
        let waiting = self.priorities.iter().zip(STRIDES).enumerate();
        let (index, stride) = waiting
            .filter(|(_, (callers, _))| !callers.turns.is_empty())
            // The higher of two with the same time.
            .min_by_key(|(index, (callers, _))| (callers.next, usize::MAX - index))
            .map(|(index, (_, stride))| (index, stride))?;
        let callers = self.priorities.get_mut(index)?;
        self.now = callers.next;
        callers.next += stride;
        let caller = callers.turns.pop_front()?;
        let waiters = callers.waiters.get_mut(&caller)?;
        let waiter = waiters.pop_front();
        match waiters.is_empty() {
            true => drop(callers.waiters.remove(&caller)),
            false => callers.turns.push_back(caller),
        }
        self.length -= 1;
        waiter
    }

    /// Takes out a request that no longer waits.
    pub(crate) fn remove(&mut self, id: u64, class: &Class) -> Option<Waiter> {
        let callers = self.of(class.priority);
        let waiters = callers.waiters.get_mut(&class.caller)?;
        let place = waiters.iter().position(|waiter| waiter.id == id)?;
        let waiter = waiters.remove(place);
        if waiters.is_empty() {
            callers.waiters.remove(&class.caller);
            callers.turns.retain(|caller| *caller != class.caller);
        }
        self.length -= 1;
        waiter
    }

    fn of(&mut self, priority: Priority) -> &mut Callers {
        let [low, normal, high] = &mut self.priorities;
        match priority {
            Priority::Low => low,
            Priority::Normal => normal,
            Priority::High => high,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiter(id: u64, priority: Priority, caller: &str) -> Waiter {
        let caller = caller.into();
        Waiter {
            id,
            class: Class { priority, caller },
            grant: oneshot::channel().0,
        }
    }

    fn order(queue: &mut Queue) -> Vec<u64> {
        std::iter::from_fn(|| queue.pop().map(|waiter| waiter.id)).collect()
    }

    #[test]
    fn callers_take_turns() {
        let mut queue = Queue::default();
        for (id, caller) in [(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "c"), (6, "b")] {
            queue.push(waiter(id, Priority::Normal, caller));
        }
        assert_eq!(queue.len(), 6);
        assert_eq!(order(&mut queue), [1, 4, 5, 2, 6, 3]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn priorities_share_and_none_starves() {
        let mut queue = Queue::default();
        for id in 0..200 {
            let all = [Priority::Low, Priority::Normal, Priority::High];
            for (offset, priority) in all.into_iter().enumerate() {
                queue.push(waiter(id * 3 + offset as u64, priority, ""));
            }
        }
        let first: Vec<_> = (0..42).filter_map(|_| queue.pop()).collect();
        let count = |offset| first.iter().filter(|one| one.id % 3 == offset).count();
        assert!((31..=33).contains(&count(2)), "high: {}", count(2));
        assert!((7..=9).contains(&count(1)), "normal: {}", count(1));
        assert!((2..=4).contains(&count(0)), "low: {}", count(0));
    }

    #[test]
    fn time_without_waiters_gives_no_advantage() {
        let mut queue = Queue::default();
        for id in 0..100 {
            queue.push(waiter(id, Priority::Normal, ""));
        }
        (0..50).for_each(|_| drop(queue.pop()));
        for id in 100..110 {
            queue.push(waiter(id, Priority::Low, ""));
        }
        let next: Vec<_> = (0..10).filter_map(|_| queue.pop()).collect();
        let low = next.iter().filter(|one| one.id >= 100).count();
        assert!((1..=3).contains(&low), "{low}");
    }

    #[test]
    fn a_request_that_no_longer_waits_is_out() {
        let mut queue = Queue::default();
        for id in 0..3 {
            queue.push(waiter(id, Priority::Normal, "a"));
        }
        let class = waiter(0, Priority::Normal, "a").class;
        assert!(queue.remove(1, &class).is_some());
        assert!(queue.remove(1, &class).is_none());
        assert_eq!(order(&mut queue), [0, 2]);
    }
}
