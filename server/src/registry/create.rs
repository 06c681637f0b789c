//! New objects.

use super::{Write, admission, metadata};
use crate::scheme::HUB;
use crate::status::{Failure, internal};
use crate::store::{Object, Store, edit_metadata, meta_str};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Creates an object as a client sent it.
///
/// # Errors
/// 422 for an object that is no good, 409 for a name that is taken, 500 for a resource version.
pub(crate) fn create(
    store: &mut Store,
    write: &Write<'_>,
    mut object: Value,
) -> Result<Object, Failure> {
    write.writer().update(&write.kind.empty(), &mut object);
    store_new(store, write, object)
}

/// Creates an object whose managed fields are already known.
pub(super) fn store_new(
    store: &mut Store,
    write: &Write<'_>,
    mut object: Value,
) -> Result<Object, Failure> {
    metadata::settle_namespace(&mut object, write)?;
    metadata::begin(&mut object, write.kind, write.now);
    if write.kind.is_guest() {
        drop_status(&mut object, write);
    } else {
        object["status"] = Value::Object(Map::new());
    }
    let mut object = write.kind.canonical(&object, HUB);
    admission::admit(write, &object, None)?;
    if !meta_str(&object, "resourceVersion").is_empty() {
        return Err(internal(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    let name = meta_str(&object, "name").to_owned();
    let key = write.key(&name);
    let old = store.get(write.kind.index, &key);
    if old.is_some() || store.unreadable_named(write.kind.index, &key).is_some() {
        let is_terminating = old.is_some_and(|old| metadata::is_terminating(old));
        return Err(write.subject(&name).already_exists(is_terminating));
    }
    if write.dry_run {
        edit_metadata(&mut object, |metadata| metadata.remove("resourceVersion"));
        return Ok(Arc::new(object));
    }
    Ok(store.put(write.kind.index, &key, object))
}

/// New objects have no status where only its subresource writes it.
fn drop_status(object: &mut Value, write: &Write<'_>) {
    if let (true, Some(members)) = (write.kind.has_status(), object.as_object_mut()) {
        members.remove("status");
    }
}
