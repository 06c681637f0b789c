//! Which selections match which objects, for watchers of several selections. No I/O.
//!
//! The selections report the same changes, each at its own pace. When an object no longer matches a selection, that
//! selection reports its deletion at the resource version of the change. Whether the same change made it match another
//! selection is known only when that selection has reached the resource version. A slow selection may also report
//! states that are older than the known one.

use super::resource_version::compare;
use crate::Resource;
use crate::client::Decoded;
use crate::watch::key::ObjectKey;
use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// How long a deletion waits for the other selections.
pub(super) const PATIENCE: Duration = Duration::from_millis(500);
/// The deletions that are remembered while a selection lags behind.
const MAX_REMEMBERED: usize = 100_000;

pub(super) struct Matches<K> {
    objects: HashMap<ObjectKey, Match>,
    /// The reported objects that seem to match no selection any more.
    leaving: VecDeque<Leaving<K>>,
    /// The deleted objects, remembered until all selections have passed the deletion.
    deleted: VecDeque<(String, ObjectKey)>,
}

#[derive(Default)]
struct Match {
    /// The selections that match the object.
    selections: Vec<usize>,
    /// The newest known resource version.
    version: String,
    /// Whether the newest known change is a deletion.
    is_deleted: bool,
    /// Whether the object was reported, and its deletion was not.
    is_reported: bool,
}

struct Leaving<K> {
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
            deleted: VecDeque::new(),
        }
    }

    /// The object matches a selection. Returns whether this state is new and must be reported.
    pub(super) fn applied(&mut self, selection: usize, object: &K) -> bool {
        let version = version_of(object);
        let known = self.objects.entry(ObjectKey::of(object)).or_default();
        if !known.selections.contains(&selection) {
            known.selections.push(selection);
        }
        let is_new = match compare(version, &known.version) {
            Some(Ordering::Less) => false,
            // The change that removed it from one selection added it to this one.
            Some(Ordering::Equal) => known.is_deleted,
            Some(Ordering::Greater) | None => true,
        };
        if is_new {
            known.version.clear();
            known.version.push_str(version);
            known.is_deleted = false;
            known.is_reported = true;
        }
        is_new
    }

    /// The object no longer matches a selection.
    pub(super) fn deleted(&mut self, selection: usize, object: Decoded<K>, now: Instant) {
        let key = ObjectKey::of(&object.value);
        let Some(known) = self.objects.get_mut(&key) else {
            return;
        };
        known.selections.retain(|matching| *matching != selection);
        let version = version_of(&object.value);
        // At an equal version another selection has already reported the change as `Applied`.
        if matches!(
            compare(version, &known.version),
            Some(Ordering::Greater) | None
        ) {
            known.version.clear();
            known.version.push_str(version);
            known.is_deleted = true;
        }
        if known.selections.is_empty() {
            let version = known.version.clone();
            self.leaving.push_back(Leaving {
                key,
                object,
                version,
                deadline: now + PATIENCE,
            });
        }
    }

    /// The next deletion to report: it is certain, or has waited long enough.
    ///
    /// `reached` are the resource versions that the selections have reached.
    pub(super) fn next_deletion(
        &mut self,
        reached: &[Option<&str>],
        now: Instant,
    ) -> Option<Decoded<K>> {
        while let Some(first) = self.leaving.front() {
            if !all_reached(reached, &first.version) && now < first.deadline {
                return None;
            }
            let Leaving {
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
            self.deleted.push_back((version, key));
            if std::mem::take(&mut known.is_reported) {
                return Some(object);
            }
        }
        None
    }

    /// When to call [`next_deletion`](Self::next_deletion) again, unless a selection reports something before.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.leaving.front().map(|leaving| leaving.deadline)
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
        self.deleted.clear();
        let objects = std::mem::take(&mut self.objects);
        objects
            .into_iter()
            .filter(|(_, known)| known.is_reported)
            .map(|(key, _)| key)
    }

    /// Whether the object was reported, and its deletion was not.
    pub(super) fn is_reported(&self, key: &ObjectKey) -> bool {
        self.objects.get(key).is_some_and(|known| known.is_reported)
    }
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
