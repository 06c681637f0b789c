//! Creation of objects.

use super::metadata;
use super::write::{self, Write};
use crate::status::{Failure, internal};
use crate::store::{Object, Store, meta_str};
use k8s_flowcontrol_text::go::parse_uint;
use serde_json::Value;
use std::sync::Arc;

/// Creates an object from a client.
/// Errors: 422 for an invalid object, 409 for a name in use, 500 for a resource version.
pub(crate) fn create(
    store: &mut Store,
    write: &Write<'_>,
    mut object: Value,
) -> Result<Object, Failure> {
    metadata::remove_system_fields(&mut object);
    write.writer().update(&write.kind.empty(), &mut object);
    store_new(store, write, object)
}

/// Creates an object with managed fields.
pub(super) fn store_new(
    store: &mut Store,
    write: &Write<'_>,
    mut object: Value,
) -> Result<Object, Failure> {
    metadata::fill_in_namespace(&mut object, write)?;
    metadata::initialize(&mut object, write.kind, write.now);
    drop_status(&mut object, write);
    write::admit(write, &object, None)?;
    let object = write.kind.canonical(object, write.kind.hub);
    // The storage rejects a resource version. A dry run does not reach it, and a malformed version counts as absent.
    let version = parse_uint(meta_str(&object, "resourceVersion"));
    if !write.dry_run && version.is_ok_and(|version| version > 0) {
        return Err(internal(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    let name = meta_str(&object, "name").to_owned();
    let key = write.key(&name);
    let old = store.get(write.kind.index, &key);
    if old.is_some() || store.unreadable_named(write.kind.index, &key).is_some() {
        let is_terminating = old.is_some_and(|old| metadata::is_terminating(old));
        let is_generated = !meta_str(&object, "generateName").is_empty();
        let subject = write.subject(&name);
        return Err(subject.already_exists(is_terminating, is_generated));
    }
    if write.dry_run {
        return Ok(Arc::new(object));
    }
    write::store(store, write, &key, object)
}

/// A new object does not get a status if only the subresource writes it.
fn drop_status(object: &mut Value, write: &Write<'_>) {
    if let (true, Some(fields)) = (write.kind.has_status(), object.as_object_mut()) {
        fields.remove("status");
    }
}
