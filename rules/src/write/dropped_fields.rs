//! The fields of an object that servers drop, and the fields that they fill in.

use serde_json::Value;

/// The paths of the fields of `sent` that are missing in the server's response, because its release does not know them; `path` is the
/// path of `sent` itself, such as `spec`.
///
/// Zero values do not count, because servers omit them.
///
/// ```
/// use k8s_flowcontrol_rules::dropped_fields;
/// use serde_json::json;
///
/// let sent = json!({"limited": {"lendablePercent": 50, "borrowingLimitPercent": 0, "limitResponse": {"type": "Queue"}}});
/// let stored = json!({"limited": {"limitResponse": {"type": "Queue"}}});
/// assert_eq!(dropped_fields(&sent, &stored, "spec"), ["spec.limited.lendablePercent"]);
/// ```
pub fn dropped_fields(sent: &Value, stored: &Value, path: &str) -> Vec<String> {
    let mut paths = Vec::new();
    collect(sent, stored, path, &mut paths);
    paths
}

fn collect(sent: &Value, stored: &Value, path: &str, paths: &mut Vec<String>) {
    match (sent, stored) {
        (Value::Object(sent), Value::Object(stored)) => {
            for (name, value) in sent {
                let stored = stored.get(name).unwrap_or(&Value::Null);
                collect(value, stored, &format!("{path}.{name}"), paths);
            }
        }
        (Value::Array(sent), Value::Array(stored)) => {
            for (index, (sent, stored)) in sent.iter().zip(stored).enumerate() {
                collect(sent, stored, &format!("{path}[{index}]"), paths);
            }
        }
        (sent, Value::Null) if !is_zero(sent) => paths.push(path.to_owned()),
        _ => {}
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

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
