//! The last changes in bounded memory, the oldest first.

use super::object::{Object, memory};
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

/// The maximum size of a history.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) changes: usize,
    /// The approximate memory of the past versions of objects. The last change stays, regardless of its size.
    pub(crate) bytes: usize,
}

/// A ring of changes. Watches read from it at their own pace, so that nothing else buffers events.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// The changes with the memory of their past versions.
    changes: VecDeque<(Change, usize)>,
    limits: Limits,
    /// The memory of all past versions.
    bytes: usize,
    /// The revision before the oldest change.
    start: u64,
}

impl History {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            changes: VecDeque::new(),
            limits,
            bytes: 0,
            start: 0,
        }
    }

    pub(super) fn push(&mut self, change: Change) {
        // The new version is a present object, or the past version of a later change.
        let past = change.before.as_deref().map_or(0, memory);
        let bytes = size_of::<Change>() + change.name.len() + past;
        self.changes.push_back((change, bytes));
        self.bytes += bytes;
        while self.is_full()
            && let Some((forgotten, bytes)) = self.changes.pop_front()
        {
            self.start = forgotten.revision;
            self.bytes -= bytes;
        }
    }

    /// Takes back the changes after `revision`.
    pub(super) fn undo(&mut self, revision: u64) {
        while let Some((change, bytes)) = self.changes.back()
            && change.revision > revision
        {
            self.bytes -= bytes;
            self.changes.pop_back();
        }
        self.start = self.start.min(revision);
    }

    fn is_full(&self) -> bool {
        let count = self.changes.len();
        count > self.limits.changes || (count > 1 && self.bytes > self.limits.bytes)
    }

    pub(super) fn expire(&mut self, revision: u64) {
        self.changes.clear();
        self.bytes = 0;
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
            .partition_point(|(change, _)| change.revision <= revision);
        Some(self.changes.range(first..).map(|(change, _)| change))
    }
}
