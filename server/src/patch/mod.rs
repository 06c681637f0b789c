//! JSON patch and strategic merge patch, on JSON trees.

mod json;
mod patched_text;
mod strategic;

pub(crate) use json::json_patch;
pub(crate) use patched_text::{Touched, patched_text};
pub(crate) use strategic::{go_map, strategic_merge_patch};

use serde_json::Value;

/// Go's name for the type of a JSON value.
pub(crate) fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
