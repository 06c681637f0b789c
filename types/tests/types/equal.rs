//! Equality after a round trip: `null`, `[]`, the `{}` of a map and an absent field are equal, and a null element
//! equals a zero element.

use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use serde_json::{Map, Value, json};

/// Removes every field that equals an absent one.
pub(crate) fn normalized(value: &Value, schema: &TypeSchema) -> Value {
    let Value::Object(fields) = value else {
        return value.clone();
    };
    let mut out = Map::new();
    for (name, field) in fields {
        let shape = schema.field(name).map(|field| &field.shape);
        let field = match shape {
            Some(shape) => shaped(field, shape),
            None => field.clone(),
        };
        let absent = match (&field, shape) {
            (_, None) => false,
            (Value::Null, _) => true,
            (Value::Array(elements), Some(Shape::List { .. })) => elements.is_empty(),
            (Value::Object(entries), Some(Shape::Map { .. })) => entries.is_empty(),
            _ => false,
        };
        if !absent {
            out.insert(name.clone(), field);
        }
    }
    Value::Object(out)
}

fn shaped(value: &Value, shape: &Shape) -> Value {
    match (value, shape) {
        (Value::Object(_), Shape::Object(schema)) => normalized(value, schema),
        (Value::Array(elements), Shape::List { element, .. }) => elements
            .iter()
            .map(|value| shaped(&or_zero(value, element), element))
            .collect(),
        (Value::Object(entries), Shape::Map { value: shape, .. }) => Value::Object(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), or_zero(value, shape)))
                .collect(),
        ),
        _ => value.clone(),
    }
}

fn or_zero(value: &Value, shape: &Shape) -> Value {
    match (value, shape) {
        (Value::Null, Shape::Object(_)) => json!({}),
        (Value::Null, Shape::String) => json!(""),
        _ => value.clone(),
    }
}
