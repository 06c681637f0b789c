//! Merge patch (RFC 7386), as the server's library applies it.

use serde_json::{Map, Value};

/// Merges `patch` into `object`. A `null` removes a field, and vanishes in what is new, also inside lists.
pub(crate) fn merge_patch(object: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, value) in patch {
        match (object.get_mut(name), value) {
            (_, Value::Null) => drop(object.remove(name)),
            (Some(Value::Object(old)), Value::Object(new)) => merge_patch(old, new),
            // Only an object becomes another value unchanged.
            (Some(old @ Value::Object(_)), value) => old.clone_from(value),
            (_, value) => drop(object.insert(name.clone(), without_nulls(value))),
        }
    }
}

/// A value without the fields that are `null`. Elements of lists stay.
pub(crate) fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            let fields = fields.map(|(name, value)| (name.clone(), without_nulls(value)));
            Value::Object(fields.collect())
        }
        Value::Array(elements) => elements.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}
