//! Objects as JSON trees.

use serde_json::Value;

pub(crate) use k8s_flowcontrol::rules::decode::tree_of as tree;

/// The object's name.
pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}
