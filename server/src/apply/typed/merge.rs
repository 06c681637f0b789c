//! An applied configuration merged into the live object, and the removal of a field set.

use super::parts::{Parts, element_step, elements, is_empty, parts};
use crate::apply::field_set::{FieldSet, Step};
use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// `live` with the fields that `config` sets.
pub(crate) fn merge(live: &Value, config: &Value, schema: &TypeSchema) -> Value {
    merge_fields(Some(live), config, schema)
}

fn merge_fields(live: Option<&Value>, config: &Value, schema: &TypeSchema) -> Value {
    let mut merged = live.and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, value) in config.as_object().into_iter().flatten() {
        let old = live.and_then(|live| live.get(name));
        let value = match schema.shape(name) {
            Some(shape) => merge_values(old, value, &shape),
            None => value.clone(),
        };
        merged.insert(name.clone(), value);
    }
    Value::Object(merged)
}

fn merge_values(live: Option<&Value>, config: &Value, shape: &Shape) -> Value {
    let parts = match (shape, live) {
        // Another form replaces free-form JSON.
        (Shape::Any, Some(live)) if !live.is_object() => Parts::Leaf,
        // `null` has the form of the live value.
        _ => parts(shape, Some(config).filter(|new| !new.is_null()).or(live)),
    };
    // An empty object, map or list in the configuration keeps the live one.
    if is_empty(Some(config)) && !is_empty(live) && !matches!(parts, Parts::Leaf) {
        return live.cloned().unwrap_or_default();
    }
    match parts {
        Parts::Leaf => config.clone(),
        _ if is_empty(Some(config)) => config.clone(),
        Parts::Fields(schema) => merge_fields(live, config, schema),
        Parts::Entries(shape) => {
            let mut merged: Map<String, Value> =
                live.and_then(Value::as_object).cloned().unwrap_or_default();
            for (key, value) in config.as_object().into_iter().flatten() {
                let value = merge_values(live.and_then(|live| live.get(key)), value, shape);
                merged.insert(key.clone(), value);
            }
            Value::Object(merged)
        }
        Parts::Elements(shape, kind) => {
            let config = elements(Some(config), kind);
            let live = elements(live, kind);
            let applied: HashMap<_, _> = config.iter().map(|(step, new)| (step, *new)).collect();
            let known: HashSet<_> = live.iter().map(|(step, _)| step).collect();
            let kept = live.iter().map(|(step, old)| match applied.get(step) {
                Some(new) => merge_values(Some(old), new, shape),
                None => (*old).clone(),
            });
            let new = config
                .iter()
                .filter(|(step, _)| !known.contains(step))
                .map(|(_, new)| (*new).clone());
            kept.chain(new).collect()
        }
    }
}

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
        if let (Some(below), Some(shape)) = (set.below(&Step::field(name)), schema.shape(name)) {
            remove_below(value, below, &shape);
        }
    }
}

fn remove_below(value: &mut Value, set: &FieldSet, shape: &Shape) {
    match (parts(shape, Some(value)), value) {
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
