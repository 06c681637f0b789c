//! The size of values, which functions that call themselves read.

use serde_json::Value;

/// The most levels of a value. Texts of JSON have fewer.
pub(crate) const MAX_LEVELS: usize = 128;

pub(crate) fn is_within_limit(value: &Value) -> bool {
    has_levels(value, MAX_LEVELS)
}

/// Whether a value has at most this many levels of objects and lists.
fn has_levels(value: &Value, most: usize) -> bool {
    let is_inner = |value: &Value| has_levels(value, most.saturating_sub(1));
    match value {
        Value::Object(fields) => most > 0 && fields.values().all(is_inner),
        Value::Array(elements) => most > 0 && elements.iter().all(is_inner),
        _ => true,
    }
}

/// The number of values in a value, itself included, which is within the limit.
pub(crate) fn values(value: &Value) -> usize {
    1 + match value {
        Value::Object(fields) => fields.values().map(values).sum(),
        Value::Array(elements) => elements.iter().map(values).sum::<usize>(),
        _ => 0,
    }
}
