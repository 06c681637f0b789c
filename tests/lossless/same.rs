//! Equality in everything but the order of fields.

use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The text with the fields of every object in alphabetical order, and all else unchanged.
pub(crate) fn in_field_order(text: &str) -> String {
    if let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
        let fields = fields
            .iter()
            .map(|(name, value)| format!("{name:?}:{}", in_field_order(value.get())));
        return format!("{{{}}}", fields.collect::<Vec<_>>().join(","));
    }
    if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let elements = elements.iter().map(|value| in_field_order(value.get()));
        return format!("[{}]", elements.collect::<Vec<_>>().join(","));
    }
    text.to_owned()
}
