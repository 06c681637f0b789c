//! Removal of a field set from a tree.

use super::parts::{Parts, element_step, parts};
use crate::apply::field_set::{FieldSet, Step};
use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde_json::Value;

/// `object` without the fields of `set`.
pub(crate) fn remove(object: &Value, set: &FieldSet, schema: &TypeSchema) -> Value {
    let mut object = object.clone();
    remove_fields(&mut object, set, schema);
    object
}

fn remove_fields(object: &mut Value, set: &FieldSet, schema: &TypeSchema) {
    let Some(fields) = object.as_object_mut() else {
        return;
    };
    fields.retain(|name, _| !set.has(&Step::field(name)));
    for (name, value) in fields {
        if let (Some(below), Some(field)) = (set.below(&Step::field(name)), schema.field(name)) {
            remove_below(value, below, &field.shape);
        }
    }
}

fn remove_below(value: &mut Value, set: &FieldSet, shape: &Shape) {
    match (parts(shape), value) {
        (Parts::Fields(schema), value) => remove_fields(value, set, schema),
        (Parts::Entries(shape), Value::Object(entries)) => {
            entries.retain(|key, _| !set.has(&Step::field(key)));
            for (key, value) in entries {
                if let Some(below) = set.below(&Step::field(key)) {
                    remove_below(value, below, shape);
                }
            }
        }
        (Parts::Elements(shape, kind), Value::Array(elements)) => {
            elements.retain(|element| !set.has(&element_step(element, kind)));
            for element in elements {
                if let Some(below) = set.below(&element_step(element, kind)) {
                    remove_below(element, below, shape);
                }
            }
        }
        _ => {}
    }
}
