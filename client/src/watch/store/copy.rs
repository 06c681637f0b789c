//! The copy itself: what a watcher's events make of it, and what changed by each. No I/O, no locks.

use super::Change;
use crate::Resource;
use crate::watch::{ObjectKey, WatcherEvent};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) type Objects<K> = BTreeMap<ObjectKey, Arc<K>>;

#[derive(Debug)]
pub(super) struct Copy<K> {
    objects: Objects<K>,
    /// What takes the place of `objects` when it is complete.
    restart: Option<Objects<K>>,
    is_ready: bool,
}

impl<K: Resource> Copy<K> {
    pub(super) fn new() -> Self {
        Self {
            objects: BTreeMap::new(),
            restart: None,
            is_ready: false,
        }
    }

    /// Whether it has ever been complete.
    pub(super) fn is_ready(&self) -> bool {
        self.is_ready
    }

    pub(super) fn objects(&self) -> &Objects<K> {
        &self.objects
    }

    /// Takes an event, and tells what it changes. Answers objects that are not needed any more: dropping many takes
    /// a while, which need not be under a lock.
    pub(super) fn apply(
        &mut self,
        event: WatcherEvent<K>,
        tell: &mut impl FnMut(Change<K>),
    ) -> Objects<K> {
        match event {
            WatcherEvent::RestartBegin => {
                return self.restart.replace(BTreeMap::new()).unwrap_or_default();
            }
            WatcherEvent::RestartItem(object) | WatcherEvent::Applied(object) => {
                self.insert(object, tell);
            }
            WatcherEvent::Deleted(object) => {
                let key = ObjectKey::of(&object);
                match &mut self.restart {
                    Some(restart) => drop(restart.remove(&key)),
                    None => {
                        if let Some(old) = self.objects.remove(&key) {
                            tell(Change::Deleted(old));
                        }
                    }
                }
            }
            WatcherEvent::RestartEnd { .. } => {
                if let Some(new) = self.restart.take() {
                    let old = std::mem::replace(&mut self.objects, new);
                    if std::mem::replace(&mut self.is_ready, true) {
                        tell_differences(&old, &self.objects, tell);
                    }
                    return old;
                }
            }
        }
        Objects::new()
    }

    fn insert(&mut self, object: K, tell: &mut impl FnMut(Change<K>)) {
        let key = ObjectKey::of(&object);
        let old = self.objects.get(&key);
        if let Some(restart) = &mut self.restart {
            // What has not changed is not held twice.
            let object = match old {
                Some(old) if is_same_state(&**old, &object) => old.clone(),
                _ => Arc::new(object),
            };
            restart.insert(key, object);
            return;
        }
        if old.is_some_and(|old| is_same_state(&**old, &object)) {
            return;
        }
        let new = Arc::new(object);
        let old = self.objects.insert(key, new.clone());
        tell_difference(old, Some(new), tell);
    }
}

/// Whether both are one state of one object: then it came twice.
fn is_same_state<K: Resource>(a: &K, b: &K) -> bool {
    let (a, b) = (a.metadata(), b.metadata());
    a.resource_version.is_some() && a.resource_version == b.resource_version && a.uid == b.uid
}

/// Walks through both at once; they are in the same order.
fn tell_differences<K: Resource>(
    old: &Objects<K>,
    new: &Objects<K>,
    tell: &mut impl FnMut(Change<K>),
) {
    let (mut olds, mut news) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (olds.peek(), news.peek()) {
            (Some((old, _)), Some((new, _))) => old.cmp(new),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => return,
        };
        let old = if order.is_le() { olds.next() } else { None };
        let new = if order.is_ge() { news.next() } else { None };
        let object = |entry: Option<(&ObjectKey, &Arc<K>)>| entry.map(|(_, object)| object.clone());
        tell_difference(object(old), object(new), tell);
    }
}

fn tell_difference<K: Resource>(
    old: Option<Arc<K>>,
    new: Option<Arc<K>>,
    tell: &mut impl FnMut(Change<K>),
) {
    match (old, new) {
        (Some(old), Some(new)) if is_same_state(&*old, &*new) => {}
        (Some(old), Some(new)) if old.metadata().uid == new.metadata().uid => {
            tell(Change::Modified { old, new });
        }
        (old, new) => {
            if let Some(old) = old {
                tell(Change::Deleted(old));
            }
            if let Some(new) = new {
                tell(Change::Added(new));
            }
        }
    }
}

#[cfg(test)]
mod tests;
