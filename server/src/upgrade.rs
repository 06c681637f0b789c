//! Storage after an upgrade: the objects that another release wrote.
//!
//! Objects stay in the version in which they were last written: the version in which that release stores objects. A
//! read does not change that, any write does.

use crate::kinds::{Kind, Kinds};
use crate::status::{Failure, internal};
use crate::store::{Found, Store, Stored};
use k8s_flowcontrol_types::Release;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Decodes the store of a server of `from` for a server of `to`. The history is dropped, and resource versions
/// continue.
pub(crate) fn decode_store(store: &mut Store, from: &Kinds, to: &Kinds) {
    let mut writers: BTreeMap<Release, Kinds> = BTreeMap::new();
    store.reread(from.release, |kind, stored| {
        let writer = writers
            .entry(stored.release)
            .or_insert_with(|| from.of_release(stored.release));
        match (writer.all.get(kind), to.all.get(kind)) {
            (Some(writer), Some(reader)) => read(stored, writer, reader),
            // Unreachable: all releases have the same kinds.
            _ => Found::Unreadable,
        }
    });
    store.expire_history();
}

fn read(stored: &Stored, writer: &Kind, reader: &Kind) -> Found {
    let Some(version) = reader.adopt(writer.stored) else {
        return Found::Unreadable;
    };
    let form = writer.to_stored(&stored.object);
    let object = Arc::new(reader.canonical(reader.to_hub(form.clone(), version), reader.hub));
    if reader.to_stored(&object) == form {
        Found::Current(object)
    } else {
        Found::Older(object)
    }
}

/// The server's error for an object in a version unknown to the release.
pub(crate) fn unreadable(kind: &Kind, stored: &Stored) -> Failure {
    internal(format!(
        "no kind {:?} is registered for version {:?} in scheme \
         \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\"",
        kind.name(),
        stored.release.stored().api_version(),
    ))
}
