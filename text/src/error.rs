//! The syntax error of JSON and YAML texts.

use std::fmt;

/// A syntax error in a JSON or YAML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    message: String,
    offset: usize,
}

impl SyntaxError {
    /// Creates an error with the parser's message, at a byte offset of the text.
    pub fn new(message: String, offset: usize) -> Self {
        Self { message, offset }
    }

    /// The parser's message, such as `invalid character '}' looking for beginning of value`.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The byte offset at which parsing stopped.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}
