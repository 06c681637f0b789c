//! Tree nodes as JSON values of serde_json.

use crate::tree::{Content, Node};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Maximum depth of a converted value; serde_json parses no deeper values.
const MAX_VALUE_DEPTH: usize = 120;

/// Maximum number of values after aliases are expanded.
const MAX_VALUES: usize = 1_000_000;

/// The error of [`to_value`]: a value that is too large or too deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge(String);

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TooLarge {}

impl From<TooLarge> for String {
    fn from(error: TooLarge) -> Self {
        error.0
    }
}

/// Converts a node to a JSON value. Of duplicate fields the last one counts.
///
/// # Errors
/// [`TooLarge`] if the value nests more than 120 levels, or has too many values after its aliases are expanded.
pub fn to_value(node: Node<'_>) -> Result<Value, TooLarge> {
    let mut budget = MAX_VALUES;
    convert(node, MAX_VALUE_DEPTH, &mut budget)
}

fn convert(node: Node<'_>, depth: usize, budget: &mut usize) -> Result<Value, TooLarge> {
    if depth == 0 {
        return Err(TooLarge(format!(
            "value nests more than {MAX_VALUE_DEPTH} levels"
        )));
    }
    *budget = budget.checked_sub(1).ok_or_else(|| {
        TooLarge(format!(
            "more than {MAX_VALUES} values after expanding aliases"
        ))
    })?;
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

/// Converts a scalar; lists and objects become `null`.
pub fn scalar(node: Node<'_>) -> Value {
    match node.content() {
        Content::Bool(value) => value.into(),
        Content::Number(text) => number(text),
        Content::String(text) => text.into(),
        Content::Null | Content::Array(_) | Content::Object(_) => Value::Null,
    }
}

fn number(text: &str) -> Value {
    // Numbers beyond the integers become floats; numbers beyond the floats stay text.
    match text.parse::<Number>() {
        Err(_) => text.into(),
        // An integer in Go, which has no negative zero.
        Ok(_) if text == "-0" => 0.into(),
        Ok(number) if number.is_i64() || number.is_u64() => number.into(),
        // serde_json may read the float next to the nearest one.
        Ok(number) => {
            let nearest = text.parse().ok().and_then(Number::from_f64);
            nearest.unwrap_or(number).into()
        }
    }
}
