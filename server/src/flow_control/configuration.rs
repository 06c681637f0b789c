//! The objects of flow control, decoded again only when they are written.

use crate::kinds::{Kind, Kinds};
use crate::store::Store;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::{Kind as OwnKind, Resource};
use serde_json::json;
use std::collections::BTreeSet;

/// The flow schemas and levels of a revision, by name. They have their name and their spec: nothing else concerns flow control.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    revision: Option<u64>,
    pub(crate) schemas: Vec<FlowSchema>,
    pub(crate) levels: Vec<PriorityLevelConfiguration>,
}

impl Configuration {
    /// Follows the store, and returns whether an object has changed.
    pub(super) fn follow(&mut self, store: &Store, kinds: &Kinds) -> bool {
        let revision = store.revision();
        if self.revision == Some(revision) {
            return false;
        }
        let since = self.revision.replace(revision);
        let schemas = kinds.own(OwnKind::FlowSchema);
        let levels = kinds.own(OwnKind::PriorityLevelConfiguration);
        let has_new_schemas = follow(&mut self.schemas, store, schemas, since);
        let has_new_levels = follow(&mut self.levels, store, levels, since);
        has_new_schemas || has_new_levels
    }
}

/// Brings the objects of a kind up to date, and returns whether one has changed.
fn follow<K: Resource + PartialEq>(
    known: &mut Vec<K>,
    store: &Store,
    kind: &Kind,
    since: Option<u64>,
) -> bool {
    let mut has_changed = false;
    for name in written(known, store, kind, since) {
        let at = known.binary_search_by(|object| object.name().cmp(&name));
        match (at, decoded(store, kind, &name)) {
            (Ok(at), Some(object)) if known[at] == object => continue,
            (Ok(at), Some(object)) => known[at] = object,
            (Ok(at), None) => drop(known.remove(at)),
            (Err(at), Some(object)) => known.insert(at, object),
            (Err(_), None) => continue,
        }
        has_changed = true;
    }
    has_changed
}

/// The names of the objects that were written after the revision `since`; all names if the history does not reach so far back.
fn written<K: Resource>(
    known: &[K],
    store: &Store,
    kind: &Kind,
    since: Option<u64>,
) -> BTreeSet<String> {
    match since.and_then(|since| store.history().after(since)) {
        Some(changes) => changes
            .filter(|change| change.kind == kind.index)
            .map(|change| change.name.clone())
            .collect(),
        None => {
            let stored = store.objects(kind.index).map(|(name, _)| name.as_str());
            let known = known.iter().map(Resource::name);
            stored.chain(known).map(str::to_owned).collect()
        }
    }
}

/// A stored object, which has the shape of v1 inside the server.
fn decoded<K: Resource>(store: &Store, kind: &Kind, name: &str) -> Option<K> {
    let spec = store.get(kind.index, name)?.get("spec");
    serde_json::from_value(json!({"metadata": {"name": name}, "spec": spec})).ok()
}
