//! The latest events, in bounded memory, for subscriptions that read them at their own pace.

use super::event::StoreEvent;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Below this number of events their sizes are not computed: all subscriptions are nearly up to date.
const UNWEIGHED: usize = 16;

/// The log of a store, shared by its driver, which writes, and its subscriptions, which read.
#[derive(Debug)]
pub(super) struct EventLog<K>(Arc<Mutex<Events<K>>>);

impl<K> EventLog<K> {
    /// A log of at most `limit` events, at least one, whose objects have at most `max_bytes` as JSON.
    pub(super) fn new(limit: usize, max_bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(Events {
            events: VecDeque::new(),
            first: 0,
            weighed: 0,
            bytes: 0,
            // With none, no subscription would ever get an event.
            limit: limit.max(1),
            max_bytes,
            positions: BTreeMap::new(),
            readers: 0,
        })))
    }

    /// Locks the log. A panic of another thread leaves it in order: events are added and removed as a whole.
    pub(super) fn lock(&self) -> MutexGuard<'_, Events<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Clone for EventLog<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[derive(Debug)]
pub(super) struct Events<K> {
    events: VecDeque<Entry<K>>,
    /// The number of the first event in `events`. Events are numbered from 0.
    first: u64,
    /// The number of events, from the first, whose size is known.
    weighed: usize,
    bytes: usize,
    limit: usize,
    max_bytes: usize,
    /// The number of the next event of each subscription that waits for one.
    positions: BTreeMap<u64, u64>,
    readers: u64,
}

#[derive(Debug)]
struct Entry<K> {
    event: StoreEvent<K>,
    /// In bytes of JSON; 0 until it is computed.
    size: usize,
}

impl<K> Events<K> {
    /// Registers a subscription at the end of the log, and returns its number.
    pub(super) fn join(&mut self) -> u64 {
        self.readers += 1;
        self.positions.insert(self.readers, self.end());
        self.readers
    }

    /// A subscription has read everything before `next`. Returns the events that all other subscriptions have read.
    #[must_use = "dropping events takes long and is better done without the lock"]
    pub(super) fn advance(&mut self, reader: u64, next: u64) -> Vec<StoreEvent<K>> {
        self.positions.insert(reader, next);
        self.trim(0)
    }

    /// A subscription has ended. Returns the events that all other subscriptions have read.
    #[must_use = "dropping events takes long and is better done without the lock"]
    pub(super) fn leave(&mut self, reader: u64) -> Vec<StoreEvent<K>> {
        self.positions.remove(&reader);
        self.trim(0)
    }

    /// Appends an event, if any subscription will read it. Returns the events that had to go.
    #[must_use = "dropping events takes long and is better done without the lock"]
    pub(super) fn push(
        &mut self,
        event: StoreEvent<K>,
        size: impl Fn(&StoreEvent<K>) -> usize,
    ) -> Vec<StoreEvent<K>> {
        self.events.push_back(Entry { event, size: 0 });
        if !self.positions.is_empty() && self.events.len() > UNWEIGHED {
            for entry in self.events.range_mut(self.weighed..) {
                entry.size = size(&entry.event);
                self.bytes = self.bytes.saturating_add(entry.size);
            }
            self.weighed = self.events.len();
        }
        self.trim(self.events.len().saturating_sub(self.limit))
    }

    /// Removes the oldest `surplus` events, all events that every subscription has read, and events beyond the limit in
    /// bytes.
    fn trim(&mut self, surplus: usize) -> Vec<StoreEvent<K>> {
        let needed = self.positions.values().min().copied();
        let needed = needed.unwrap_or_else(|| self.end());
        let mut removed = Vec::new();
        while self.first < needed || removed.len() < surplus || self.bytes > self.max_bytes {
            let Some(entry) = self.events.pop_front() else {
                break;
            };
            self.first += 1;
            self.weighed = self.weighed.saturating_sub(1);
            self.bytes -= entry.size;
            removed.push(entry.event);
        }
        removed
    }

    /// The number of the next event.
    pub(super) fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// The event with a number; `None` if it has not happened yet.
    /// Errors: the number of missed events, when the event is no longer in the log.
    pub(super) fn get(&self, number: u64) -> Result<Option<&StoreEvent<K>>, u64> {
        match number.checked_sub(self.first) {
            Some(index) => Ok(usize::try_from(index)
                .ok()
                .and_then(|index| Some(&self.events.get(index)?.event))),
            None => Err(self.end() - number),
        }
    }
}
