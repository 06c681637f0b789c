//! Objects as JSON trees.

use k8s_flowcontrol::Kind;
use serde_json::Value;

/// The object's name.
pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// An object as kubectl names it in its output: `flowschema/probes`.
pub(crate) fn title(kind: Kind, name: &str) -> String {
    format!("{}/{name}", kind.as_str().to_ascii_lowercase())
}
