//! The few members of an object that the server itself looks at.

use serde_json::{Map, Value};

/// A text of `metadata`, empty when it is not there.
pub(crate) fn meta_str<'a>(object: &'a Value, member: &str) -> &'a str {
    object
        .get("metadata")
        .and_then(|meta| meta.get(member))
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// Changes `metadata`, which is made when it is not there.
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
        // Not reached: it was made an object just now.
        _ => edit(&mut Map::new()),
    }
}

pub(super) fn set_resource_version(object: &mut Value, revision: u64) {
    edit_metadata(object, |metadata| {
        metadata.insert("resourceVersion".into(), revision.to_string().into())
    });
}
