//! Whether an applied configuration fits its schema, with the messages of the server's apply library.

use super::parts::{Parts, element_step, parts};
use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde_json::Value;
use std::collections::HashSet;

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
