//! `type` and `nullable`.

use super::found::{Fault, Found};
use crate::go::bad_value;
use crate::schema::Node;
use crate::violation::Reason;
use serde_json::Value;

/// `null`, unless it is a value.
pub(super) fn null(node: &Node, path: &str) -> Found {
    if node.types.is_empty() || node.nullable {
        let mut found = Found::default();
        found.count();
        return found;
    }
    wrong_type(
        path,
        &node.types.join(","),
        &Value::String("null".to_owned()),
    )
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
    let fits = match value {
        Value::Null => true,
        Value::Bool(_) => has("boolean"),
        Value::String(_) => has("string"),
        Value::Array(_) => has("array"),
        Value::Object(_) => has("object"),
        Value::Number(number) if number.is_i64() => is_of_number,
        Value::Number(number) => {
            has("number") || has("integer") && number.as_f64().is_some_and(super::numbers::is_whole)
        }
    };
    if fits {
        return found;
    }
    let actual = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
    };
    match &node.format {
        Some(_) if !value.is_string() && !value.is_array() => {
            let actual = match actual {
                "integer" => "int64",
                "number" => "float64",
                _ => "",
            };
            wrong_type(path, &node.format_name, &Value::String(actual.to_owned()))
        }
        _ => wrong_type(
            path,
            &node.types.join(","),
            &Value::String(actual.to_owned()),
        ),
    }
}

pub(super) fn wrong_type(path: &str, expected: &str, actual: &Value) -> Found {
    let actual = bad_value(actual);
    let detail = format!("must be of type {expected}: {actual}");
    Found::of(Fault::in_body(path, Reason::TypeInvalid, &actual, &detail))
}
