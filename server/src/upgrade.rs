//! What a server of another release finds in storage.
//!
//! Objects stay in the version in which they were last written: the one in which the release that wrote
//! them stores objects. Reading does not change that, any write does.

use crate::kinds::{Kind, Kinds};
use crate::status::{Failure, internal};
use crate::store::{Found, Store, Stored};
use k8s_flowcontrol_types::Release;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The store of a server of `from`, as a server reads it that starts as `to`. Watches know nothing of
/// what came before; resource versions go on.
pub(crate) fn reopen(store: &mut Store, from: &Kinds, to: &Kinds) {
    let mut writers: BTreeMap<Release, Kinds> = BTreeMap::new();
    store.reread(from.release(), |kind, stored| {
        let writer = writers
            .entry(stored.release)
            .or_insert_with(|| from.of_release(stored.release));
        match (writer.all().get(kind), to.all().get(kind)) {
            (Some(writer), Some(reader)) => read(stored, writer, reader),
            // Not reached: all releases have the same kinds.
            _ => Found::Unreadable,
        }
    });
    store.expire_history();
}

fn read(stored: &Stored, writer: &Kind, reader: &Kind) -> Found {
    let Some(version) = reader.adopt(writer.stored()) else {
        return Found::Unreadable;
    };
    let form = writer.to_stored(&stored.object);
    let object = Arc::new(reader.canonical(&reader.to_hub(form.clone(), version), reader.hub()));
    if reader.to_stored(&object) == form {
        Found::Current(object)
    } else {
        Found::Older(object)
    }
}

/// What a server says of an object in a version that it does not know.
pub(crate) fn unreadable(kind: &Kind, stored: &Stored) -> Failure {
    internal(format!(
        "no kind {:?} is registered for version {:?} in scheme \
         \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\"",
        kind.name(),
        stored.release.stored().api_version(),
    ))
}
