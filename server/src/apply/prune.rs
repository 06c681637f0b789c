//! Removal of the fields that a manager applied before and omits now, and that other managers do not own.

use super::field_set::FieldSet;
use super::managers::{Managers, Owned};
use super::typed;
use crate::kinds::{Kind, Version};
use serde_json::Value;

/// An object in one version.
struct Typed<'a> {
    kind: &'a Kind,
    version: Version,
    tree: Value,
}

/// Removes from `merged` the fields that the manager owned according to `last` and that are now without an owner.
///
/// The fields are compared in the version of the manager's last apply. The conversion there and back writes Go's zero
/// values, so a field that is always written can only be removed by an apply in the version of the last one.
pub(super) fn prune(
    kind: &Kind,
    merged: Value,
    version: Version,
    last: Option<&Owned>,
    managers: &Managers,
) -> Value {
    let Some(last) = last.filter(|last| !last.fields.is_empty()) else {
        return merged;
    };
    // A version that is no longer served does not have a schema for its fields.
    let Some(last_version) = kind.served_version(&last.version) else {
        return merged;
    };
    let tree = merged;
    let merged = Typed {
        kind,
        version,
        tree,
    }
    .into_version(last_version);
    let last = last.fields.with_parents();
    let pruned = merged.without(&last);
    let pruned = add_back_owned(&merged, pruned, managers).into_version(last_version);
    // Fields that were pruned with their parents, but never belonged to the manager, stay.
    let gone = merged
        .fields()
        .difference(&pruned.fields())
        .intersection(&last);
    merged.without(&gone).into_version(version).tree
}

/// Restores every owned field, version by version.
fn add_back_owned<'a>(merged: &Typed<'a>, mut pruned: Typed<'a>, managers: &Managers) -> Typed<'a> {
    let mut merged = merged.to_version(merged.version);
    let first = merged.version;
    // The version of the object comes first, then the others, the oldest first.
    let others = merged.kind.served.iter().rev().copied();
    for version in std::iter::once(first).chain(others.filter(|version| *version != first)) {
        let api_version = version.api_version();
        let entries = managers.0.values();
        let mut entries = entries
            .filter(|entry| entry.version == api_version)
            .peekable();
        if entries.peek().is_none() {
            continue;
        }
        let owned = entries.fold(FieldSet::default(), |mut owned, entry| {
            owned.absorb(&entry.fields);
            owned
        });
        merged = merged.into_version(version);
        pruned = pruned.into_version(version);
        let gone = merged
            .fields()
            .difference(&pruned.fields())
            .difference(&owned.with_parents());
        pruned = merged.without(&gone);
    }
    pruned
}

impl<'a> Typed<'a> {
    fn to_version(&self, version: Version) -> Self {
        Self {
            kind: self.kind,
            version,
            tree: self.kind.convert(&self.tree, self.version, version),
        }
    }

    fn into_version(self, version: Version) -> Self {
        if self.version == version {
            return self;
        }
        self.to_version(version)
    }

    /// All fields with their parents.
    fn fields(&self) -> FieldSet {
        typed::field_set(&self.tree, self.version.schema()).with_parents()
    }

    fn without(&self, set: &FieldSet) -> Self {
        Self {
            kind: self.kind,
            version: self.version,
            tree: typed::remove(&self.tree, set, self.version.schema()),
        }
    }
}
