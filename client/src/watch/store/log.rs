//! The last changes, for subscribers that read them at their own pace, in bounded memory.

use super::Change;
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Log<K> {
    changes: VecDeque<Change<K>>,
    /// The number of the oldest change kept; all changes are numbered from 0 on.
    first: u64,
    limit: usize,
}

impl<K> Log<K> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            changes: VecDeque::new(),
            first: 0,
            // One at least, or nobody would ever be told of a change.
            limit: limit.max(1),
        }
    }

    /// Adds a change; answers the one that is forgotten for it.
    pub(super) fn push(&mut self, change: Change<K>) -> Option<Change<K>> {
        let forgotten = if self.changes.len() >= self.limit {
            self.first += 1;
            self.changes.pop_front()
        } else {
            None
        };
        self.changes.push_back(change);
        forgotten
    }

    /// The number that the next change will have.
    pub(super) fn end(&self) -> u64 {
        self.first + self.changes.len() as u64
    }

    /// The change of that number; `Err` with how many were missed when it is forgotten already.
    pub(super) fn get(&self, number: u64) -> Result<Option<&Change<K>>, u64> {
        match number.checked_sub(self.first) {
            Some(index) => Ok(usize::try_from(index)
                .ok()
                .and_then(|index| self.changes.get(index))),
            None => Err(self.end() - number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_is_forgotten_is_counted() {
        let mut log = Log::new(2);
        assert_eq!(log.get(0), Ok(None));
        for number in 0..5u8 {
            let forgotten = log.push(Change::Added(Arc::new(number)));
            assert_eq!(forgotten.is_some(), number >= 2);
        }
        assert_eq!(log.get(0), Err(5));
        assert_eq!(log.get(2), Err(3));
        assert_eq!(log.get(3), Ok(Some(&Change::Added(Arc::new(3)))));
        assert_eq!(log.get(4), Ok(Some(&Change::Added(Arc::new(4)))));
        assert_eq!(log.get(log.end()), Ok(None));
    }
}
