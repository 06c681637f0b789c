//! Responses in Protocol Buffers, written from the JSON of the same response.
//!
//! Go writes a field that is not a pointer even when it is empty.

use super::protobuf_messages::{Field, Type, fields};
use crate::protobuf::{MAGIC, bytes, integer};
use serde_json::Value;

/// An object in its envelope, or `None` for a kind without messages.
pub(crate) fn object(value: &Value) -> Option<Vec<u8>> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let (kind, api_version) = (text("kind")?, text("apiVersion").unwrap_or_default());
    let mut r#type = Vec::new();
    bytes(&mut r#type, 1, api_version.as_bytes());
    bytes(&mut r#type, 2, kind.as_bytes());
    let mut unknown = MAGIC.to_vec();
    bytes(&mut unknown, 1, &r#type);
    bytes(&mut unknown, 2, &message(value, fields(kind)?));
    // Empty content encoding and content type.
    bytes(&mut unknown, 3, b"");
    bytes(&mut unknown, 4, b"");
    Some(unknown)
}

/// The lines of a watch as frames: a length and the event.
pub(crate) fn frames(lines: &[u8]) -> Vec<u8> {
    let mut frames = Vec::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let Ok(event) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let mut raw = Vec::new();
        bytes(&mut raw, 1, &object(&event["object"]).unwrap_or_default());
        let mut message = Vec::new();
        let r#type = event["type"].as_str().unwrap_or_default();
        bytes(&mut message, 1, r#type.as_bytes());
        bytes(&mut message, 2, &raw);
        // A line is far shorter than the maximum of a `u32`.
        let length = u32::try_from(message.len()).unwrap_or_default();
        frames.extend(length.to_be_bytes());
        frames.extend(message);
    }
    frames
}

fn message(value: &Value, fields: &[Field]) -> Vec<u8> {
    let mut message = Vec::new();
    for (name, number, r#type) in fields {
        let value = value.get(*name).filter(|value| !value.is_null());
        field(&mut message, *number, value, r#type);
    }
    message
}

fn field(into: &mut Vec<u8>, number: u64, value: Option<&Value>, r#type: &Type) {
    match (r#type, value) {
        (Type::Optional(_), None) => {}
        (Type::Optional(inner), value) => field(into, number, value, inner),
        (Type::List(element), value) => {
            for value in value.and_then(Value::as_array).into_iter().flatten() {
                field(into, number, Some(value), element);
            }
        }
        (Type::Map, value) => {
            let entries = value.and_then(Value::as_object).into_iter().flatten();
            let mut entries: Vec<_> = entries.collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            for (key, value) in entries {
                let mut entry = Vec::new();
                bytes(&mut entry, 1, key.as_bytes());
                bytes(&mut entry, 2, value.as_str().unwrap_or_default().as_bytes());
                bytes(into, number, &entry);
            }
        }
        (Type::Text, value) => {
            let text = value.and_then(Value::as_str).unwrap_or_default();
            bytes(into, number, text.as_bytes());
        }
        (Type::Number, value) => {
            let value = value.and_then(Value::as_i64).unwrap_or_default();
            // Negative numbers are written as 64 bits.
            integer(into, number, value.cast_unsigned());
        }
        (Type::Switch, value) => {
            let value = value.and_then(Value::as_bool).unwrap_or_default();
            integer(into, number, value.into());
        }
        (Type::Time, value) => bytes(into, number, &time(value)),
        (Type::Json, value) => {
            let mut raw = Vec::new();
            let text = value.map(Value::to_string).unwrap_or_default();
            bytes(&mut raw, 1, text.as_bytes());
            bytes(into, number, &raw);
        }
        (Type::Message(fields), value) => {
            bytes(
                into,
                number,
                &message(value.unwrap_or(&Value::Null), fields),
            );
        }
        (Type::Verbs, value) => {
            let mut verbs = Vec::new();
            field(&mut verbs, 1, value, &Type::List(&Type::Text));
            bytes(into, number, &verbs);
        }
    }
}

/// Seconds and nanoseconds; empty without a time.
fn time(value: Option<&Value>) -> Vec<u8> {
    let time = value.and_then(Value::as_str);
    let Some(time) = time.and_then(|time| time.parse::<jiff::Timestamp>().ok()) else {
        return Vec::new();
    };
    let mut message = Vec::new();
    integer(&mut message, 1, time.as_second().cast_unsigned());
    integer(&mut message, 2, 0);
    message
}
