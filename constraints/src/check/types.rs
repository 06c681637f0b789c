//! `type` and `nullable`.

use super::found::{Fault, Found};
use super::numbers::is_whole;
use crate::schema::Node;
use crate::violation::Reason;
use k8s_flowcontrol_text::go::quote;
use serde_json::Value;

/// `null`, unless it is a value.
pub(super) fn null(node: &Node, path: &str) -> Found {
    if node.types.is_empty() || node.nullable {
        let mut found = Found::default();
        found.count();
        return found;
    }
    wrong_type(path, &node.types.join(","), "null")
}

/// Checks the type of a value that is not `null`.
pub(super) fn check(node: &Node, path: &str, value: &Value) -> Found {
    let mut found = Found::default();
    found.count();
    let has = |name: &str| node.types.iter().any(|allowed| allowed == name);
    // A server leaves the type of strings and lists to the format.
    let is_of_number = has("number") || has("integer");
    if node.format.is_some() && !is_of_number && (value.is_string() || value.is_array()) {
        return found;
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
    };
    let fits = match kind {
        "null" => true,
        "integer" => is_of_number,
        "number" => has(kind) || has("integer") && value.as_f64().is_some_and(is_whole),
        kind => has(kind),
    };
    if fits {
        return found;
    }
    let go_type = match kind {
        "integer" => "int64",
        "number" => "float64",
        _ => "",
    };
    match &node.format {
        Some(_) if !matches!(kind, "string" | "array") => {
            wrong_type(path, &node.format_name, go_type)
        }
        _ => wrong_type(path, &node.types.join(","), kind),
    }
}

pub(super) fn wrong_type(path: &str, expected: &str, actual: &str) -> Found {
    let actual = quote(actual);
    let detail = format!("must be of type {expected}: {actual}");
    Found::of(Fault::in_body(path, Reason::TypeInvalid, &actual, &detail))
}
