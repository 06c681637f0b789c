//! Defaults, which a server fills in before it validates.

use super::node::{Additional, Node};
use serde_json::Value;
use std::collections::BTreeMap;

/// Fills in the defaults of absent fields, and of fields that are `null` and may not be.
pub(crate) fn fill_in_defaults(
    node: &Node,
    definitions: &BTreeMap<String, Node>,
    value: &mut Value,
) {
    let node = node.resolve(definitions);
    match value {
        Value::Object(fields) => {
            for (name, property) in &node.properties {
                let property = property.resolve(definitions);
                let is_absent = match fields.get(name) {
                    None => true,
                    Some(value) => value.is_null() && !property.nullable,
                };
                if is_absent && let Some(default) = &property.default {
                    fields.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in fields {
                let additional = match &node.additional {
                    Some(Additional::Schema(schema)) => Some(&**schema),
                    _ => None,
                };
                if let Some(property) = node.properties.get(name).or(additional) {
                    fill_in_defaults(property, definitions, value);
                }
            }
        }
        Value::Array(elements) => {
            if let Some(items) = &node.items {
                for element in elements {
                    fill_in_defaults(items, definitions, element);
                }
            }
        }
        _ => {}
    }
}
