//! Trees along their schema: which fields they have, how two differ, how one is merged into another.

mod check;
mod compare;
mod merge;
mod remove;
mod track;

pub(crate) use check::check;
pub(crate) use compare::{Comparison, compare};
pub(crate) use merge::merge;
pub(crate) use remove::remove;
pub(crate) use track::is_trackable;

use super::field_set::{FieldSet, Step};
use k8s_flowcontrol_types::schema::{ListKind, Shape, TypeSchema};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How a value divides into fields.
enum Parts<'a> {
    /// Not at all: it is owned as a whole.
    Leaf,
    Members(&'a TypeSchema),
    Entries(&'a Shape),
    Elements(&'a Shape, ListKind),
}

fn parts(shape: &Shape) -> Parts<'_> {
    match shape {
        Shape::Object(schema) if !schema.map_type_atomic => Parts::Members(schema),
        Shape::Map {
            value,
            atomic: false,
        } => Parts::Entries(value),
        Shape::List { element, kind } if *kind != ListKind::Atomic => {
            Parts::Elements(element, *kind)
        }
        _ => Parts::Leaf,
    }
}

/// What tells an element of a list from the others.
fn element_step(element: &Value, kind: ListKind) -> Step {
    match kind {
        ListKind::Map(keys) => {
            let key: BTreeMap<&str, &Value> = keys
                .iter()
                .map(|key| (*key, element.get(*key).unwrap_or(&Value::Null)))
                .collect();
            Step::Key(serde_json::to_string(&key).unwrap_or_default())
        }
        ListKind::Set | ListKind::Atomic => Step::Value(element.to_string()),
    }
}

/// A list's elements by what tells them apart, in order; of equal ones the first.
fn elements(value: Option<&Value>, kind: ListKind) -> Vec<(Step, &Value)> {
    let mut elements: Vec<(Step, &Value)> = Vec::new();
    for element in value.and_then(Value::as_array).into_iter().flatten() {
        let step = element_step(element, kind);
        if !elements.iter().any(|(seen, _)| *seen == step) {
            elements.push((step, element));
        }
    }
    elements
}

fn members(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value.and_then(Value::as_object)
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Object(members)) => members.is_empty(),
        Some(Value::Array(elements)) => elements.is_empty(),
        Some(_) => false,
    }
}

/// The fields that `object` sets.
pub(crate) fn field_set(object: &Value, schema: &TypeSchema) -> FieldSet {
    let mut set = FieldSet::default();
    collect_members(object, schema, &mut Vec::new(), &mut set);
    set
}

fn collect_members(object: &Value, schema: &TypeSchema, path: &mut Vec<Step>, set: &mut FieldSet) {
    for (name, value) in members(Some(object)).into_iter().flatten() {
        let Some(field) = schema.field(name) else {
            continue;
        };
        path.push(Step::field(name));
        collect(value, &field.shape, path, set);
        path.pop();
    }
}

fn collect(value: &Value, shape: &Shape, path: &mut Vec<Step>, set: &mut FieldSet) {
    match parts(shape) {
        Parts::Leaf => set.insert(path),
        // An empty object is a field of its own, an empty list is not.
        _ if is_empty(Some(value)) => {
            if !value.is_array() {
                set.insert(path);
            }
        }
        Parts::Members(schema) => collect_members(value, schema, path, set),
        Parts::Entries(entry) => {
            for (key, value) in members(Some(value)).into_iter().flatten() {
                path.push(Step::field(key));
                set.insert(path);
                collect(value, entry, path, set);
                path.pop();
            }
        }
        Parts::Elements(shape, kind) => {
            for (step, element) in elements(Some(value), kind) {
                path.push(step);
                set.insert(path);
                collect(element, shape, path, set);
                path.pop();
            }
        }
    }
}
