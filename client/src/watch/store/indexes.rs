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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::v1::FlowSchema;

    struct Nothing;

    impl Maintained<FlowSchema> for Nothing {
        fn add(&self, _: &Arc<FlowSchema>) {}
        fn remove(&self, _: &Arc<FlowSchema>) {}
    }

    #[test]
    fn dropped_indexes_leave_nothing_in_a_store_that_does_not_change() {
        let mut indexes = Indexes::<FlowSchema>::new();
        let kept: Vec<Arc<dyn Maintained<FlowSchema>>> =
            (0..5).map(|_| Arc::new(Nothing) as _).collect();
        for index in &kept {
            indexes.push(index);
        }
        for _ in 0..10_000 {
            let index: Arc<dyn Maintained<FlowSchema>> = Arc::new(Nothing);
            indexes.push(&index);
        }
        let all = indexes.0.get_mut().unwrap();
        assert!(all.len() <= 64, "{}", all.len());
        let alive = all.iter().filter(|index| index.strong_count() > 0);
        assert_eq!(alive.count(), kept.len());
    }
}
