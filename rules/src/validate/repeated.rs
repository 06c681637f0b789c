//! Lists whose elements are told apart, with two that are the same.

use k8s_flowcontrol_types::schema::{ListKind, Shape, TypeSchema};
use serde_json::Value;

/// Whether a set has an element twice, or a list two elements with the same keys, anywhere in `object`.
///
/// The rules do not forbid it, but servers up to 1.28 cannot tell then which manager owns what.
pub(super) fn has_repeated_elements(object: &Value, schema: &TypeSchema) -> bool {
    schema.fields().iter().any(|field| {
        object
            .get(field.name)
            .is_some_and(|value| has_repeated(value, &field.shape))
    })
}

fn has_repeated(value: &Value, shape: &Shape) -> bool {
    match (shape, value) {
        (Shape::Object(schema), value) => has_repeated_elements(value, schema),
        (Shape::List { element, kind }, Value::Array(elements)) => {
            let same = |left: &Value, right: &Value| match kind {
                ListKind::Atomic => false,
                ListKind::Set => left == right,
                ListKind::Map(keys) => keys.iter().all(|key| left.get(key) == right.get(key)),
            };
            let is_repeated =
                |(index, value)| elements[..index].iter().any(|other| same(other, value));
            elements.iter().enumerate().any(is_repeated)
                || elements.iter().any(|value| has_repeated(value, element))
        }
        _ => false,
    }
}
