//! Whether a server can track the fields of an object.

use super::parts::{Parts, element_step, parts};
use k8s_flowcontrol_types::schema::{ListKind, Shape, TypeSchema};
use k8s_flowcontrol_types::{Fact, Release};
use serde_json::Value;
use std::collections::BTreeSet;

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
