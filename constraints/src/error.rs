//! The error of a schema that cannot be read.

use std::fmt;

/// A schema that cannot be read: a keyword has a value of another type, or a reference leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    place: String,
    message: String,
}

impl SchemaError {
    pub(crate) fn new(place: &str, message: impl Into<String>) -> Self {
        Self {
            place: place.to_owned(),
            message: message.into(),
        }
    }

    /// The JSON pointer of the mistake, such as `/properties/spec/minimum`; empty for the whole schema.
    pub fn place(&self) -> &str {
        &self.place
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => write!(f, "the schema: {}", self.message),
            place => write!(f, "the schema at `{place}`: {}", self.message),
        }
    }
}

impl std::error::Error for SchemaError {}
