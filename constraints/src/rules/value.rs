//! From JSON to the values of rules, by the types of the schema.

use super::keyed_list::KeyedList;
use crate::schema::{Additional, Format, ListType, Node, Nodes, duration};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cel::common::types::{
    CelBool, CelBytes, CelDouble, CelDuration, CelInt, CelList, CelMap, CelMapKey as Key, CelNull,
    CelString, CelTimestamp,
};
use cel::common::value::Val;
use serde_json::Value;
use std::collections::HashMap;

/// Words of CEL, which are escaped as names of fields.
const RESERVED: &str = "\
    true false null in as break const continue else for function if import let loop package namespace return var \
    void while";

/// The problem of the type of `self`, in a server's words. Values in it have none: a rule that uses one is not checked then.
pub(super) fn wrong_type(node: &Node, value: &Value) -> Option<String> {
    let go_type = match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    };
    let of_schema = "for the provided schema with type=";
    let expected = match (node.only_type(), value) {
        _ if node.int_or_string => match value {
            Value::String(_) => return None,
            Value::Number(number) if number.is_i64() => return None,
            _ => "XIntOrString value to be either a string or integer".to_owned(),
        },
        (Some("object"), value) if !value.is_object() => format!("a map {of_schema}object"),
        (Some("array"), value) if !value.is_array() => format!("an array {of_schema}array"),
        (Some("string"), value) if !value.is_string() => format!("string, got {go_type}"),
        (Some("number"), value) if !value.is_number() => format!("float, got {go_type}"),
        (Some("integer"), value) if !value.is_i64() => format!("int, got {go_type}"),
        (Some("boolean"), value) if !value.is_boolean() => format!("bool, got {go_type}"),
        _ => return None,
    };
    Some(format!("invalid data, expected {expected}"))
}

/// The value of `self`.
/// Errors: if a value does not have the type of the schema, which a server reports before.
pub(super) fn cel_value(
    node: &Node,
    definitions: &Nodes,
    value: &Value,
) -> Result<Box<dyn Val>, String> {
    let node = node.resolve(definitions);
    if node.int_or_string || node.types.is_empty() {
        return Ok(dynamic(value));
    }
    Ok(match value {
        Value::String(text) => string(node.format.as_ref(), text)?,
        Value::Number(number) if node.only_type() == Some("number") => {
            Box::new(CelDouble::from(number.as_f64().unwrap_or_default()))
        }
        Value::Array(elements) => {
            let items = node.items.as_deref();
            let element = |element: &Value| match items {
                Some(items) => inner_value(items, definitions, element),
                None => dynamic(element),
            };
            let elements = elements.iter().map(element).collect();
            match &node.list_type {
                ListType::Atomic => Box::new(CelList::from(elements)),
                ListType::Set => Box::new(KeyedList::new(elements, Vec::new())),
                ListType::Map(keys) => {
                    let keys = keys.iter().map(|key| field_name(key)).collect();
                    Box::new(KeyedList::new(elements, keys))
                }
            }
        }
        Value::Object(fields) => {
            let mut map = HashMap::new();
            let has_fields = node.is_resource || !node.properties.is_empty();
            // A field that is `null` is absent.
            let present = fields
                .iter()
                .filter(|(_, value)| !has_fields || !value.is_null());
            for (name, value) in present {
                let (key, value) = match (node.properties.get(name), &node.additional) {
                    _ if node.is_resource && name == "metadata" => (name.clone(), metadata(value)),
                    (Some(property), _) => {
                        (field_name(name), inner_value(property, definitions, value))
                    }
                    (None, Some(Additional::Schema(schema))) if !has_fields => {
                        (name.clone(), inner_value(schema, definitions, value))
                    }
                    (None, _)
                        if node.is_resource && matches!(name.as_str(), "apiVersion" | "kind") =>
                    {
                        (name.clone(), dynamic(value))
                    }
                    // Rules cannot name other fields; they count where whole objects are compared.
                    (None, _) if node.preserving => (name.clone(), dynamic(value)),
                    _ => continue,
                };
                map.insert(Key::String(CelString::from(key)), value);
            }
            Box::new(CelMap::from(map))
        }
        value => dynamic(value),
    })
}

/// A value in another one. A server finds a wrong format only if a rule uses the value, so here it is a string then.
fn inner_value(node: &Node, definitions: &Nodes, value: &Value) -> Box<dyn Val> {
    cel_value(node, definitions, value).unwrap_or_else(|_| dynamic(value))
}

/// The fields of the metadata that rules can use.
fn metadata(value: &Value) -> Box<dyn Val> {
    let fields = value.as_object().into_iter().flatten();
    map(fields.filter(|(name, _)| matches!(name.as_str(), "name" | "generateName")))
}

/// A value by its own type.
fn dynamic(value: &Value) -> Box<dyn Val> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(flag) => Box::new(CelBool::from(*flag)),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Box::new(CelInt::from(integer)),
            None => Box::new(CelDouble::from(number.as_f64().unwrap_or_default())),
        },
        Value::String(text) => Box::new(CelString::from(text.clone())),
        Value::Array(elements) => {
            let elements: Vec<Box<dyn Val>> = elements.iter().map(dynamic).collect();
            Box::new(CelList::from(elements))
        }
        Value::Object(fields) => map(fields.iter()),
    }
}

/// A map of values by their own types.
fn map<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> Box<dyn Val> {
    let fields = fields.map(|(name, value)| {
        let key = Key::String(CelString::from(name.clone()));
        (key, dynamic(value))
    });
    let fields: HashMap<Key<'_>, Box<dyn Val>> = fields.collect();
    Box::new(CelMap::from(fields))
}

fn string(format: Option<&Format>, text: &str) -> Result<Box<dyn Val>, String> {
    let invalid = |what: &str| format!("Invalid {what} {text}");
    Ok(match format {
        Some(Format::Duration) => {
            let nanoseconds = duration(text).ok_or_else(|| invalid("duration"))?;
            Box::new(CelDuration::from(chrono::Duration::nanoseconds(
                nanoseconds,
            )))
        }
        Some(Format::Date) => {
            let time = format!("{text}T00:00:00Z");
            let time = crate::schema::date_time(&time);
            let time = time.ok_or_else(|| invalid("date formatted string"))?;
            Box::new(CelTimestamp::from(time))
        }
        Some(Format::DateTime) => {
            let time = crate::schema::date_time(text);
            let time = time.ok_or_else(|| invalid("date-time formatted string"))?;
            Box::new(CelTimestamp::from(time))
        }
        Some(Format::Byte) => {
            let bytes = STANDARD.decode(text);
            let bytes = bytes.map_err(|_| invalid("byte formatted string"))?;
            Box::new(CelBytes::from(bytes))
        }
        _ => Box::new(CelString::from(text.to_owned())),
    })
}

/// The key of a field: its name in rules. No rule can select a field that has none, which counts where objects are compared.
fn field_name(name: &str) -> String {
    escaped(name).unwrap_or_else(|| format!("\0{name}"))
}

/// The name of a field in rules; `None` if it has none.
fn escaped(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    if RESERVED.split(' ').any(|word| word == name) {
        return Some(format!("__{name}__"));
    }
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || "-./_".contains(letter);
    name.chars().all(is_known).then(|| {
        name.replace("__", "__underscores__")
            .replace('.', "__dot__")
            .replace('-', "__dash__")
            .replace('/', "__slash__")
    })
}
