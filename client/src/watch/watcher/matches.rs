//! Which selections match which objects, for watchers of several selections. No I/O.
//!
//! The selections report the same changes, each at its own pace. When an object no longer matches a selection, that
//! selection reports its deletion at the resource version of the change. Whether the same change made it match another
//! selection is known only when that selection has reached the resource version. A slow selection may also report
//! states that are older than the known one.
//!
//! An object with another UID proves the deletion of the known one. Its deletion is then reported first, from the
//! selection that matched it.

use super::resource_version::compare;
use crate::Resource;
use crate::response::decode::Decoded;
use crate::watch::key::ObjectKey;
use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// How long a change waits for the other selections.
pub(super) const PATIENCE: Duration = Duration::from_millis(500);
/// The deletions that are remembered while a selection lags behind.
const MAX_REMEMBERED: usize = 100_000;

/// A change to report.
pub(super) enum Change<K> {
    Applied(Decoded<K>),
    Deleted(Decoded<K>),
}

pub(super) struct Matches<K> {
    objects: HashMap<ObjectKey, Match>,
    /// The reported objects that seem not to match a selection any more.
    leaving: VecDeque<Waiting<K>>,
    /// The objects that replace a reported one whose deletion no selection has reported yet.
    replacing: VecDeque<Waiting<K>>,
    /// The changes to report next.
    ready: VecDeque<Change<K>>,
    /// The deleted objects, remembered until all selections have passed the deletion.
    deleted: VecDeque<(String, ObjectKey)>,
}

#[derive(Default)]
struct Match {
    /// The selections that match the object.
    selections: Vec<usize>,
    /// The newest known resource version.
    version: String,
    uid: String,
    /// Whether the newest known change is a deletion.
    is_deleted: bool,
    /// Whether the object was reported, and its deletion was not.
    is_reported: bool,
}

struct Waiting<K> {
    key: ObjectKey,
    object: Decoded<K>,
    version: String,
    deadline: Instant,
}

impl<K: Resource> Matches<K> {
    pub(super) fn new() -> Self {
        Self {
            objects: HashMap::new(),
            leaving: VecDeque::new(),
            replacing: VecDeque::new(),
            ready: VecDeque::new(),
            deleted: VecDeque::new(),
        }
    }

    /// The object matches a selection. Returns it if it must be reported now.
    pub(super) fn applied(
        &mut self,
        selection: usize,
        object: Decoded<K>,
        now: Instant,
    ) -> Option<Decoded<K>> {
        let key = ObjectKey::of(&object.value);
        let (version, uid) = (version_of(&object.value), uid_of(&object.value));
        let known = self.objects.entry(key.clone()).or_default();
        let order = compare(version, &known.version);
        let is_other = known.uid != uid;
        match order {
            Some(Ordering::Less) if is_other => return None,
            _ if is_other => known.selections.clear(),
            _ => {}
        }
        if !known.selections.contains(&selection) {
            known.selections.push(selection);
        }
        let is_new = match order {
            Some(Ordering::Less) => false,
            // The change that removed it from one selection added it to this one.
            Some(Ordering::Equal) => known.is_deleted,
            Some(Ordering::Greater) | None => true,
        };
        if !is_new {
            return None;
        }
        let old_version = std::mem::replace(&mut known.version, version.to_owned());
        known.uid.clear();
        known.uid.push_str(uid);
        known.is_deleted = false;
        let replaces = std::mem::replace(&mut known.is_reported, true) && is_other;
        let replacing = self.replacing.iter_mut().find(|found| found.key == key);
        if let Some(replacing) = replacing {
            replacing.object = object;
            return None;
        }
        if !replaces {
            return Some(object);
        }
        let is_deletion = |found: &Waiting<K>| found.key == key && found.version == old_version;
        match self.leaving.iter().position(is_deletion) {
            Some(index) => {
                let deleted = self.leaving.remove(index)?;
                self.ready.push_back(Change::Deleted(deleted.object));
                self.ready.push_back(Change::Applied(object));
            }
            None => self.replacing.push_back(Waiting {
                version: version_of(&object.value).to_owned(),
                key,
                object,
                deadline: now + PATIENCE,
            }),
        }
        None
    }

