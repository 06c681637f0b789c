//! Errors of reading, before they have a line and column.

use serde::de::Error as _;
use serde_json::value::RawValue;

/// An error at a place of the text. One word, so that results stay small.
#[derive(Debug)]
pub struct Fault(Box<Problem>);

#[derive(Debug)]
struct Problem {
    /// The offset in the text.
    at: usize,
    message: String,
    /// The path of the field, such as `spec.rules[0]`; empty for the whole value.
    path: String,
}

impl Fault {
    /// An error at the offset `at`.
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        let path = String::new();
        Self(Box::new(Problem { at, message, path }))
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

    /// The path of the field and the words of the error.
    pub(crate) fn with_path(&self) -> String {
        let Problem { path, message, .. } = &*self.0;
        match path.is_empty() {
            true => message.clone(),
            false => format!("{path}: {message}"),
        }
    }

    /// The error of a field, as the error of the object around it.
    #[cold]
    pub(crate) fn in_field(mut self, name: &str) -> Self {
        let path = &mut self.0.path;
        if !path.is_empty() && !path.starts_with('[') {
            path.insert(0, '.');
        }
        path.insert_str(0, name);
        self
    }

    /// The error of an element, as the error of the list around it.
    #[cold]
    pub(crate) fn in_element(self, index: usize) -> Self {
        self.in_field(&format!("[{index}]"))
    }

    /// The same error at another offset.
    pub fn at(mut self, at: usize) -> Self {
        self.0.at = at;
        self
    }

    /// The error with its line and column in `text`. Where `text` is not JSON, that error comes first.
    pub fn into_error(self, text: &str) -> serde_json::Error {
        match serde_json::from_str::<&RawValue>(text) {
            Err(error) => error,
            Ok(_) => self.into_positioned(text),
        }
    }

    /// The error with the path of its field, and its line and column in `text`.
    pub fn into_positioned(self, text: &str) -> serde_json::Error {
        let (at, message) = (self.0.at, self.with_path());
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
