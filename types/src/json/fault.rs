//! Errors of reading, before they have a line and column.

use serde::de::{Error as _, IgnoredAny};

/// An error at a place of the text. One word, so that results stay small.
#[derive(Debug)]
pub struct Fault(Box<Problem>);

#[derive(Debug)]
struct Problem {
    /// The offset in the text.
    at: usize,
    message: String,
}

impl Fault {
    /// An error at the offset `at`.
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Problem { at, message }))
    }

    /// The error of serde_json for the part of the text that begins at `start`.
    pub fn from_json(start: usize, error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let position = format!(" at line {line} column {column}");
        // The offset follows from the column only within the first line of the part.
        let within = if line == 1 { column } else { 0 };
        Self::new(
            start + within,
            message.strip_suffix(&position).unwrap_or(&message),
        )
    }

    /// The words of the error.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// The same error at another offset.
    pub fn at(mut self, at: usize) -> Self {
        self.0.at = at;
        self
    }

    /// The error with its line and column in `text`. Where `text` is not JSON, that error comes first.
    pub fn into_error(self, text: &str) -> serde_json::Error {
        match serde_json::from_str::<IgnoredAny>(text) {
            Err(error) => error,
            Ok(_) => self.into_positioned(text),
        }
    }

    /// The error with its line and column in `text`.
    pub fn into_positioned(self, text: &str) -> serde_json::Error {
        let Problem { at, message } = *self.0;
        let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before
            .iter()
            .rev()
            .take_while(|byte| **byte != b'\n')
            .count();
        // serde_json takes the position out of a message that ends like this.
        serde_json::Error::custom(format_args!("{message} at line {line} column {column}"))
    }
}
