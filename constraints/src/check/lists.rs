//! The uniqueness of elements of lists that are sets or maps.

use crate::go::{bad_value, json};
use crate::schema::{Additional, ListType, Node};
use crate::violation::{Reason, Violation};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// The repeated elements in a value.
pub(super) fn violations(
    node: &Node,
    definitions: &BTreeMap<String, Node>,
    value: &Value,
) -> Vec<Violation> {
    let mut found = Vec::new();
    walk(node, definitions, "", value, &mut found);
    found
}

fn walk(
    node: &Node,
    definitions: &BTreeMap<String, Node>,
    path: &str,
    value: &Value,
    found: &mut Vec<Violation>,
) {
    let node = node.resolve(definitions);
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let inner = match (node.properties.get(name), &node.additional) {
                    (Some(property), _) => {
                        let dot = if path.is_empty() { "" } else { "." };
                        Some((property, format!("{path}{dot}{name}")))
                    }
                    (None, Some(Additional::Schema(schema))) => {
                        Some((&**schema, format!("{path}[{name}]")))
                    }
                    _ => None,
                };
                if let Some((schema, path)) = inner {
                    walk(schema, definitions, &path, value, found);
                }
            }
        }
        Value::Array(elements) => {
            let repeated = match &node.list_type {
                ListType::Atomic => Vec::new(),
                ListType::Set => repetitions(elements.iter().cloned()),
                ListType::Map(keys) => match elements.iter().position(is_scalar) {
                    Some(index) => {
                        let value = elements.get(index).map(bad_value).unwrap_or_default();
                        let detail = "must be an object for an array of list-type map";
                        found.push(Violation {
                            field: format!("{path}[{index}]"),
                            reason: Reason::Invalid,
                            message: format!("Invalid value: {value}: {detail}"),
                        });
                        Vec::new()
                    }
                    None => repetitions(elements.iter().map(|element| keys_of(element, keys))),
                },
            };
            found.extend(repeated.into_iter().map(|(index, value)| Violation {
                field: format!("{path}[{index}]"),
                reason: Reason::Duplicate,
                message: format!("Duplicate value: {}", bad_value(&value)),
            }));
            if let Some(items) = &node.items {
                for (index, element) in elements.iter().enumerate() {
                    walk(
                        items,
                        definitions,
                        &format!("{path}[{index}]"),
                        element,
                        found,
                    );
                }
            }
        }
        _ => {}
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_null()
}

/// The keys of an element, as an object without the absent ones.
fn keys_of(element: &Value, keys: &[String]) -> Value {
    let present = keys.iter().filter_map(|key| {
        let value = element.get(key)?;
        Some((key.clone(), value.clone()))
    });
    Value::Object(present.collect::<Map<_, _>>())
}

/// The second occurrence of each value that occurs several times.
fn repetitions(values: impl Iterator<Item = Value>) -> Vec<(usize, Value)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut found = Vec::new();
    for (index, value) in values.enumerate() {
        let count = seen.entry(json(&value)).or_default();
        *count += 1;
        if *count == 2 {
            found.push((index, value));
        }
    }
    found
}
