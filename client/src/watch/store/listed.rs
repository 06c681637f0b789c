//! The objects of a list that is not complete.

use super::stored::{InvalidMap, ObjectMap, Stored};
use crate::watch::key::ObjectKey;
use k8s_flowcontrol_types::order;

/// The objects in the order in which they came. Servers list them in the order of their keys, so that a map made at the
/// end takes less time and memory than a map that grows.
#[derive(Debug)]
pub(super) struct Listed<K> {
    /// `None` is a deletion.
    objects: Vec<(ObjectKey, Option<Stored<K>>)>,
    invalid: InvalidMap,
}

impl<K> Listed<K> {
    pub(super) fn new() -> Self {
        Self {
            objects: Vec::new(),
            invalid: InvalidMap::new(),
        }
    }

    /// Adds an object. It replaces an earlier one with the same key.
    pub(super) fn insert(&mut self, key: ObjectKey, stored: Stored<K>) {
        self.objects.push((key, Some(stored)));
    }

    pub(super) fn remove(&mut self, key: ObjectKey) {
        self.objects.push((key, None));
    }

    /// The objects that do not fit their type.
    pub(super) fn invalid_mut(&mut self) -> &mut InvalidMap {
        &mut self.invalid
    }

    pub(super) fn into_map(self) -> ObjectMap<K> {
        let mut objects = self.objects;
        if !objects.is_sorted_by(|(left, _), (right, _)| left < right) {
            order::sort_by(&mut objects, |(left, _), (right, _)| left.cmp(right));
            // Keeps the last of several.
            objects.dedup_by(|later, earlier| {
                let is_same = later.0 == earlier.0;
                if is_same {
                    std::mem::swap(later, earlier);
                }
                is_same
            });
        }
        let kept = objects.into_iter();
        kept.filter_map(|(key, stored)| Some((key, stored?)))
            .collect()
    }
}
