//! The problems of a file.

use k8s_flowcontrol_text::Position;
use std::fmt;

/// The most problems that are collected.
const MOST: usize = 20;

/// A problem of a file.
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

/// Writes one line for each problem.
pub(crate) fn write_problems(problems: &[Problem], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, problem) in problems.iter().enumerate() {
        let end = if index > 0 { "\n" } else { "" };
        write!(f, "{end}{problem}")?;
    }
    Ok(())
}

/// Collects the problems of a text.
pub(crate) struct Problems<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) found: Vec<Problem>,
}

impl<'t> Problems<'t> {
    pub(crate) fn of(text: &'t [u8]) -> Self {
        let found = Vec::new();
        Self { text, found }
    }

    /// The problems in the order of the file.
    pub(crate) fn sorted(mut self) -> Vec<Problem> {
        self.found.sort_by_key(|problem| problem.offset);
        self.found
    }

    pub(crate) fn add(&mut self, offset: usize, path: &str, message: impl Into<String>) {
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
