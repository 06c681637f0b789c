//! The fields of `metadata` that the server sets.

use super::write::Write;
use crate::ids;
use crate::kinds::Kind;
use crate::status::{Failure, bad_request};
use crate::store::{edit_metadata, meta_str};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Removes the fields that a client cannot set in a posted object, before a manager owns them. An applied configuration keeps them.
pub(super) fn remove_system_fields(object: &mut Value) {
    edit_metadata(object, |metadata| {
        for field in [
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink",
        ] {
            metadata.remove(field);
        }
    });
}

/// Sets the fields of a new object that only the server may set.
pub(super) fn initialize(object: &mut Value, kind: &Kind, now: &str) {
    edit_metadata(object, |metadata| {
        drop_namespace(metadata, kind);
        metadata.insert("uid".into(), ids::uid().into());
        metadata.insert("creationTimestamp".into(), now.into());
        if has_generation(kind) {
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

/// Restores the fields of `old` that a client cannot change.
pub(super) fn carry_over(object: &mut Value, old: &Value, kind: &Kind) {
    let old_metadata = &old["metadata"];
    edit_metadata(object, |metadata| {
        drop_namespace(metadata, kind);
        metadata.remove("selfLink");
        for field in ["creationTimestamp", "generation", "resourceVersion"] {
            match old_metadata.get(field) {
                Some(value) => metadata.insert(field.into(), value.clone()),
                None => metadata.remove(field),
            };
        }
        // A terminating object stays so.
        if let Some(value) = old_metadata.get("deletionTimestamp") {
            metadata.insert("deletionTimestamp".into(), value.clone());
        }
        for field in ["uid", "deletionGracePeriodSeconds"] {
            let is_empty = metadata
                .get(field)
                .is_none_or(|value| value.is_null() || value.as_str() == Some(""));
            if let (true, Some(value)) = (is_empty, old_metadata.get(field)) {
                metadata.insert(field.into(), value.clone());
            }
        }
    });
}

/// Fills in the namespace of the path.
/// Errors: 400 for an object of another namespace.
pub(super) fn fill_in_namespace(object: &mut Value, write: &Write<'_>) -> Result<(), Failure> {
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

/// Whether `generation` counts the changes of `spec`. Documents do not contain this; most built-in kinds with a
/// status have it, for `observedGeneration`.
pub(super) fn has_generation(kind: &Kind) -> bool {
    kind.has_status()
}

fn drop_namespace(metadata: &mut Map<String, Value>, kind: &Kind) {
    if !kind.is_namespaced() {
        metadata.remove("namespace");
    }
}

/// Increments `generation`.
pub(super) fn increment_generation(object: &mut Value) {
    edit_metadata(object, |metadata| {
        let generation = metadata
            .get("generation")
            .and_then(Value::as_i64)
            .unwrap_or_default();
        metadata.insert("generation".into(), generation.saturating_add(1).into());
    });
}

/// Marks an object as terminating.
pub(super) fn begin_deletion(object: &mut Value, now: &str) {
    let generation = object.pointer("/metadata/generation");
    if generation.and_then(Value::as_i64).is_some_and(|it| it > 0) {
        increment_generation(object);
    }
    edit_metadata(object, |metadata| {
        metadata.insert("deletionTimestamp".into(), now.into());
        metadata.insert("deletionGracePeriodSeconds".into(), 0.into());
    });
}

pub(crate) fn is_terminating(object: &Value) -> bool {
    !meta_str(object, "deletionTimestamp").is_empty()
}

pub(crate) fn finalizers(object: &Value) -> &[Value] {
    object
        .pointer("/metadata/finalizers")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// Whether two objects are equal except for the times of their managed fields, which are not a change by themselves.
pub(super) fn is_unchanged(new: &Value, old: &Value) -> bool {
    are_equal_without("metadata", new, old) && {
        let (new, old) = (&new["metadata"], &old["metadata"]);
        are_equal_without("managedFields", new, old)
            && without_times(&new["managedFields"]) == without_times(&old["managedFields"])
    }
}

fn are_equal_without(name: &str, left: &Value, right: &Value) -> bool {
    let others = |object: &Value| {
        let fields = object.as_object().into_iter().flatten();
        fields.filter(|(field, _)| *field != name).count()
    };
    let mut fields = left.as_object().into_iter().flatten();
    others(left) == others(right)
        && fields.all(|(field, value)| field == name || right.get(field) == Some(value))
}

/// Entries of managed fields without their times, on which their order depends.
fn without_times(managed: &Value) -> BTreeSet<String> {
    let mut entries = managed.as_array().cloned().unwrap_or_default();
    for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
        entry.remove("time");
    }
    entries.iter().map(Value::to_string).collect()
}
