//! The part of the garbage collector in deletions that wait for it: with the policies `Foreground` and `Orphan`.
//!
//! Dependents stay, with any policy.

use crate::kinds::Kinds;
use crate::registry::{FOREGROUND, ORPHAN, finalizers, is_terminating};
use crate::store::{Store, edit_metadata};
use serde_json::Value;
use std::collections::BTreeSet;

/// Removes the collector's finalizers from the objects that are terminating after the writes that followed revision
/// `since`. An object without other finalizers is deleted.
pub(crate) fn follow(store: &mut Store, kinds: &Kinds, since: u64) {
    for (kind, name) in waiting(store, kinds, since) {
        let Some(object) = store.get(kind, &name) else {
            continue;
        };
        let kept: Vec<_> = finalizers(object)
            .iter()
            .filter(|it| !is_ours(it))
            .collect();
        if kept.is_empty() {
            store.remove(kind, &name);
            continue;
        }
        let kept: Value = kept.into_iter().cloned().collect();
        let mut object = (**object).clone();
        edit_metadata(&mut object, |metadata| {
            metadata.insert("finalizers".into(), kept)
        });
        store.put(kind, &name, object);
    }
}

/// The kinds and keys of the objects that wait for the collector.
fn waiting(store: &Store, kinds: &Kinds, since: u64) -> BTreeSet<(usize, String)> {
    let waits = |object: &Value| is_terminating(object) && finalizers(object).iter().any(is_ours);
    if let Some(changes) = store.history().after(since) {
        let changes = changes.filter(|change| change.after.as_deref().is_some_and(waits));
        return changes
            .map(|change| (change.kind, change.name.clone()))
            .collect();
    }
    // The history holds fewer changes than were made at once.
    let kinds = kinds.all.iter().flat_map(|kind| {
        let objects = store.objects(kind.index);
        objects.map(|(name, object)| (kind.index, name, object))
    });
    let waiting = kinds.filter(|(.., object)| waits(object));
    waiting
        .map(|(kind, name, _)| (kind, name.clone()))
        .collect()
}

fn is_ours(finalizer: &Value) -> bool {
    finalizer == ORPHAN || finalizer == FOREGROUND
}
