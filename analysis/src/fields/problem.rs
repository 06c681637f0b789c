//! The problems of a file.

use k8s_flowcontrol_text::{Content, Node, Position, parse_yaml};
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
    /// The problem, and the expected value.
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

/// A file that cannot be used, with every problem that was found, up to 20.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidFile {
    /// The problems in the order of the file; at least one.
    pub problems: Vec<Problem>,
}

/// Formats one line for each problem.
impl fmt::Display for InvalidFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let end = if index > 0 { "\n" } else { "" };
            write!(f, "{end}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidFile {}

/// Collects the problems of a text.
pub(crate) struct Problems<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) found: Vec<Problem>,
}

impl<'t> Problems<'t> {
    /// Reads a file in YAML or JSON, of which `read` reads the root. `expected` names its fields.
    pub(crate) fn read_file<T>(
        text: &'t [u8],
        expected: &str,
        read: impl FnOnce(Node<'_>, &mut Self) -> Option<T>,
    ) -> Result<T, InvalidFile> {
        let found = Vec::new();
        let mut problems = Self { text, found };
        let value = match parse_yaml(text) {
            Ok(yaml) => {
                for duplicate in &yaml.duplicates {
                    problems.add(duplicate.span.start, "", duplicate.to_string());
                }
                let root = yaml.tree.root();
                if matches!(root.content(), Content::Null) {
                    let message = format!("the file is empty; expected {expected}");
                    problems.add(0, "", message);
                    None
                } else {
                    read(root, &mut problems)
                }
            }
            Err(error) => {
                problems.add(error.offset(), "", error.message());
                None
            }
        };
        let mut problems = problems.found;
        problems.sort_by_key(|problem| problem.offset);
        match value.filter(|_| problems.is_empty()) {
            Some(value) => Ok(value),
            None => Err(InvalidFile { problems }),
        }
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
