//! Writes YAML in the layout of go-yaml. Own code, because the layout is part of a server's responses.

mod emitter;
mod plain;

use emitter::Emitter;
use serde_json::Value;

/// Writes a value as a YAML document, like a Kubernetes API server and kubectl: keys in go-yaml's order, long lines folded,
/// text of several lines as a block, and quotes around strings that YAML 1.1 would read as another type.
///
/// [`parse_yaml`](crate::parse_yaml) reads the same value from it. The text ends with a line break and has no `---`.
///
/// ```
/// use k8s_flowcontrol_text::to_yaml;
/// use serde_json::json;
///
/// let object = json!({"metadata": {"name": "batch", "labels": {"on": "yes"}}, "spec": {"rules": [{"subjects": []}]}});
/// let expected = r#"metadata:
///   labels:
///     "on": "yes"
///   name: batch
/// spec:
///   rules:
///   - subjects: []
/// "#;
/// assert_eq!(to_yaml(&object), expected);
/// ```
pub fn to_yaml(value: &Value) -> String {
    let mut emitter = Emitter::default();
    emitter.document(value);
    emitter.finish()
}
