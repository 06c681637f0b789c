//! Values that are not interpreted: a node as a JSON value.

use crate::tree::{Content, Node};
use serde_json::{Map, Number, Value};

/// How deep a value that is kept may lie; what serde_json reads at most.
const MAX_KEPT_DEPTH: usize = 120;

/// How many values one may have, aliases expanded.
const MAX_KEPT_VALUES: usize = 1_000_000;

/// The node as JSON; of duplicate fields the last wins.
///
/// # Errors
/// A message when the value lies deeper than 120 levels, or is too large after its aliases are expanded.
pub fn to_value(node: Node<'_>) -> Result<Value, String> {
    let mut budget = MAX_KEPT_VALUES;
    convert(node, MAX_KEPT_DEPTH, &mut budget)
}

fn convert(node: Node<'_>, depth: usize, budget: &mut usize) -> Result<Value, String> {
    if depth == 0 {
        return Err(format!(
            "exceeded max depth of {MAX_KEPT_DEPTH} for a value that is kept"
        ));
    }
    *budget = budget
        .checked_sub(1)
        .ok_or_else(|| format!("more than {MAX_KEPT_VALUES} values after expanding aliases"))?;
    Ok(match node.content() {
        Content::Array(elements) => Value::Array(
            elements
                .iter()
                .map(|element| convert(element, depth - 1, budget))
                .collect::<Result<_, _>>()?,
        ),
        Content::Object(fields) => {
            let mut object = Map::new();
            for field in fields.iter() {
                object.insert(field.name.into(), convert(field.value, depth - 1, budget)?);
            }
            Value::Object(object)
        }
        _ => scalar(node),
    })
}

/// A scalar as JSON.
pub fn scalar(node: Node<'_>) -> Value {
    match node.content() {
        Content::Bool(value) => value.into(),
        Content::Number(text) => number(text),
        Content::String(text) => text.into(),
        Content::Null | Content::Array(_) | Content::Object(_) => Value::Null,
    }
}

fn number(text: &str) -> Value {
    // What fits no integer becomes a float; what fits none of both is kept as its text.
    text.parse::<Number>()
        .map_or_else(|_| text.into(), Value::Number)
}
