//! A Swagger 2 document in Protocol Buffers, as gnostic's `openapi.v2.Document`.

use super::gnostic_messages::{DOCUMENT, Message, Type};
use crate::protobuf::{bytes, double, integer};
use k8s_flowcontrol_text::to_yaml;
use serde_json::Value;

/// The document, written from its JSON. Fields that Swagger 2 does not have are left out.
pub(super) fn encode(document: &Value) -> Vec<u8> {
    message(document, &DOCUMENT)
}

fn message(value: &Value, message: &Message) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, number, r#type) in message.fields {
        let value = value.get(name).filter(|value| !is_zero(value));
        if let Some(value) = value {
            field(&mut out, *number, value, r#type);
        }
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        if message.fields.iter().any(|(known, ..)| known == name) {
            continue;
        }
        if name.starts_with("x-") {
            if let Some(number) = message.extensions {
                entry(&mut out, number, name, value, &Type::Any);
            }
        } else if let Some((number, r#type)) = &message.entries {
            entry(&mut out, *number, name, value, r#type);
        }
    }
    out
}

fn field(into: &mut Vec<u8>, number: u64, value: &Value, r#type: &Type) {
    match r#type {
        Type::Text => {
            let text = value.as_str().unwrap_or_default();
            bytes(into, number, text.as_bytes());
        }
        Type::Switch => integer(into, number, value.as_bool().unwrap_or_default().into()),
        Type::Integer => {
            let value = value.as_i64().unwrap_or_default();
            integer(into, number, value.cast_unsigned());
        }
        Type::Double => double(into, number, value.as_f64().unwrap_or_default()),
        Type::Any => {
            let mut any = Vec::new();
            bytes(&mut any, 2, to_yaml(value).as_bytes());
            bytes(into, number, &any);
        }
        Type::List(element) => {
            for value in value.as_array().into_iter().flatten() {
                field(into, number, value, element);
            }
        }
        Type::Elements(element) => {
            let mut elements = Vec::new();
            match value {
                Value::Array(_) => field(&mut elements, 1, value, &Type::List(element)),
                one => field(&mut elements, 1, one, element),
            }
            bytes(into, number, &elements);
        }
        Type::Message(fields) => bytes(into, number, &message(value, fields)),
        Type::OneOf(alternatives) => {
            let mut alternatives = alternatives.iter();
            let mut chosen = Vec::new();
            if let Some((_, number, r#type)) = alternatives.find(|(fits, ..)| fits(value)) {
                field(&mut chosen, *number, value, r#type);
            }
            bytes(into, number, &chosen);
        }
    }
}

/// An entry of a map: the name and the value.
fn entry(into: &mut Vec<u8>, number: u64, name: &str, value: &Value, r#type: &Type) {
    let mut entry = Vec::new();
    bytes(&mut entry, 1, name.as_bytes());
    field(&mut entry, 2, value, r#type);
    bytes(into, number, &entry);
}

/// Whether proto3 leaves the value out.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        _ => false,
    }
}
