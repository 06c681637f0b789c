//! From JSON to the values of rules, by the types of the schema.

use crate::old::matching;
use crate::schema::{Additional, Format, ListType, Node, duration};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cel::Value as Cel;
use cel::objects::{Key, Map};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Words of CEL, which are escaped as names of fields.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

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

/// The value of `self`. Of an old value, `like` is the new one: sets and maps take over its order, in which they are equal then.
///
/// # Errors
/// If a value does not have the type of the schema, which a server reports before.
pub(super) fn cel_value(
    node: &Node,
    definitions: &BTreeMap<String, Node>,
    value: &Value,
    like: Option<&Value>,
) -> Result<Cel, String> {
    let node = node.resolve(definitions);
    if node.int_or_string || node.types.is_empty() {
        return Ok(dynamic(value));
    }
    Ok(match value {
        Value::String(text) => string(node.format.as_ref(), text)?,
        Value::Number(number) if node.only_type() == Some("number") => {
            Cel::Float(number.as_f64().unwrap_or_default())
        }
        Value::Array(elements) => {
            let sorted = in_order(node, elements, like);
            let items = node.items.as_deref();
            let element = |element: &Value| match items {
                Some(items) => {
                    let like = like.and_then(|like| matching(node, element, like));
                    inner_value(items, definitions, element, like)
                }
                None => dynamic(element),
            };
            Cel::List(Arc::new(sorted.into_iter().map(element).collect()))
        }
        Value::Object(fields) => {
            let mut map = HashMap::new();
            let has_fields = node.is_resource || !node.properties.is_empty();
            // A field that is `null` is absent.
            let present = fields
                .iter()
                .filter(|(_, value)| !has_fields || !value.is_null());
            for (name, value) in present {
                let like = like.and_then(|like| like.get(name));
                let (key, value) = match (node.properties.get(name), &node.additional) {
                    (Some(property), _) => match escaped(name) {
                        Some(name) => (name, inner_value(property, definitions, value, like)),
                        None => continue,
                    },
                    (None, Some(Additional::Schema(schema))) if !has_fields => {
                        (name.clone(), inner_value(schema, definitions, value, like))
                    }
                    (None, _) if node.is_resource && name == "metadata" => {
                        (name.clone(), metadata(value))
                    }
                    (None, _)
                        if node.is_resource && matches!(name.as_str(), "apiVersion" | "kind") =>
                    {
                        (name.clone(), dynamic(value))
                    }
                    // A rule has no names for other fields; they count where whole objects are compared.
                    (None, _) if node.preserving => (name.clone(), dynamic(value)),
                    _ => continue,
                };
                let value = match node.is_resource && key == "metadata" {
                    true => metadata(&fields[name]),
                    false => value,
                };
                map.insert(Key::String(Arc::new(key)), value);
            }
            Cel::Map(Map { map: Arc::new(map) })
        }
        value => dynamic(value),
    })
}

/// A value in another one. A server finds a wrong format only if a rule uses the value, so here it is a string then.
fn inner_value(
    node: &Node,
    definitions: &BTreeMap<String, Node>,
    value: &Value,
    like: Option<&Value>,
) -> Cel {
    cel_value(node, definitions, value, like).unwrap_or_else(|_| dynamic(value))
}

/// The fields of the metadata that rules can use.
fn metadata(value: &Value) -> Cel {
    let fields = value.as_object().into_iter().flatten();
    let known = fields.filter(|(name, _)| matches!(name.as_str(), "name" | "generateName"));
    let known = known.map(|(name, value)| (Key::String(Arc::new(name.clone())), dynamic(value)));
    Cel::Map(Map {
        map: Arc::new(known.collect()),
    })
}

/// A value by its own type.
fn dynamic(value: &Value) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(flag) => Cel::Bool(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Cel::Int(integer),
            None => Cel::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Cel::String(Arc::new(text.clone())),
        Value::Array(elements) => Cel::List(Arc::new(elements.iter().map(dynamic).collect())),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields =
                fields.map(|(name, value)| (Key::String(Arc::new(name.clone())), dynamic(value)));
            Cel::Map(Map {
                map: Arc::new(fields.collect()),
            })
        }
    }
}

fn string(format: Option<&Format>, text: &str) -> Result<Cel, String> {
    let invalid = |what: &str| format!("Invalid {what} {text}");
    Ok(match format {
        Some(Format::Duration) => {
            let nanoseconds = duration(text).ok_or_else(|| invalid("duration"))?;
            Cel::Duration(chrono::Duration::nanoseconds(nanoseconds))
        }
        Some(Format::Date) => {
            let time = format!("{text}T00:00:00Z");
            let time = crate::schema::date_time(&time);
            Cel::Timestamp(time.ok_or_else(|| invalid("date formatted string"))?)
        }
        Some(Format::DateTime) => {
            let time = crate::schema::date_time(text);
            Cel::Timestamp(time.ok_or_else(|| invalid("date-time formatted string"))?)
        }
        Some(Format::Byte) => {
            let bytes = STANDARD.decode(text);
            Cel::Bytes(Arc::new(
                bytes.map_err(|_| invalid("byte formatted string"))?,
            ))
        }
        _ => Cel::String(Arc::new(text.to_owned())),
    })
}

/// The elements of a set or map in the order of those that equal them in `like`.
fn in_order<'a>(node: &Node, elements: &'a [Value], like: Option<&Value>) -> Vec<&'a Value> {
    let mut sorted: Vec<&Value> = elements.iter().collect();
    let Some(Value::Array(like)) = like else {
        return sorted;
    };
    let place = |element: &Value| match &node.list_type {
        ListType::Atomic => None,
        ListType::Set => like.iter().position(|other| other == element),
        ListType::Map(keys) => like
            .iter()
            .position(|other| keys.iter().all(|key| other.get(key) == element.get(key))),
    };
    if node.list_type != ListType::Atomic {
        sorted.sort_by_cached_key(|element| place(element).unwrap_or(usize::MAX));
    }
    sorted
}

/// The name of a field in rules; `None` if it has none.
fn escaped(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    if RESERVED.contains(&name) {
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
