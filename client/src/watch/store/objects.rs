//! The objects of a store: how a watcher's events change them. Without I/O and locks.

use super::event::StoreEvent;
use super::index::Indexes;
use super::listed::Listed;
use super::stored::{InvalidMap, ObjectMap, Stored};
use crate::Resource;
use crate::convert::Loss;
use crate::watch::key::ObjectKey;
use crate::watch::watcher::WatcherEvent;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct StoredObjects<K> {
    current: ObjectMap<K>,
    /// The objects of an incomplete list, which will replace `current`.
    listed: Option<Listed<K>>,
    /// The objects that do not fit their type.
    invalid: InvalidMap,
    is_ready: bool,
    indexes: Indexes<K>,
}

/// The objects that are no longer needed after an event: the copy before a list, or an incomplete list.
type Unneeded<K> = (ObjectMap<K>, Option<Listed<K>>);

impl<K: Resource> StoredObjects<K> {
    pub(super) fn new() -> Self {
        Self {
            current: BTreeMap::new(),
            listed: None,
            invalid: BTreeMap::new(),
            is_ready: false,
            indexes: Indexes::new(),
        }
    }

    /// A complete copy of these objects.
    pub(super) fn complete(objects: impl IntoIterator<Item = K>) -> Self {
        let stored = objects.into_iter().map(|object| {
            let key = ObjectKey::of(&object);
            let object = Arc::new(object);
            let losses = Vec::new();
            (key, Stored { object, losses })
        });
        Self {
            current: stored.collect(),
            is_ready: true,
            ..Self::new()
        }
    }

    /// Whether a list has been completed.
    pub(super) fn is_ready(&self) -> bool {
        self.is_ready
    }

    pub(super) fn current(&self) -> &ObjectMap<K> {
        &self.current
    }

    pub(super) fn invalid(&self) -> &InvalidMap {
        &self.invalid
    }

    pub(super) fn indexes(&self) -> &Indexes<K> {
        &self.indexes
    }

    /// Applies an event, and emits the changes that it causes.
    ///
    /// Returns the objects that are no longer needed, so that the caller can drop them without holding a lock: that takes
    /// long if they are many.
    pub(super) fn apply(
        &mut self,
        event: WatcherEvent<K>,
        emit: &mut impl FnMut(StoreEvent<K>),
    ) -> Unneeded<K> {
        let Self {
            current,
            listed,
            invalid,
            is_ready,
            indexes,
        } = self;
        match event {
            WatcherEvent::ListBegin => return (BTreeMap::new(), listed.replace(Listed::new())),
            WatcherEvent::ListItem { object, losses }
            | WatcherEvent::Applied { object, losses } => {
                let emit = &mut indexed(indexes, emit);
                fits(invalid, listed.as_mut(), &object);
                insert(current, listed.as_mut(), object, losses, emit);
            }
            WatcherEvent::Deleted { object, .. } => {
                let key = ObjectKey::of(&object);
                fits(invalid, listed.as_mut(), &object);
                remove(current, listed.as_mut(), key, &mut indexed(indexes, emit));
            }
            WatcherEvent::Invalid { object, is_deleted } => {
                let key = ObjectKey::of_metadata(&object.metadata);
                let invalid = listed.as_mut().map_or(invalid, Listed::invalid_mut);
                match is_deleted {
                    true => invalid.remove(&key),
                    false => invalid.insert(key.clone(), Arc::from(object)),
                };
                remove(current, listed.as_mut(), key, &mut indexed(indexes, emit));
            }
            WatcherEvent::ListEnd { .. } => {
                if let Some(mut new) = listed.take() {
                    *invalid = std::mem::take(new.invalid_mut());
                    let old = std::mem::replace(current, new.into_map());
                    if std::mem::replace(is_ready, true) {
                        emit_differences(&old, current, &mut indexed(indexes, emit));
                    } else {
                        indexes.fill(current);
                    }
                    return (old, None);
                }
            }
        }
        (BTreeMap::new(), None)
    }
}

/// An object that does fit its type is no longer an invalid one.
fn fits<K: Resource>(invalid: &mut InvalidMap, listed: Option<&mut Listed<K>>, object: &K) {
    let invalid = listed.map_or(invalid, Listed::invalid_mut);
    if !invalid.is_empty() {
        invalid.remove(&ObjectKey::of(object));
    }
}

/// Changes the indexes with each event that is emitted.
fn indexed<K: Resource>(
    indexes: &mut Indexes<K>,
    emit: &mut impl FnMut(StoreEvent<K>),
) -> impl FnMut(StoreEvent<K>) {
    |event| {
        indexes.apply(&event);
        emit(event);
    }
}

fn remove<K: Resource>(
    current: &mut ObjectMap<K>,
    listed: Option<&mut Listed<K>>,
    key: ObjectKey,
    emit: &mut impl FnMut(StoreEvent<K>),
) {
    match listed {
        Some(listed) => listed.remove(key),
        None => emit_difference(current.remove(&key).as_ref(), None, emit),
    }
}

fn insert<K: Resource>(
    current: &mut ObjectMap<K>,
    listed: Option<&mut Listed<K>>,
    object: K,
    losses: Vec<Loss>,
    emit: &mut impl FnMut(StoreEvent<K>),
) {
    let key = ObjectKey::of(&object);
    let old = current.get(&key);
    let is_known = old.is_some_and(|old| is_same_state(&*old.object, &object));
    if let Some(listed) = listed {
        let object = match old {
            // An unchanged object is shared between both maps.
            Some(old) if is_known => old.object.clone(),
            _ => Arc::new(object),
        };
        listed.insert(key, Stored { object, losses });
    } else if !is_known {
        let object = Arc::new(object);
        let new = Stored { object, losses };
        emit_difference(old, Some(&new), emit);
        current.insert(key, new);
    }
}

/// Whether both are the same state of the same object, in the same form: another release of the server, or another version on
/// the wire, may show other fields of it.
fn is_same_state<K: Resource>(a: &K, b: &K) -> bool {
    let (old, new) = (a.metadata(), b.metadata());
    let is_same = old.resource_version == new.resource_version && old.uid == new.uid;
    old.resource_version.is_some() && is_same && a == b
}

/// Walks through both maps at once, since they have the same order.
fn emit_differences<K: Resource>(
    old: &ObjectMap<K>,
    new: &ObjectMap<K>,
    emit: &mut impl FnMut(StoreEvent<K>),
) {
    let (mut olds, mut news) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (olds.peek(), news.peek()) {
            (Some((old, _)), Some((new, _))) => old.cmp(new),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return,
        };
        let old = if order.is_le() { olds.next() } else { None };
        let new = if order.is_ge() { news.next() } else { None };
        emit_difference(old.map(|(_, old)| old), new.map(|(_, new)| new), emit);
    }
}

fn emit_difference<K: Resource>(
    old: Option<&Stored<K>>,
    new: Option<&Stored<K>>,
    emit: &mut impl FnMut(StoreEvent<K>),
) {
    if let (Some(old), Some(new)) = (old, new) {
        if Arc::ptr_eq(&old.object, &new.object) || is_same_state(&*old.object, &*new.object) {
            return;
        }
        if old.object.metadata().uid == new.object.metadata().uid {
            return emit(StoreEvent::Modified {
                old: old.object.clone(),
                new: new.object.clone(),
                losses: new.losses.clone(),
            });
        }
    }
    if let Some(old) = old {
        let object = old.object.clone();
        emit(StoreEvent::Deleted { object });
    }
    if let Some(new) = new {
        emit(StoreEvent::Added {
            object: new.object.clone(),
            losses: new.losses.clone(),
        });
    }
}
