//! The patch types that are not apply: trees in, trees out.

mod json;
mod strategic;
mod text;

pub(crate) use json::json_patch;
pub(crate) use strategic::{go_map, strategic_merge_patch};
pub(crate) use text::{Touched, patched_text};

use serde_json::Value;

/// What Go calls the type of a JSON value.
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
