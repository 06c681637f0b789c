//! The problems of an intents file.

use k8s_flowcontrol_text::Position;
use std::fmt;

/// The most problems that are collected.
const MOST: usize = 20;

/// An intents file that cannot be used, with every problem that was found, up to 20.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidIntents {
    /// The problems in the order of the file; at least one.
    pub problems: Vec<Problem>,
}

/// A problem of an intents file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The byte offset in the text.
    pub offset: usize,
    /// Line and column in the text, from 1.
    pub position: Position,
    /// The path of the field, such as `intents[2].waits.p99`; empty for the whole file.
    pub path: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// Formats line, column, path and message: `3:12: intents[0].waits.p99: …`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.position)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// Formats one line for each problem.
impl fmt::Display for InvalidIntents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let end = if index > 0 { "\n" } else { "" };
            write!(f, "{end}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidIntents {}

/// Collects the problems of a text.
pub(super) struct Problems<'t> {
    pub(super) text: &'t [u8],
    pub(super) found: Vec<Problem>,
}

impl Problems<'_> {
    pub(super) fn add(&mut self, offset: usize, path: &str, message: impl Into<String>) {
        if self.found.len() < MOST {
            self.found.push(Problem {
                offset,
                position: Position::of(self.text, offset),
                path: path.to_owned(),
                message: message.into(),
            });
        }
    }
}
