//! YAML as the Kubernetes API server reads it: YAML 1.1, through JSON.
//!
//! Written after the grammar that libyaml made common, as that decides what a server accepts and what it
//! says of the rest; a reader of YAML 1.2 would disagree in both. Nothing recurses: deep documents cost no stack.

mod bounds;
mod collections;
mod compose;
mod convert;
mod cursor;
mod fetch;
mod input;
mod keys;
mod numbers;
mod parser;
mod possible_keys;
mod properties;
mod resolve;
mod scalars;
mod scanner;

use crate::SyntaxError;
use crate::tree::{Span, Tree};
use std::fmt;

/// A YAML document as JSON.
#[derive(Clone, Debug)]
pub struct Yaml {
    /// The document: keys are names, merges are carried out, and of duplicate keys the last wins.
    ///
    /// Spans count in the text as UTF-8, a byte order mark included.
    pub tree: Tree,
    /// The keys that a mapping has already when they come, merged ones too, in the order of the text.
    pub duplicates: Vec<DuplicateKey>,
}

/// A key that a mapping has already.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateKey {
    /// The line of the value, from 1.
    pub line: usize,
    /// The key as Go prints it: a string in quotes, a number or a truth value without.
    pub key: String,
    /// Where the key stands.
    pub span: Span,
}

/// The server's words, such as `line 5: key "name" already set in map`.
impl fmt::Display for DuplicateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: key {} already set in map", self.line, self.key)
    }
}

/// Reads the first document of a YAML text; what follows it is ignored.
///
/// A text without any document is `null`.
///
/// # Errors
/// [`SyntaxError`] with the server's words, such as `yaml: line 4: did not find expected key`.
pub fn parse_yaml(text: &[u8]) -> Result<Yaml, SyntaxError> {
    match Stream::new(text).next_document()? {
        Some(yaml) => Ok(yaml),
        None => Ok(Yaml {
            tree: crate::parse_json(b"null")?,
            duplicates: Vec::new(),
        }),
    }
}

/// The JSON text that a YAML text stands for; of several documents the first.
///
/// # Errors
/// [`SyntaxError`] when the text is no YAML, or has a value that JSON cannot say or that lies too deep.
pub fn yaml_to_json(text: &[u8]) -> Result<String, SyntaxError> {
    let yaml = parse_yaml(text)?;
    crate::to_value(yaml.tree.root())
        .map(|value| value.to_string())
        .map_err(|message| SyntaxError::new(message, 0))
}

/// The documents of a YAML text.
pub(super) struct Stream {
    parser: parser::Parser,
}

impl Stream {
    pub(super) fn new(text: &[u8]) -> Self {
        let scanner = scanner::Scanner::new(input::decode(text));
        Self {
            parser: parser::Parser::new(scanner),
        }
    }

    pub(super) fn next_document(&mut self) -> Result<Option<Yaml>, SyntaxError> {
        let Some(graph) = compose::compose(&mut self.parser)? else {
            return Ok(None);
        };
        let (tree, duplicates) = convert::convert(&graph)?;
        Ok(Some(Yaml { tree, duplicates }))
    }
}
