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
