//! The limits of texts.

use crate::SyntaxError;

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
