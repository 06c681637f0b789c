//! Changes of existing objects.

use super::metadata;
use super::write::{self, Write, find};
use crate::status::{Failure, internal};
use crate::store::{Object, Store, edit_metadata, meta_str};
use k8s_flowcontrol_text::go::parse_uint;
use k8s_flowcontrol_types::Fact;
use serde_json::Value;
use std::sync::Arc;

/// Replaces the object `name`, or its subresource, with an object from a client.
/// Errors: 404 for an object that does not exist, 409 for another UID or resource version, 422 for an invalid object.
pub(crate) fn update(
    store: &mut Store,
    write: &Write<'_>,
    name: &str,
    mut object: Value,
) -> Result<Object, Failure> {
    let uid = meta_str(&object, "uid");
    let Some(old) = find(store, write.kind, &write.key(name))? else {
        // Older servers check the precondition first.
        if !uid.is_empty() && !write.kind.release.has(Fact::MissingBeforeUid) {
            return Err(uid_conflict(write, name, uid, ""));
        }
        return Err(write.subject(name).not_found());
    };
    if !uid.is_empty() && uid != meta_str(&old, "uid") {
        return Err(uid_conflict(write, name, uid, meta_str(&old, "uid")));
    }
    check_version(write, name, &object, &old)?;
    write.writer().update(&old, &mut object);
    commit(store, write, name, &old, object)
}

fn uid_conflict(write: &Write<'_>, name: &str, asked: &str, found: &str) -> Failure {
    // A dry run does not reach the storage layer that adds the prefix to keys.
    let prefix = if write.dry_run { "" } else { "/registry" };
    write.subject(name).conflict(&format!(
        "StorageError: invalid object, Code: 4, Key: {prefix}/{}/{name}, ResourceVersion: 0, \
         AdditionalErrorMsg: Precondition failed: UID in precondition: {asked}, UID in object meta: \
         {found}",
        write.kind.plural(),
    ))
}

/// Optimistic concurrency: a resource version in a request must be the present one.
pub(super) fn check_version(
    write: &Write<'_>,
    name: &str,
    object: &Value,
    old: &Value,
) -> Result<(), Failure> {
    let version = meta_str(object, "resourceVersion");
    if version.is_empty() {
        return Ok(());
    }
    match parse_uint(version).map_err(internal)? {
        0 => Ok(()),
        version if parse_uint(meta_str(old, "resourceVersion")) == Ok(version) => Ok(()),
        _ => Err(write.subject(name).modified()),
    }
}

/// Stores an object with managed fields over `old`.
///
/// An object without changes is not written. A terminating object is deleted with its last finalizer.
pub(crate) fn commit(
    store: &mut Store,
    write: &Write<'_>,
    name: &str,
    old: &Object,
    mut object: Value,
) -> Result<Object, Failure> {
    metadata::fill_in_namespace(&mut object, write)?;
    keep_other_fields(&mut object, old, write);
    metadata::carry_over(&mut object, old, write.kind);
    write::admit(write, &object, Some(old))?;
    let mut object = write.kind.canonical(object, write.kind.hub);
    if metadata::has_generation(write.kind) && object.get("spec") != old.get("spec") {
        metadata::increment_generation(&mut object);
    }
    if metadata::is_unchanged(&object, old) {
        if store.is_current(write.kind.index, &write.key(name)) {
            return Ok(old.clone());
        }
        // An object without changes is written nevertheless if the release would store it in another form.
        object = (**old).clone();
    }
    let finished = metadata::is_terminating(&object) && metadata::finalizers(&object).is_empty();
    if write.dry_run {
        return Ok(Arc::new(object));
    }
    if finished {
        store.remove(write.kind.index, &write.key(name));
        return Ok(Arc::new(object));
    }
    write::store(store, write, &write.key(name), object)
}

/// The main resource keeps the status, and the status subresource keeps everything else.
fn keep_other_fields(object: &mut Value, old: &Value, write: &Write<'_>) {
    if write.subresource.is_empty() {
        if write.kind.has_status() {
            object["status"] = old.get("status").cloned().unwrap_or_default();
        }
        return;
    }
    let managed = object.pointer("/metadata/managedFields").cloned();
    let status = object.get("status").cloned().unwrap_or_default();
    *object = old.clone();
    object["status"] = status;
    edit_metadata(object, |metadata| match managed {
        Some(managed) => metadata.insert("managedFields".into(), managed),
        None => metadata.remove("managedFields"),
    });
}
