//! The parts of a value, and the fields that a tree sets.

use crate::apply::field_set::{FieldSet, Step};
use k8s_flowcontrol_types::schema::{ListKind, Shape, TypeSchema};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};

/// The parts of a value that can have different owners.
pub(super) enum Parts<'a> {
    /// None: the value has one owner.
    Leaf,
    Fields(&'a TypeSchema),
    Entries(&'a Shape),
    Elements(&'a Shape, ListKind),
}

/// The parts of `value`, whose type is `shape`. Free-form JSON has the parts of its value: an object is a map, and a list has one owner.
pub(super) fn parts<'a>(shape: &'a Shape, value: Option<&Value>) -> Parts<'a> {
    match shape {
        Shape::Any if value.is_some_and(Value::is_object) => Parts::Entries(&Shape::Any),
        Shape::Object(schema) if !schema.map_type_atomic => Parts::Fields(schema),
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

/// The step that identifies an element of a list.
pub(super) fn element_step(element: &Value, kind: ListKind) -> Step {
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

/// The elements of a list with their steps, in order. Of elements with equal steps only the first counts.
pub(super) fn elements(value: Option<&Value>, kind: ListKind) -> Vec<(Step, &Value)> {
    let mut seen = HashSet::new();
    let elements = value.and_then(Value::as_array).into_iter().flatten();
    elements
        .map(|element| (element_step(element, kind), element))
        .filter(|(step, _)| seen.insert(step.clone()))
        .collect()
}

pub(super) fn entries(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value.and_then(Value::as_object)
}

pub(super) fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Object(fields)) => fields.is_empty(),
        Some(Value::Array(elements)) => elements.is_empty(),
        Some(_) => false,
    }
}

/// The fields that `object` sets.
pub(crate) fn field_set(object: &Value, schema: &TypeSchema) -> FieldSet {
    let mut set = FieldSet::default();
    collect_fields(object, schema, &mut Vec::new(), &mut set);
    set
}

fn collect_fields(object: &Value, schema: &TypeSchema, path: &mut Vec<Step>, set: &mut FieldSet) {
    for (name, value) in entries(Some(object)).into_iter().flatten() {
        let Some(shape) = schema.shape(name) else {
            continue;
        };
        path.push(Step::field(name));
        collect(value, &shape, path, set);
        path.pop();
    }
}

fn collect(value: &Value, shape: &Shape, path: &mut Vec<Step>, set: &mut FieldSet) {
    match parts(shape, Some(value)) {
        Parts::Leaf => set.insert(path),
        // An empty object is its own field, an empty list is not.
        _ if is_empty(Some(value)) => {
            if !value.is_array() {
                set.insert(path);
            }
        }
        Parts::Fields(schema) => collect_fields(value, schema, path, set),
        Parts::Entries(entry) => {
            for (key, value) in entries(Some(value)).into_iter().flatten() {
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
