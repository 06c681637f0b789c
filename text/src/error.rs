//! The error of text that is not JSON or YAML.

use std::fmt;

/// Text that is not JSON or YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    message: String,
    offset: usize,
}

impl SyntaxError {
    /// An error with the words of the Kubernetes readers, at a byte of the text.
    pub fn new(message: String, offset: usize) -> Self {
        Self { message, offset }
    }

    /// The server's words, such as `invalid character '}' looking for beginning of value`.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The byte at which reading stopped.
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
