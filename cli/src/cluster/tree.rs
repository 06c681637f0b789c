//! Objects as JSON trees.

use k8s_flowcontrol::Resource;
use serde_json::Value;

/// The object as JSON. Objects read from JSON can always be written as JSON.
pub(crate) fn tree<K: Resource>(object: &K) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}

/// The object's name.
pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}
