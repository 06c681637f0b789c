//! JSON with objects in document order, because the order of fields becomes the order of struct fields,
//! and with an error for a field that appears twice in an object.
//!
//! `serde_json::Value` sorts fields unless its feature `preserve_order` is on, which Cargo would turn on
//! for every crate of a user's build, and it silently keeps the last of two fields with one name.

use crate::error::{At, Error};

/// A JSON value. Numbers are text, so that documentation states them as they are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The fields of an object; none of any other value.
    pub(crate) fn fields(&self) -> &[(String, Json)] {
        match self {
            Self::Object(fields) => fields,
            _ => &[],
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// A JSON value and its place.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    pub(crate) json: &'a Json,
    pub(crate) at: At,
}

impl<'a> Node<'a> {
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::at(&self.at, message)
    }

    /// The error of a value that is not `what`.
    pub(crate) fn expected(&self, what: &str) -> Error {
        self.error(format!("expected {what}, found {}", self.json.kind()))
            .help("correct the document, or get it from the server again")
    }

    /// The field `name`, unless it is `null`, which serializers write for an absent one.
    pub(crate) fn get(&self, name: &str) -> Option<Node<'a>> {
        let json = self.json.get(name).filter(|json| **json != Json::Null)?;
        Some(Node {
            json,
            at: self.at.child(name),
        })
    }

    /// The value at the tokens of a JSON pointer.
    pub(crate) fn find<T: AsRef<str>>(&self, tokens: &[T]) -> Option<Node<'a>> {
        let mut node = self.clone();
        for token in tokens {
            let token = token.as_ref();
            node = match node.json {
                Json::Array(elements) => Node {
                    json: elements.get(token.parse::<usize>().ok()?)?,
                    at: node.at.child(token),
                },
                _ => node.get(token)?,
            };
        }
        Some(node)
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.json, Json::Object(_))
    }

    /// Whether this is `{}`.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self.json, Json::Object(fields) if fields.is_empty())
    }

    pub(crate) fn fields(&self) -> Result<Vec<(&'a str, Node<'a>)>, Error> {
        match self.json {
            Json::Object(fields) => Ok(fields
                .iter()
                .map(|(name, json)| {
                    (
                        name.as_str(),
                        Node {
                            json,
                            at: self.at.child(name),
                        },
                    )
                })
                .collect()),
            _ => Err(self.expected("an object")),
        }
    }

    pub(crate) fn elements(&self) -> Result<Vec<Node<'a>>, Error> {
        match self.json {
            Json::Array(elements) => Ok(elements
                .iter()
                .enumerate()
                .map(|(index, json)| Node {
                    json,
                    at: self.at.child(&index.to_string()),
                })
                .collect()),
            _ => Err(self.expected("an array")),
        }
    }

    pub(crate) fn string(&self) -> Result<&'a str, Error> {
        self.json.as_str().ok_or_else(|| self.expected("a string"))
    }

    pub(crate) fn boolean(&self) -> Result<bool, Error> {
        match self.json {
            Json::Bool(value) => Ok(*value),
            _ => Err(self.expected("a boolean")),
        }
    }

    /// The field `name` as a string, if present.
    pub(crate) fn string_of(&self, name: &str) -> Result<Option<&'a str>, Error> {
        self.get(name).map(|node| node.string()).transpose()
    }

    /// The field `name` as a boolean, `false` if absent.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Error> {
        Ok(self
            .get(name)
            .map(|node| node.boolean())
            .transpose()?
            .unwrap_or(false))
    }

    /// The field `name` as a list of strings, empty if absent.
    pub(crate) fn strings_of(&self, name: &str) -> Result<Vec<String>, Error> {
        let Some(node) = self.get(name) else {
            return Ok(Vec::new());
        };
        node.elements()?
            .iter()
            .map(|n| n.string().map(str::to_owned))
            .collect()
    }
}
