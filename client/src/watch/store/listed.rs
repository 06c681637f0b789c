//! The objects of a list that is not complete.

use super::stored::{InvalidMap, ObjectMap, Stored};
use crate::watch::key::ObjectKey;
use k8s_flowcontrol_types::order;
use std::hint::black_box;

/// The objects in the order in which they came. Servers list them in the order of their keys, so that a map made at the
/// end takes less time and memory than a map that grows.
#[derive(Debug)]
pub(super) struct Listed<K> {
    /// `None` is a deletion.
    objects: Vec<(ObjectKey, Option<Stored<K>>)>,
    /// The number of objects from which repetitions are removed.
    crowded: usize,
    invalid: InvalidMap,
}

/// So many objects may be repeated before it is worth looking for repetitions.
const FEW: usize = 1024;

/// The objects for which the heap gets room at once, and the bytes of it. From 64 kB on, glibc would tidy its heap each time.
const TOGETHER: usize = 16;
const ROOM: usize = 60_000;

/// Makes the heap of this thread larger, for objects that come one by one and stay.
///
/// In all threads but the first, glibc extends the heap only by the pages that the next value needs, with a system call each time, which
/// is a quarter of the time of a large store. Memory that was allocated once at the end of the heap and given back is there for them.
fn make_room() {
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        drop(black_box(Vec::<u8>::with_capacity(ROOM)));
    }
}

impl<K> Listed<K> {
    pub(super) fn new() -> Self {
        Self {
            objects: Vec::new(),
            crowded: FEW,
            invalid: InvalidMap::new(),
        }
    }

    /// Adds an object. It replaces an earlier one with the same key.
    pub(super) fn insert(&mut self, key: ObjectKey, stored: Stored<K>) {
        self.push(key, Some(stored));
    }

    pub(super) fn remove(&mut self, key: ObjectKey) {
        self.push(key, None);
    }

    /// Removes repetitions when there can be as many as different objects, so that a server that repeats itself costs no memory.
    fn push(&mut self, key: ObjectKey, stored: Option<Stored<K>>) {
        if self.objects.len().is_multiple_of(TOGETHER) {
            make_room();
        }
        self.objects.push((key, stored));
        if self.objects.len() >= self.crowded {
            self.keep_last();
            self.objects.retain(|(_, stored)| stored.is_some());
            self.crowded = self.objects.len().saturating_mul(2).max(FEW);
        }
    }

    /// Keeps the last of several objects with the same key, in the order of the keys.
    fn keep_last(&mut self) {
        let objects = &mut self.objects;
        if !objects.is_sorted_by(|(left, _), (right, _)| left < right) {
            order::sort_by(objects, |(left, _), (right, _)| left.cmp(right));
            objects.dedup_by(|later, earlier| {
                let is_same = later.0 == earlier.0;
                if is_same {
                    std::mem::swap(later, earlier);
                }
                is_same
            });
        }
    }

    /// The objects that do not fit their type.
    pub(super) fn invalid_mut(&mut self) -> &mut InvalidMap {
        &mut self.invalid
    }

    pub(super) fn into_map(mut self) -> ObjectMap<K> {
        self.keep_last();
        let kept = self.objects.into_iter();
        kept.filter_map(|(key, stored)| Some((key, stored?)))
            .collect()
    }
}
