//! Why text does not fit.

use serde::de::{Error as _, IgnoredAny};

/// What was wrong, and where. One word, so that results stay small.
#[derive(Debug)]
pub struct Fault(Box<Problem>);

#[derive(Debug)]
struct Problem {
    /// How many bytes had been read when it was found.
    at: usize,
    message: String,
}

impl Fault {
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Problem { at, message }))
    }

    /// The error of a part of the text that begins at `start`.
    pub fn from_json(start: usize, error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let position = format!(" at line {line} column {column}");
        // Of a part of several lines only the beginning is known.
        let within = if line == 1 { column } else { 0 };
        Self::new(
            start + within,
            message.strip_suffix(&position).unwrap_or(&message),
        )
    }

    /// The same, found when so many bytes had been read.
    pub fn at(mut self, at: usize) -> Self {
        self.0.at = at;
        self
    }

    /// The error, with line and column. When `text` is no JSON at all, serde_json says so.
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
        // serde_json takes the position out of the message.
        serde_json::Error::custom(format_args!("{message} at line {line} column {column}"))
    }
}