    /// The object no longer matches a selection.
    pub(super) fn deleted(&mut self, selection: usize, object: Decoded<K>, now: Instant) {
        let key = ObjectKey::of(&object.value);
        let Some(known) = self.objects.get_mut(&key) else {
            return;
        };
        if known.uid != uid_of(&object.value) {
            // The object that another one has replaced.
            if let Some(index) = self.replacing.iter().position(|found| found.key == key)
                && let Some(replacing) = self.replacing.remove(index)
            {
                self.ready.push_back(Change::Deleted(object));
                self.ready.push_back(Change::Applied(replacing.object));
            }
            return;
        }
        known.selections.retain(|matching| *matching != selection);
        let version = version_of(&object.value);
        // At an equal version another selection has already reported the change as `Applied`.
        let is_new = matches!(
            compare(version, &known.version),
            Some(Ordering::Greater) | None
        );
        if is_new {
            known.version.clear();
            known.version.push_str(version);
            known.is_deleted = true;
        }
        if is_new || known.selections.is_empty() {
            let version = known.version.clone();
            self.leaving.push_back(Waiting {
                key,
                object,
                version,
                deadline: now + PATIENCE,
            });
        }
    }

    /// Whether changes wait for [`next`](Self::next).
    pub(super) fn has_pending(&self) -> bool {
        !self.ready.is_empty() || self.next_deadline().is_some()
    }

    /// The next change to report: it is certain, or has waited long enough.
    ///
    /// `reached` are the resource versions that the selections have reached.
    pub(super) fn next(&mut self, reached: &[Option<&str>], now: Instant) -> Option<Change<K>> {
        if let Some(change) = self.ready.pop_front() {
            return Some(change);
        }
        if let Some(deleted) = self.next_deletion(reached, now) {
            return Some(Change::Deleted(deleted));
        }
        let first = self.replacing.front()?;
        if !all_reached(reached, &first.version) && now < first.deadline {
            return None;
        }
        let replacing = self.replacing.pop_front()?;
        Some(Change::Applied(replacing.object))
    }

    fn next_deletion(&mut self, reached: &[Option<&str>], now: Instant) -> Option<Decoded<K>> {
        while let Some(first) = self.leaving.front() {
            if !all_reached(reached, &first.version) && now < first.deadline {
                return None;
            }
            let Waiting {
                key,
                object,
                version,
                ..
            } = self.leaving.pop_front()?;
            let Some(known) = self.objects.get_mut(&key) else {
                continue;
            };
            if !known.selections.is_empty() || known.version != version {
                continue;
            }
            // It was deleted before it could replace another one.
            self.replacing.retain(|replacing| replacing.key != key);
            self.deleted.push_back((version, key));
            if std::mem::take(&mut known.is_reported) {
                return Some(object);
            }
        }
        None
    }

    /// When to call [`next`](Self::next) again, unless a selection reports something before.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let firsts = [self.leaving.front(), self.replacing.front()];
        let firsts = firsts.into_iter().flatten();
        firsts.map(|waiting| waiting.deadline).min()
    }

    /// Forgets the deletions that all selections have passed. Returns whether too many are left.
    pub(super) fn forget_deleted(&mut self, reached: &[Option<&str>]) -> bool {
        while let Some((version, key)) = self.deleted.front() {
            if !all_reached(reached, version) {
                break;
            }
            if self
                .objects
                .get(key)
                .is_some_and(|known| known.selections.is_empty() && !known.is_reported)
            {
                self.objects.remove(key);
            }
            self.deleted.pop_front();
        }
        self.deleted.len() > MAX_REMEMBERED
    }

    /// Forgets everything. Returns the objects that were reported.
    pub(super) fn clear(&mut self) -> impl Iterator<Item = ObjectKey> + use<K> {
        self.leaving.clear();
        self.replacing.clear();
        self.ready.clear();
        self.deleted.clear();
        let objects = std::mem::take(&mut self.objects);
        objects
            .into_iter()
            .filter(|(_, known)| known.is_reported)
            .map(|(key, _)| key)
    }

    /// The object was reported as not fitting its type.
    pub(super) fn unreport(&mut self, key: &ObjectKey) {
        if let Some(known) = self.objects.get_mut(key) {
            known.is_reported = false;
        }
    }

    /// Whether the object was reported, and its deletion was not.
    pub(super) fn is_reported(&self, key: &ObjectKey) -> bool {
        self.objects.get(key).is_some_and(|known| known.is_reported)
    }
}

fn uid_of<K: Resource>(object: &K) -> &str {
    object.metadata().uid.as_deref().unwrap_or_default()
}

fn version_of<K: Resource>(object: &K) -> &str {
    let version = object.metadata().resource_version.as_deref();
    version.unwrap_or_default()
}

/// Whether all selections have reached a resource version. Versions that cannot be compared count as reached.
fn all_reached(reached: &[Option<&str>], version: &str) -> bool {
    reached.iter().all(|reached| {
        reached.is_some_and(|reached| compare(reached, version) != Some(Ordering::Less))
    })
}

#[cfg(test)]
mod tests;
