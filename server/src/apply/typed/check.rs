//! Whether an applied configuration fits its schema, with the messages of the server's apply library, and whether a server can track the
//! fields of an object.

use super::parts::{Parts, element_step, parts};
use k8s_flowcontrol_types::schema::{ListKind, Shape, TypeSchema};
use k8s_flowcontrol_types::{Fact, Release};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// The problems of `object`, one message each.
pub(crate) fn check(object: &Value, schema: &TypeSchema) -> Vec<String> {
    let mut problems = Vec::new();
    check_fields(object, schema, "", &mut problems);
    problems
}

fn check_fields(object: &Value, schema: &TypeSchema, path: &str, problems: &mut Vec<String>) {
    let Some(fields) = object.as_object() else {
        if !object.is_null() {
            problems.push(format!("{path}: expected map, got {}", described(object)));
        }
        return;
    };
    for (name, value) in fields {
        if path.is_empty() && matches!(name.as_str(), "apiVersion" | "kind") {
            continue;
        }
        let path = format!("{path}.{name}");
        match schema.shape(name) {
            Some(shape) => check_value(value, &shape, &path, problems),
            None => problems.push(format!("{path}: field not declared in schema")),
        }
    }
}

fn check_value(value: &Value, shape: &Shape, path: &str, problems: &mut Vec<String>) {
    if value.is_null() {
        return;
    }
    let mut expect = |good: bool, expected: &str| {
        if !good {
            problems.push(format!(
                "{path}: expected {expected}, got {}",
                described(value)
            ));
        }
    };
    match shape {
        Shape::String | Shape::Bytes | Shape::Time | Shape::MicroTime => {
            expect(value.is_string(), "string")
        }
        Shape::Int32 | Shape::Int64 => {
            expect(value.is_i64() || value.is_u64(), "numeric (int or float)");
        }
        Shape::Number => expect(value.is_number(), "numeric (int or float)"),
        Shape::Boolean => expect(value.is_boolean(), "boolean"),
        Shape::IntOrString | Shape::Quantity | Shape::Any => {}
        Shape::Object(schema) => check_fields(value, schema, path, problems),
        Shape::Map { value: shape, .. } => match value.as_object() {
            Some(entries) => {
                for (key, value) in entries {
                    check_value(value, shape, &format!("{path}.{key}"), problems);
                }
            }
            None => expect(false, "map"),
        },
        Shape::List { element, .. } => match value.as_array() {
            Some(elements) => check_elements(elements, element, shape, path, problems),
            None => expect(false, "list"),
        },
    }
}

fn check_elements(
    elements: &[Value],
    element_shape: &Shape,
    list: &Shape,
    path: &str,
    problems: &mut Vec<String>,
) {
    let Parts::Elements(_, kind) = parts(list) else {
        for (index, element) in elements.iter().enumerate() {
            check_value(
                element,
                element_shape,
                &format!("{path}[{index}]"),
                problems,
            );
        }
        return;
    };
    let mut seen = HashSet::new();
    for element in elements {
        let step = element_step(element, kind);
        if seen.contains(&step) {
            problems.push(format!("{path}: duplicate entries for key {step}"));
        }
        check_value(element, element_shape, &format!("{path}{step}"), problems);
        seen.insert(step);
    }
}

fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => format!("&value.valueUnstructured{{{value}}}"),
        Value::Number(number) => format!("&{{{number}}}"),
        Value::String(text) => format!("&{{{text}}}"),
        Value::Array(_) => "&{[...]}".into(),
        Value::Object(_) => "&{map[...]}".into(),
    }
}

/// Whether a server of `release` can track the owners of the fields of `object`. If it cannot, a write keeps the
/// managed fields.
///
/// The elements of a list need their key fields, and up to 1.28 no two elements may be equal.
pub(crate) fn is_trackable(object: &Value, schema: &TypeSchema, release: Release) -> bool {
    let may_repeat = release.has(Fact::TracksEqualElements);
    schema.fields().iter().all(|field| {
        let value = object.get(field.name);
        value.is_none_or(|value| can_track(value, &field.shape, may_repeat, release))
    })
}

fn can_track(value: &Value, shape: &Shape, may_repeat: bool, release: Release) -> bool {
    // Also inside a list with one owner.
    let (Shape::List { element, .. }, Value::Array(elements)) = (shape, value) else {
        return match shape {
            Shape::Object(schema) => is_trackable(value, schema, release),
            _ => true,
        };
    };
    let inside = |value| can_track(value, element, may_repeat, release);
    if !elements.iter().all(inside) {
        return false;
    }
    let Parts::Elements(_, kind) = parts(shape) else {
        return true;
    };
    if let ListKind::Map(keys) = kind {
        let has_keys = |element: &Value| keys.iter().all(|key| element.get(key).is_some());
        if !elements.iter().all(has_keys) {
            return false;
        }
    }
    let mut seen = BTreeSet::new();
    may_repeat
        || elements
            .iter()
            .all(|element| seen.insert(element_step(element, kind)))
}
