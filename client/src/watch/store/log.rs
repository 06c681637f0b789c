//! The latest events, in bounded memory, for subscriptions that read them at their own pace.

use super::event::StoreEvent;
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct EventLog<K> {
    events: VecDeque<StoreEvent<K>>,
    /// The number of the first event in `events`. Events are numbered from 0.
    first: u64,
    limit: usize,
}

impl<K> EventLog<K> {
    /// A log of at most `limit` events, at least one.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            events: VecDeque::new(),
            first: 0,
            // With none, no subscription would ever get an event.
            limit: limit.max(1),
        }
    }

    /// Appends an event. Returns the oldest one if it had to go.
    pub(super) fn push(&mut self, event: StoreEvent<K>) -> Option<StoreEvent<K>> {
        let removed = if self.events.len() >= self.limit {
            self.first += 1;
            self.events.pop_front()
        } else {
            None
        };
        self.events.push_back(event);
        removed
    }

    /// The number of the next event.
    pub(super) fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// The event with a number; `None` if it has not happened yet.
    ///
    /// # Errors
    /// The number of missed events, when the event is no longer in the log.
    pub(super) fn get(&self, number: u64) -> Result<Option<&StoreEvent<K>>, u64> {
        match number.checked_sub(self.first) {
            Some(index) => Ok(usize::try_from(index)
                .ok()
                .and_then(|index| self.events.get(index))),
            None => Err(self.end() - number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn missed_events_are_counted() {
        let deleted = |number| {
            let object = Arc::new(number);
            StoreEvent::Deleted { object }
        };
        let mut log = EventLog::new(2);
        assert_eq!(log.get(0), Ok(None));
        for number in 0..5u8 {
            let removed = log.push(deleted(number));
            assert_eq!(removed.is_some(), number >= 2);
        }
        assert_eq!(log.get(0), Err(5));
        assert_eq!(log.get(2), Err(3));
        assert_eq!(log.get(3), Ok(Some(&deleted(3))));
        assert_eq!(log.get(4), Ok(Some(&deleted(4))));
        assert_eq!(log.get(log.end()), Ok(None));
    }
}
