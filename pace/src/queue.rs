//! The requests that wait for a place: by priority, and callers in turns.

use crate::class::{Class, Priority};
use crate::slot::Place;
use std::collections::{BTreeMap, HashMap, VecDeque};
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
    /// By their numbers, which are their order.
    waiters: HashMap<Arc<str>, BTreeMap<u64, Waiter>>,
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
        waiters.insert(waiter.id, waiter);
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
        let (_, waiter) = waiters.pop_first()?;
        match waiters.is_empty() {
            true => drop(callers.waiters.remove(&caller)),
            false => callers.turns.push_back(caller),
        }
        self.length -= 1;
        Some(waiter)
    }

    /// Takes out a request that no longer waits.
    pub(crate) fn remove(&mut self, id: u64, class: &Class) -> Option<Waiter> {
        let callers = self.of(class.priority);
        let waiters = callers.waiters.get_mut(&class.caller)?;
        let waiter = waiters.remove(&id)?;
        if waiters.is_empty() {
            callers.waiters.remove(&class.caller);
            callers.turns.retain(|caller| *caller != class.caller);
        }
        self.length -= 1;
        Some(waiter)
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
