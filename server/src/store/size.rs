//! Sizes of objects.

use serde_json::Value;
use std::io;

/// The approximate memory of a value in bytes, without sharing.
pub(super) fn memory(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(memory).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| size_of::<String>() + name.len() + memory(value))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + inside
}

/// The length of a value in JSON, in bytes.
pub(crate) fn json_length(value: &Value) -> usize {
    let mut length = Length(0);
    // Counting does not fail.
    let _ = serde_json::to_writer(&mut length, value);
    length.0
}

struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
