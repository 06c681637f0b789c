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

/// Maximum length of a text in bytes: 64 MiB. (A server accepts 3 MiB in a request.)
pub const MAX_LENGTH: usize = 64 << 20;

/// Maximum number of values in a text, names of YAML fields included: 4,000,000.
///
/// A value takes far more memory than the two bytes in which a text can write it.
pub const MAX_VALUES: usize = 4_000_000;

/// Returns an error if a text has more values than [`MAX_VALUES`].
pub(crate) fn check_values(count: usize, offset: usize) -> Result<(), SyntaxError> {
    if count <= MAX_VALUES {
        return Ok(());
    }
    let message = format!("the text has more than {MAX_VALUES} values");
    Err(SyntaxError::new(message, offset))
}

/// Returns an error for a text longer than [`MAX_LENGTH`].
pub(crate) fn check_length(text: &[u8]) -> Result<(), SyntaxError> {
    if text.len() <= MAX_LENGTH {
        return Ok(());
    }
    let message = format!(
        "text is too long: {} bytes, the limit is {MAX_LENGTH}",
        text.len()
    );
    Err(SyntaxError::new(message, MAX_LENGTH))
}
