//! Reading JSON of any origin: values take far more memory than the two bytes in which a text can write one.

use k8s_flowcontrol_text::{Position, parse_json, to_value};
use serde_json::Value;

/// Reads a JSON text that has at most 1,000,000 values, and 64 MiB. An error contains no part of the text.
pub(super) fn read(text: &[u8]) -> Result<Value, String> {
    // The parser's message would quote a character.
    let tree = parse_json(text).map_err(|error| {
        let column = Position::of(text, error.offset()).column;
        format!("not valid JSON with at most 1,000,000 values: column {column}")
    })?;
    to_value(tree.root()).map_err(|_| "more than 1,000,000 values, or 120 levels".to_owned())
}
