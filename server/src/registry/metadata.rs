//! What the server itself writes into `metadata`.

use super::write::Write;
use crate::ids;
use crate::kinds::Kind;
use crate::status::{Failure, bad_request};
use crate::store::{edit_metadata, meta_str};
use serde_json::{Map, Value};

/// Drops what a client cannot say of a new object, before anybody comes to own it.
pub(super) fn forget_system_members(object: &mut Value) {
    edit_metadata(object, |metadata| {
        for member in [
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink",
        ] {
            metadata.remove(member);
        }
    });
}

/// Makes a sent object a new one: what only the server may say is said anew.
pub(super) fn begin(object: &mut Value, kind: &Kind, now: &str) {
    forget_system_members(object);
    edit_metadata(object, |metadata| {
        drop_namespace(metadata, kind);
        metadata.insert("uid".into(), ids::uid().into());
        metadata.insert("creationTimestamp".into(), now.into());
        if is_counted(kind) {
            metadata.insert("generation".into(), 1.into());
        }
        let text = |name: &str| {
            metadata
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        if text("name").is_empty() && !text("generateName").is_empty() {
            let name = ids::generated_name(text("generateName"));
            metadata.insert("name".into(), name.into());
        }
    });
}

/// Keeps of `old` what a client cannot change.
pub(super) fn carry_over(object: &mut Value, old: &Value, kind: &Kind) {
    let old_metadata = old.get("metadata").cloned().unwrap_or_default();
    edit_metadata(object, |metadata| {
        drop_namespace(metadata, kind);
        metadata.remove("selfLink");
        for member in ["creationTimestamp", "generation", "resourceVersion"] {
            match old_metadata.get(member) {
                Some(value) => metadata.insert(member.into(), value.clone()),
                None => metadata.remove(member),
            };
        }
        for member in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
            let is_empty = metadata
                .get(member)
                .is_none_or(|value| value.is_null() || value.as_str() == Some(""));
            if let (true, Some(value)) = (is_empty, old_metadata.get(member)) {
                metadata.insert(member.into(), value.clone());
            }
        }
    });
}

/// Puts the namespace of the path into an object that leaves it out.
///
/// # Errors
/// 400 for an object of another namespace.
pub(super) fn settle_namespace(object: &mut Value, write: &Write<'_>) -> Result<(), Failure> {
    if !write.kind.is_namespaced() {
        return Ok(());
    }
    match meta_str(object, "namespace") {
        found if found == write.namespace => {}
        "" => edit_metadata(object, |metadata| {
            metadata.insert("namespace".into(), write.namespace.into());
        }),
        _ => {
            return Err(bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
    }
    Ok(())
}

/// Whether changes of `spec` are counted. No document says so; of the built-in kinds it is mostly those
/// with a status, which says up to which change it knows.
pub(super) fn is_counted(kind: &Kind) -> bool {
    kind.has_status()
}

fn drop_namespace(metadata: &mut Map<String, Value>, kind: &Kind) {
    if !kind.is_namespaced() {
        metadata.remove("namespace");
    }
}

/// Counts a change of `spec`.
pub(super) fn count_change(object: &mut Value) {
    edit_metadata(object, |metadata| {
        let generation = metadata
            .get("generation")
            .and_then(Value::as_i64)
            .unwrap_or_default();
        metadata.insert("generation".into(), generation.saturating_add(1).into());
    });
}

/// Marks an object as being deleted.
pub(super) fn begin_deletion(object: &mut Value, now: &str) {
    count_change(object);
    edit_metadata(object, |metadata| {
        metadata.insert("deletionTimestamp".into(), now.into());
        metadata.insert("deletionGracePeriodSeconds".into(), 0.into());
    });
}

pub(super) fn is_terminating(object: &Value) -> bool {
    !meta_str(object, "deletionTimestamp").is_empty()
}

pub(super) fn finalizers(object: &Value) -> &[Value] {
    object
        .pointer("/metadata/finalizers")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// The object without the times of its managed fields, which alone are no change.
pub(super) fn without_times(object: &Value) -> Value {
    let mut object = object.clone();
    let entries = object
        .pointer_mut("/metadata/managedFields")
        .and_then(Value::as_array_mut);
    for entry in entries.into_iter().flatten() {
        if let Some(entry) = entry.as_object_mut() {
            entry.remove("time");
        }
    }
    if let Some(Value::Array(entries)) = object.pointer_mut("/metadata/managedFields") {
        // Their order depends on the times.
        entries.sort_by_key(Value::to_string);
    }
    object
}
