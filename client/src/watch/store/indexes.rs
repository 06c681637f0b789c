//! All indexes of a store, and how they follow its changes.

use super::event::StoreEvent;
use super::stored::ObjectMap;
use crate::Resource;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The indexes of a store. Each lives as long as its last handle.
pub(super) struct Indexes<K>(Mutex<Vec<Weak<dyn Maintained<K>>>>);

impl<K: Resource> Indexes<K> {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    pub(super) fn push(&self, index: &Arc<dyn Maintained<K>>) {
        let mut indexes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A store that does not change would keep what is left of dropped indexes.
        if indexes.len() == indexes.capacity() {
            indexes.retain(|index| index.strong_count() > 0);
        }
        indexes.push(Arc::downgrade(index));
    }

    /// Adds the objects of the first list.
    pub(super) fn fill(&mut self, objects: &ObjectMap<K>) {
        self.each(|index| {
            for stored in objects.values() {
                index.add(&stored.object);
            }
        });
    }

    pub(super) fn apply(&mut self, event: &StoreEvent<K>) {
        self.each(|index| match event {
            StoreEvent::Added { object, .. } => index.add(object),
            StoreEvent::Modified { old, new, .. } => {
                index.remove(old);
                index.add(new);
            }
            StoreEvent::Deleted { object } => index.remove(object),
            StoreEvent::Snapshot(_) | StoreEvent::Failed { .. } | StoreEvent::Recovered => {}
        });
    }

    fn each(&mut self, mut change: impl FnMut(&dyn Maintained<K>)) {
        let indexes = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        indexes.retain(|index| match index.upgrade() {
            Some(index) => {
                change(&*index);
                true
            }
            None => false,
        });
    }
}

impl<K> fmt::Debug for Indexes<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexes").finish_non_exhaustive()
    }
}

/// An index with values of any type, which changes with the objects.
pub(super) trait Maintained<K>: Send + Sync {
    fn add(&self, object: &Arc<K>);
    fn remove(&self, object: &Arc<K>);
}
