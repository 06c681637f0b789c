//! Whether an applied configuration fits its schema, with the messages of the server's apply library, and whether a server can track the
//! fields of an object.

use super::parts::{Parts, element_step, parts};
use crate::patch::go_value;
use k8s_flowcontrol_text::go::quote;
use k8s_flowcontrol_types::schema::{ListKind, Shape, TypeSchema};
use k8s_flowcontrol_types::{Fact, Release};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The problems of `object`, one message each.
pub(crate) fn check(object: &Value, schema: &TypeSchema) -> Vec<String> {
    let mut problems = Vec::new();
    check_fields(object, schema, "", &mut problems);
    problems
}

fn check_fields(object: &Value, schema: &TypeSchema, path: &str, problems: &mut Vec<String>) {
    let Some(fields) = object.as_object() else {
        if !object.is_null() {
            problems.push(format!("{path}: expected map, got {}", shown(object)));
        }
        return;
    };
    for (name, value) in fields {
        if path.is_empty() && matches!(name.as_str(), "apiVersion" | "kind") {
            continue;
        }
        let path = format!("{path}.{name}");
        let Some(shape) = schema.shape(name) else {
            // The server's library stops here.
            problems.push(format!("{path}: field not declared in schema"));
            return;
        };
        check_value(value, &shape, &path, problems);
    }
}

fn check_value(value: &Value, shape: &Shape, path: &str, problems: &mut Vec<String>) {
    if value.is_null() {
        return;
    }
    match (shape, value) {
        (Shape::Object(schema), _) => check_fields(value, schema, path, problems),
        (Shape::Map { value: shape, .. }, Value::Object(entries)) => {
            for (key, value) in entries {
                check_value(value, shape, &format!("{path}.{key}"), problems);
            }
        }
        (Shape::List { element, .. }, Value::Array(elements)) => {
            check_elements(elements, element, shape, path, problems);
        }
        _ => problems.extend(expected(value, shape).map(|why| format!("{path}: {why}"))),
    }
}

/// The problem of a value that has another type than its shape.
fn expected(value: &Value, shape: &Shape) -> Option<String> {
    let problem = match shape {
        Shape::String | Shape::Bytes if !value.is_string() => {
            format!(
                "expected string, got &value.valueUnstructured{{Value:{}}}",
                in_go(value)
            )
        }
        Shape::Int32 | Shape::Int64 | Shape::Number if !value.is_number() => {
            let found = match value {
                Value::String(_) => "string",
                Value::Bool(_) => "bool",
                Value::Array(_) => "[]interface {}",
                _ => "map[string]interface {}",
            };
            format!("expected numeric (int or float), got {found}")
        }
        Shape::Boolean if !value.is_boolean() => {
            format!("expected boolean, got {}", shown(value))
        }
        Shape::Map { .. } => format!("expected map, got {}", shown(value)),
        Shape::List { .. } => format!("expected list, got {}", shown(value)),
        // Times and the like are converted later.
        _ => return None,
    };
    Some(problem)
}

fn check_elements(
    elements: &[Value],
    element_shape: &Shape,
    list: &Shape,
    path: &str,
    problems: &mut Vec<String>,
) {
    let Parts::Elements(_, kind) = parts(list, None) else {
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
    for (index, element) in elements.iter().enumerate() {
        if let Some(why) = without_identity(element, element_shape, kind) {
            problems.push(format!("{path}: element {index}: {why}"));
            return;
        }
        let step = element_step(element, kind);
        if seen.contains(&step) {
            problems.push(format!("{path}: duplicate entries for key {step}"));
        }
        check_value(element, element_shape, &format!("{path}{step}"), problems);
        seen.insert(step);
    }
}

/// Why an element cannot be distinguished from others.
fn without_identity(element: &Value, shape: &Shape, kind: ListKind) -> Option<String> {
    let why = match (kind, element) {
        (ListKind::Map(_), Value::Null) => "associative list with keys may not have a null element",
        (ListKind::Map(keys), Value::Object(fields)) => {
            let has_default = |key: &str| match shape {
                Shape::Object(schema) => schema
                    .field(key)
                    .is_some_and(|field| field.default.is_some() || field.always_emitted),
                _ => false,
            };
            let missing = |key: &&&str| !fields.contains_key(**key) && !has_default(key);
            let key = keys.iter().find(missing)?;
            return Some(format!(
                "associative list with keys has an element that omits key field {} (and doesn't have default value)",
                quote(key)
            ));
        }
        (ListKind::Map(_), _) => "associative list with keys may not have non-map elements",
        (_, Value::Null) => "associative list without keys has an element that's an explicit null",
        (_, Value::Object(_)) => "associative list without keys has an element that's a map type",
        (_, Value::Array(_)) => "not supported: associative list with lists as elements",
        _ => return None,
    };
    Some(why.into())
}

/// A value as Go's `%v` prints it inside the library's own type.
fn shown(value: &Value) -> String {
    format!("&{{{}}}", go_value(value))
}

/// A value in Go's syntax.
fn in_go(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".into(),
        Value::String(text) => quote(text),
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(in_go).collect();
            format!("[]interface {{}}{{{}}}", elements.join(", "))
        }
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.iter().collect();
            let fields = fields.iter();
            let fields: Vec<_> = fields
                .map(|(name, value)| format!("{}:{}", quote(name), in_go(value)))
                .collect();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
        other => go_value(other),
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
    let Parts::Elements(_, kind) = parts(shape, Some(value)) else {
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
