//! The objects, their history, and the counter that orders all writes.
//!
//! No I/O and no policy: callers decide what to write, and hold a lock while they do.

mod history;
mod journal;
mod object;

pub(crate) use history::{Change, History, Limits};
pub(crate) use journal::Written;
pub(crate) use object::{Found, Object, Stored, edit_metadata, json_length, meta_str};

use k8s_flowcontrol_types::Release;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The error of a revision older than the history.
#[derive(Debug)]
pub(crate) struct TooOld;

/// Objects by kind and name.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    objects: Vec<BTreeMap<String, Object>>,
    /// The objects that another release stored in another form. An object that is only here cannot be decoded.
    foreign: Vec<BTreeMap<String, Stored>>,
    revision: u64,
    history: History,
    /// The writes since the last [`take_journal`](Store::take_journal), if there is a journal.
    journal: Option<Vec<Written>>,
}

impl Store {
    /// An empty store for `kinds` kinds.
    pub(crate) fn new(kinds: usize, history: Limits) -> Self {
        Self {
            objects: vec![BTreeMap::new(); kinds],
            foreign: vec![BTreeMap::new(); kinds],
            revision: 1,
            history: History::new(history),
            journal: None,
        }
    }

    /// The revision of the last write.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// Drops the whole history.
    pub(crate) fn expire_history(&mut self) {
        self.history.expire(self.revision);
    }

    pub(crate) fn get(&self, kind: usize, name: &str) -> Option<&Object> {
        self.objects.get(kind)?.get(name)
    }

    /// Whether the stored form of the object is the form that a write would store now.
    pub(crate) fn is_current(&self, kind: usize, name: &str) -> bool {
        let foreign = self.foreign.get(kind);
        !foreign.is_some_and(|foreign| foreign.contains_key(name))
    }

    /// The objects of a kind that cannot be decoded, by name.
    pub(crate) fn unreadable(&self, kind: usize) -> impl Iterator<Item = (&String, &Stored)> {
        let foreign = self.foreign.get(kind).into_iter().flatten();
        foreign.filter(move |(name, _)| self.get(kind, name).is_none())
    }

    /// The object with this name, if it cannot be decoded.
    pub(crate) fn unreadable_named(&self, kind: usize, name: &str) -> Option<&Stored> {
        let stored = self.foreign.get(kind)?.get(name)?;
        self.get(kind, name).is_none().then_some(stored)
    }

    /// Whether all objects of all kinds can be decoded.
    pub(crate) fn is_readable(&self) -> bool {
        (0..self.foreign.len()).all(|kind| self.unreadable(kind).next().is_none())
    }

    /// Decodes all objects of a server of `release` again, with `read`.
    pub(crate) fn reread(
        &mut self,
        release: Release,
        mut read: impl FnMut(usize, &Stored) -> Found,
    ) {
        for (kind, (objects, foreign)) in self.objects.iter_mut().zip(&mut self.foreign).enumerate()
        {
            let mut stored = std::mem::take(foreign);
            for (name, object) in std::mem::take(objects) {
                stored.entry(name).or_insert(Stored { release, object });
            }
            for (name, stored) in stored {
                match read(kind, &stored) {
                    Found::Current(object) => {
                        objects.insert(name, object);
                    }
                    Found::Older(object) => {
                        objects.insert(name.clone(), object);
                        foreign.insert(name, stored);
                    }
                    Found::Unreadable => {
                        foreign.insert(name, stored);
                    }
                }
            }
        }
    }

    pub(crate) fn objects(&self, kind: usize) -> impl Iterator<Item = (&String, &Object)> {
        self.objects.get(kind).into_iter().flatten()
    }

    /// The objects of a kind as they were at `revision`.
    pub(crate) fn objects_at(
        &self,
        kind: usize,
        revision: u64,
    ) -> Result<BTreeMap<String, Object>, TooOld> {
        let mut objects = self.objects.get(kind).cloned().unwrap_or_default();
        for change in self.history.after(revision).ok_or(TooOld)?.rev() {
            if change.kind == kind {
                match &change.before {
                    Some(before) => objects.insert(change.name.clone(), before.clone()),
                    None => objects.remove(&change.name),
                };
            }
        }
        Ok(objects)
    }

    /// Stores an object under its name, with the next revision as its resource version.
    pub(crate) fn put(&mut self, kind: usize, name: &str, mut value: Value) -> Object {
        self.revision += 1;
        object::set_resource_version(&mut value, self.revision);
        let after = Arc::new(value);
        self.log(kind, name);
        self.drop_foreign(kind, name);
        let before = self
            .objects
            .get_mut(kind)
            .and_then(|objects| objects.insert(name.to_owned(), after.clone()));
        self.history.push(Change {
            revision: self.revision,
            kind,
            name: name.to_owned(),
            before,
            after: Some(after.clone()),
        });
        after
    }

    /// Removes an object and returns its last state.
    pub(crate) fn remove(&mut self, kind: usize, name: &str) -> Option<Object> {
        self.get(kind, name)?;
        self.log(kind, name);
        let before = self.objects.get_mut(kind)?.remove(name)?;
        self.drop_foreign(kind, name);
        self.revision += 1;
        self.history.push(Change {
            revision: self.revision,
            kind,
            name: name.to_owned(),
            before: Some(before.clone()),
            after: None,
        });
        Some(before)
    }

    fn drop_foreign(&mut self, kind: usize, name: &str) {
        if let Some(foreign) = self.foreign.get_mut(kind) {
            foreign.remove(name);
        }
    }
}
