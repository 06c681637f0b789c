//! JSON as it stands in the text: members in order, repeated ones too.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use std::fmt;

/// A JSON value that has lost nothing but spaces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// Reads JSON text. Bytes that are no UTF-8 become U+FFFD, as they do in Go.
///
/// # Errors
/// What Go says of the text.
pub(crate) fn parse(text: &[u8]) -> Result<Node, String> {
    let text = String::from_utf8_lossy(text);
    serde_json::from_str(&text).map_err(|error| {
        if error.is_eof() {
            "unexpected end of JSON input".to_owned()
        } else {
            error.to_string()
        }
    })
}

impl Node {
    /// The last member of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members
                .iter()
                .rev()
                .find(|(found, _)| found == name)
                .map(|(_, node)| node),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// A plain tree; of repeated members the last stays.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::Number(number) => number.clone().into(),
            Self::String(text) => text.as_str().into(),
            Self::Array(elements) => elements.iter().map(Self::to_value).collect(),
            Self::Object(members) => members
                .iter()
                .map(|(name, node)| (name.clone(), node.to_value()))
                .collect(),
        }
    }

    pub(crate) fn go_kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The members that stand more than once in one object, at any depth.
    pub(crate) fn repeated(&self) -> Vec<String> {
        let mut repeated = Vec::new();
        self.collect_repeated("", &mut repeated);
        repeated
    }

    fn collect_repeated(&self, path: &str, repeated: &mut Vec<String>) {
        match self {
            Self::Object(members) => {
                for (at, (name, node)) in members.iter().enumerate() {
                    let path = if path.is_empty() {
                        name.clone()
                    } else {
                        format!("{path}.{name}")
                    };
                    if members[..at]
                        .iter()
                        .filter(|(earlier, _)| earlier == name)
                        .count()
                        == 1
                    {
                        repeated.push(path.clone());
                    }
                    node.collect_repeated(&path, repeated);
                }
            }
            Self::Array(elements) => {
                for (index, node) in elements.iter().enumerate() {
                    node.collect_repeated(&format!("{path}[{index}]"), repeated);
                }
            }
            _ => {}
        }
    }
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members
                    .iter()
                    .map(|(name, value)| (name.clone(), Self::from(value)))
                    .collect(),
            ),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        // `-0` comes as a float and is the integer 0.
        if value == 0.0 && value.is_sign_negative() {
            return Ok(Node::Number(0.into()));
        }
        Number::from_f64(value)
            .map(Node::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::String(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            elements.push(element);
        }
        Ok(Node::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Node::Object(members))
    }
}
