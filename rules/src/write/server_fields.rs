//! The fields of an object that servers fill in.

use serde_json::Value;

/// Removes the fields that servers fill in: status, resourceVersion, uid, managedFields and others.
pub fn strip_server_fields(object: &mut Value) {
    let Some(fields) = object.as_object_mut() else {
        return;
    };
    fields.remove("status");
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in [
            "creationTimestamp",
            "generation",
            "managedFields",
            "resourceVersion",
            "selfLink",
            "uid",
        ] {
            metadata.remove(name);
        }
    }
}
