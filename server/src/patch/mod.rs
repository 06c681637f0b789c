//! JSON patch, merge patch and strategic merge patch, on JSON trees.

mod json;
mod merge;
mod patched_text;
mod strategic;
mod unstructured;

pub(crate) use json::{FIELDS as OPERATION_FIELDS, json_patch};
pub(crate) use merge::{merge_patch, without_nulls};
pub(crate) use patched_text::{Touched, patched_text};
pub(crate) use strategic::{go_map, go_value, strategic_merge_patch};
pub(crate) use unstructured::convert as convert_unstructured;

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
