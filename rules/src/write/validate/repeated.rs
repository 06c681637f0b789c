//! Duplicate elements in lists that are sets or maps.

use k8s_flowcontrol_types::schema::{ListKind, Shape, TypeSchema};
use serde_json::Value;
use std::collections::HashSet;

/// Whether `object` contains a set with a duplicate element, or a map list with two elements of equal keys.
///
/// Such objects are valid, but servers up to 1.28 cannot track the owners of their fields.
pub(super) fn has_repeated_elements(object: &Value, schema: &TypeSchema) -> bool {
    schema.fields().iter().any(|field| {
        object
            .get(field.name)
            .is_some_and(|value| has_repeated(value, &field.shape))
    })
}

fn has_repeated<'a>(value: &'a Value, shape: &Shape) -> bool {
    match (shape, value) {
        (Shape::Object(schema), value) => has_repeated_elements(value, schema),
        (Shape::List { element, kind }, Value::Array(elements)) => {
            let mut seen = HashSet::new();
            let mut is_repeated = |value: &'a Value| match kind {
                ListKind::Atomic => false,
                ListKind::Set => !seen.insert(vec![Some(value)]),
                ListKind::Map(keys) => {
                    !seen.insert(keys.iter().map(|key| value.get(key)).collect())
                }
            };
            elements.iter().any(&mut is_repeated)
                || elements.iter().any(|value| has_repeated(value, element))
        }
        _ => false,
    }
}
