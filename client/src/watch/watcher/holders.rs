//! Which selections hold which objects: decisions without I/O.
//!
//! Each selection is told of the same changes, but at its own pace. That an object has left a selection is told as its
//! deletion, at the resource version of the change; whether it has come into another one by that same change is known
//! when that one has come so far. And what a slow selection tells of an object may be older than what is known of it.

use super::version::compare;
use crate::Resource;
use crate::watch::ObjectKey;
use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// How long a deletion waits for the other selections.
pub(super) const PATIENCE: Duration = Duration::from_millis(500);
/// So many deletions are remembered while a selection lags behind.
const MAX_REMEMBERED: usize = 100_000;

pub(super) struct Holders<K> {
    objects: HashMap<ObjectKey, Held>,
    /// What the consumer was told of and no selection seems to hold any more.
    leaving: VecDeque<Leaving<K>>,
    /// Deleted objects, which are remembered until all selections have come past their deletion.
    gone: VecDeque<(String, ObjectKey)>,
}

#[derive(Default)]
struct Held {
    /// The selections that hold it.
    by: Vec<usize>,
    /// Up to where it is known.
    version: String,
    /// Whether that is a deletion.
    deleted: bool,
    /// Whether the consumer was told of it and not yet of its deletion.
    told: bool,
}

struct Leaving<K> {
    key: ObjectKey,
    object: K,
    version: String,
    deadline: Instant,
}

impl<K: Resource> Holders<K> {
    pub(super) fn new() -> Self {
        Self {
            objects: HashMap::new(),
            leaving: VecDeque::new(),
            gone: VecDeque::new(),
        }
    }

    /// A selection has told that it holds this object. Answers it if it is news.
    pub(super) fn applied(&mut self, selection: usize, object: K) -> Option<K> {
        let version = object
            .metadata()
            .resource_version
            .as_deref()
            .unwrap_or_default();
        let held = self.objects.entry(ObjectKey::of(&object)).or_default();
        if !held.by.contains(&selection) {
            held.by.push(selection);
        }
        let is_news = match compare(version, &held.version) {
            Some(Ordering::Less) => false,
            // The change that took it out of one selection has brought it into this one.
            Some(Ordering::Equal) => held.deleted,
            Some(Ordering::Greater) | None => true,
        };
        if !is_news {
            return None;
        }
        held.version.clear();
        held.version.push_str(version);
        held.deleted = false;
        held.told = true;
        Some(object)
    }

    /// A selection has told that it does not hold this object any more.
    pub(super) fn deleted(&mut self, selection: usize, object: K, now: Instant) {
        let key = ObjectKey::of(&object);
        let Some(held) = self.objects.get_mut(&key) else {
            return;
        };
        held.by.retain(|by| *by != selection);
        let version = object
            .metadata()
            .resource_version
            .as_deref()
            .unwrap_or_default();
        // At the same version it has left this selection and another one has told of it since.
        if matches!(
            compare(version, &held.version),
            Some(Ordering::Greater) | None
        ) {
            held.version.clear();
            held.version.push_str(version);
            held.deleted = true;
        }
        if held.by.is_empty() {
            let version = held.version.clone();
            self.leaving.push_back(Leaving {
                key,
                object,
                version,
                deadline: now + PATIENCE,
            });
        }
    }

    /// The next deletion that is certain, or has waited long enough.
    ///
    /// `reached` are the resource versions that the selections have come to.
    pub(super) fn due(&mut self, reached: &[Option<&str>], now: Instant) -> Option<K> {
        while let Some(first) = self.leaving.front() {
            if !all_past(reached, &first.version) && now < first.deadline {
                return None;
            }
            let Leaving {
                key,
                object,
                version,
                ..
            } = self.leaving.pop_front()?;
            let Some(held) = self.objects.get_mut(&key) else {
                continue;
            };
            if !held.by.is_empty() || held.version != version {
                continue;
            }
            self.gone.push_back((version, key));
            if std::mem::take(&mut held.told) {
                return Some(object);
            }
        }
        None
    }

    /// When [`due`](Self::due) is to be asked again, unless a selection tells something before.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.leaving.front().map(|leaving| leaving.deadline)
    }

    /// Forgets deletions that all selections have come past. Answers whether too many are left.
    pub(super) fn forget(&mut self, reached: &[Option<&str>]) -> bool {
        while let Some((version, key)) = self.gone.front() {
            if !all_past(reached, version) {
                break;
            }
            if self
                .objects
                .get(key)
                .is_some_and(|held| held.by.is_empty() && !held.told)
            {
                self.objects.remove(key);
            }
            self.gone.pop_front();
        }
        self.gone.len() > MAX_REMEMBERED
    }

    /// Forgets everything; answers what the consumer had been told of.
    pub(super) fn restart(&mut self) -> impl Iterator<Item = ObjectKey> + use<K> {
        self.leaving.clear();
        self.gone.clear();
        let objects = std::mem::take(&mut self.objects);
        objects
            .into_iter()
            .filter(|(_, held)| held.told)
            .map(|(key, _)| key)
    }

    /// Whether the consumer was told of this object and not of its deletion.
    pub(super) fn is_told(&self, key: &ObjectKey) -> bool {
        self.objects.get(key).is_some_and(|held| held.told)
    }
}

/// Whether all selections have come to a version. One that cannot be compared is not waited for.
fn all_past(reached: &[Option<&str>], version: &str) -> bool {
    reached.iter().all(|reached| {
        reached.is_some_and(|reached| compare(reached, version) != Some(Ordering::Less))
    })
}

#[cfg(test)]
mod tests;
