//! The journal of a store whose objects are kept elsewhere too, and its way back after a failure there.

use super::{Object, Store, Stored};
use std::collections::BTreeMap;

/// An object that was written, as it was before.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) kind: usize,
    pub(crate) name: String,
    before: Option<Object>,
    foreign: Option<Stored>,
}

impl Store {
    /// Continues at `revision` with the stored objects of an earlier store, which are decoded by
    /// [`reread`](Self::reread), and begins a journal.
    pub(crate) fn restore(
        &mut self,
        revision: Option<u64>,
        objects: impl IntoIterator<Item = (usize, String, Stored)>,
    ) {
        if let Some(revision) = revision {
            self.revision = revision;
        }
        for (kind, name, stored) in objects {
            if let Some(foreign) = self.foreign.get_mut(kind) {
                foreign.insert(name, stored);
            }
        }
        self.journal = Some(Vec::new());
    }

    /// The writes since the last call.
    pub(crate) fn take_journal(&mut self) -> Vec<Written> {
        self.journal
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Takes back all writes after `revision`, which `journal` lists.
    pub(crate) fn undo(&mut self, journal: Vec<Written>, revision: u64) {
        for written in journal.into_iter().rev() {
            let Written {
                kind,
                name,
                before,
                foreign,
            } = written;
            set(self.objects.get_mut(kind), name.clone(), before);
            set(self.foreign.get_mut(kind), name, foreign);
        }
        self.revision = revision;
        self.history.undo(revision);
    }

    /// Notes that an object is about to be written.
    pub(super) fn log(&mut self, kind: usize, name: &str) {
        if self.journal.is_none() {
            return;
        }
        let foreign = self.foreign.get(kind).and_then(|all| all.get(name));
        let written = Written {
            kind,
            name: name.to_owned(),
            before: self.get(kind, name).cloned(),
            foreign: foreign.cloned(),
        };
        if let Some(journal) = &mut self.journal {
            journal.push(written);
        }
    }
}

fn set<T>(all: Option<&mut BTreeMap<String, T>>, name: String, value: Option<T>) {
    if let Some(all) = all {
        match value {
            Some(value) => all.insert(name, value),
            None => all.remove(&name),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::Limits;
    use super::*;
    use serde_json::json;

    #[test]
    fn writes_are_taken_back() {
        let limits = Limits {
            changes: 2,
            bytes: 1 << 20,
        };
        let mut store = Store::new(1, limits);
        store.restore(Some(7), []);
        let first = store.put(0, "a", json!({"v": 1}));
        store.put(0, "b", json!({}));
        let _kept = store.take_journal();
        let revision = store.revision();
        store.put(0, "a", json!({"v": 2}));
        store.remove(0, "a");
        store.remove(0, "b");
        store.put(0, "c", json!({}));
        let journal = store.take_journal();
        store.undo(journal, revision);
        let names: Vec<_> = store.objects(0).map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(store.get(0, "a"), Some(&first));
        assert_eq!((store.revision(), store.history().start()), (9, 9));
        assert_eq!(store.history().after(9).unwrap().count(), 0);
        store.put(0, "d", json!({}));
        assert_eq!(store.history().after(9).unwrap().count(), 1);
    }
}
