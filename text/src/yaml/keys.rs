//! Keys of mappings: equality, Go's spelling in messages, and field names in JSON.

use super::compose::{Graph, NodeId, NodeKind};
use super::resolve::{Value, resolve};
use crate::go::{float, quote, shortest};

/// A key as Go stores it. Keys of different types are different keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Null,
    Bool(bool),
    Integer(i128),
    /// The float's bits.
    Float(u64),
    Text(String),
}

impl Key {
    pub(super) fn new(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Integer(number) => Self::Integer(number),
            Value::Float(number) => Self::Float(number.to_bits()),
            Value::Text(text) => Self::Text(text),
        }
    }

    /// The key as Go's `%#v` prints it.
    pub(super) fn go_syntax(&self) -> String {
        match self {
            Self::Null => NIL.into(),
            Self::Bool(value) => value.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Float(bits) => float(f64::from_bits(*bits)),
            Self::Text(text) => quote(text),
        }
    }

    /// The field's name in JSON; `None` for a key that cannot be a field name.
    pub(super) fn name(&self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Bool(value) => Some(value.to_string()),
            Self::Integer(number) => i64::try_from(*number).ok().map(|number| number.to_string()),
            Self::Float(bits) => Some(key_float(f64::from_bits(*bits))),
            Self::Text(text) => Some(text.clone()),
        }
    }
}

/// A float as the name of a field in JSON: the digits of a 32-bit float.
#[expect(clippy::cast_possible_truncation, reason = "as Go does")]
fn key_float(number: f64) -> String {
    match number as f32 {
        number if number.is_nan() => ".nan".into(),
        f32::INFINITY => ".inf".into(),
        f32::NEG_INFINITY => "-.inf".into(),
        number => shortest(&format!("{number:e}"), number.to_string()),
    }
}

const NIL: &str = "<nil>";

/// Nil in a sequence or a mapping.
const NIL_ELEMENT: &str = "interface {}(nil)";

/// Maximum length in bytes of a value printed in a message.
const MAX_PRINTED: usize = 200;

/// The value as Go's `%#v` prints it, cut at the maximum length.
pub(super) fn go_syntax(graph: &Graph, id: NodeId) -> String {
    let mut out = String::new();
    print(graph, id, &mut out, 0);
    // A nil of its own has no type.
    if out == NIL_ELEMENT { NIL.into() } else { out }
}

fn print(graph: &Graph, id: NodeId, out: &mut String, depth: usize) {
    if out.len() > MAX_PRINTED || depth > 10 {
        out.push_str("...");
        return;
    }
    match &graph.nodes[id].kind {
        NodeKind::Alias { target, .. } => print(graph, *target, out, depth + 1),
        NodeKind::Scalar(scalar) => match resolve(scalar) {
            Ok(Value::Null) | Err(_) => out.push_str(NIL_ELEMENT),
            Ok(value) => out.push_str(&Key::new(value).go_syntax()),
        },
        NodeKind::Sequence(elements) => {
            out.push_str("[]interface {}{");
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                print(graph, *element, out, depth + 1);
            }
            out.push('}');
        }
        NodeKind::Mapping(pairs) => {
            out.push_str("map[interface {}]interface {}{");
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                print(graph, *key, out, depth + 1);
                out.push(':');
                print(graph, *value, out, depth + 1);
            }
            out.push('}');
        }
    }
}
