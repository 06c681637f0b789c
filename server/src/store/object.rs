//! An object, and the few fields of it that the server itself reads and writes.

use serde_json::{Map, Value};
use std::sync::Arc;

/// An object in its hub form, shared between the store, its history and responses.
pub(crate) type Object = Arc<Value>;

/// A string of `metadata`, empty when it is absent.
pub(crate) fn meta_str<'a>(object: &'a Value, field: &str) -> &'a str {
    object
        .get("metadata")
        .and_then(|metadata| metadata.get(field))
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// Changes `metadata`, which is created when it is absent.
pub(crate) fn edit_metadata<T>(
    object: &mut Value,
    edit: impl FnOnce(&mut Map<String, Value>) -> T,
) -> T {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let metadata = &mut object["metadata"];
    if !metadata.is_object() {
        *metadata = Value::Object(Map::new());
    }
    match metadata {
        Value::Object(metadata) => edit(metadata),
        // Unreachable: the line above made it an object.
        _ => edit(&mut Map::new()),
    }
}

pub(super) fn set_resource_version(object: &mut Value, revision: u64) {
    edit_metadata(object, |metadata| {
        metadata.insert("resourceVersion".into(), revision.to_string().into())
    });
}
