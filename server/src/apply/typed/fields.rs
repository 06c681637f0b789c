//! The fields that a tree sets.

use super::parts::{Parts, elements, entries, is_empty, parts};
use crate::apply::field_set::{FieldSet, Step};
use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde_json::Value;

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
    match parts(shape) {
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
