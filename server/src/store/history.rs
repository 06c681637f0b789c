//! The last changes in bounded memory, the oldest first.

use super::object::Object;
use std::collections::VecDeque;

/// One write.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) revision: u64,
    pub(crate) kind: usize,
    pub(crate) name: String,
    pub(crate) before: Option<Object>,
    pub(crate) after: Option<Object>,
}

/// A ring of changes. Watches read from it at their own pace, so that nothing else buffers events.
#[derive(Clone, Debug)]
pub(crate) struct History {
    changes: VecDeque<Change>,
    limit: usize,
    /// The revision before the oldest change.
    start: u64,
}

impl History {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            changes: VecDeque::new(),
            limit,
            start: 0,
        }
    }

    pub(super) fn push(&mut self, change: Change) {
        self.changes.push_back(change);
        while self.changes.len() > self.limit {
            if let Some(forgotten) = self.changes.pop_front() {
                self.start = forgotten.revision;
            }
        }
    }

    pub(super) fn expire(&mut self, revision: u64) {
        self.changes.clear();
        self.start = revision;
    }

    /// The oldest revision after which all changes are known.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// The changes after `revision`, or `None` when some of them are dropped already.
    pub(crate) fn after(
        &self,
        revision: u64,
    ) -> Option<impl DoubleEndedIterator<Item = &Change> + use<'_>> {
        if revision < self.start {
            return None;
        }
        let first = self
            .changes
            .partition_point(|change| change.revision <= revision);
        Some(self.changes.range(first..))
    }
}
