//! Keywords of strings.

use super::found::{Fault, Found};
use super::types::wrong_type;
use crate::go::bad_value;
use crate::schema::Node;
use crate::violation::Reason;
use serde_json::Value;

/// Checks length and pattern; the first fault counts.
pub(super) fn check(node: &Node, path: &str, text: &str) -> Found {
    let length = text.chars().count() as u64;
    let value = bad_value(&Value::String(text.to_owned()));
    let fault = if let Some(most) = node.max_length.filter(|most| length > *most) {
        let bytes = if most == 1 { "byte" } else { "bytes" };
        let detail = format!("may not be more than {most} {bytes}");
        Some(Fault::new(path, Reason::TooLong, None, &detail))
    } else if let Some(least) = node.min_length.filter(|least| length < *least) {
        let detail = format!("should be at least {least} chars long");
        Some(Fault::in_body(path, Reason::Invalid, &value, &detail))
    } else {
        node.pattern.as_ref().and_then(|pattern| {
            let compiled = pattern.compiled.as_ref().ok()?;
            let detail = format!("should match '{}'", pattern.text);
            (!compiled.is_match(text))
                .then(|| Fault::in_body(path, Reason::Invalid, &value, &detail))
        })
    };
    fault.map_or_else(Found::default, Found::of)
}

/// Checks the format.
pub(super) fn format(node: &Node, path: &str, text: &str) -> Found {
    match &node.format {
        Some(format) if !format.accepts(text) => {
            wrong_type(path, &node.format_name, &Value::String(text.to_owned()))
        }
        _ => Found::default(),
    }
}
