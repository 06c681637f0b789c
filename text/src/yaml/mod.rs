//! YAML as the Kubernetes API server reads it: YAML 1.1, converted to JSON.
//!
//! Follows the grammar and the messages of libyaml, like the server's parser; a YAML 1.2 parser would accept other
//! texts and report other errors. Nothing recurses, so a deep document does not need a deep stack.

mod bounds;
mod collections;
mod compose;
mod convert;
mod cursor;
mod fetch;
mod input;
mod keys;
mod parser;
mod possible_keys;
mod properties;
mod resolve;
mod scalars;
mod scanner;

use crate::SyntaxError;
use crate::tree::{self, Data, Span, Tree};
use std::fmt;

/// A YAML document as JSON.
#[derive(Clone, Debug)]
pub struct Yaml {
    /// The document. Keys are field names, merges are applied, and of duplicate keys the last one wins.
    ///
    /// Spans count bytes of the text as UTF-8, including a byte order mark.
    pub tree: Tree,
    /// The keys set more than once in a mapping, merged keys included, in the order of the text.
    pub duplicates: Vec<DuplicateKey>,
}

/// A key set more than once in a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateKey {
    /// The line of the value, from 1.
    pub line: usize,
    /// The key as Go prints it: strings in quotes, numbers and booleans without.
    pub key: String,
    /// The key's position in the text.
    pub span: Span,
}

/// Formats the server's message, such as `line 5: key "name" already set in map`.
impl fmt::Display for DuplicateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: key {} already set in map", self.line, self.key)
    }
}

/// Parses the first document of a YAML text; further documents are ignored.
///
/// A text without a document is `null`, at the start of the text.
///
/// # Errors
/// [`SyntaxError`] with the server's message, such as `yaml: line 4: did not find expected key`.
pub fn parse_yaml(text: &[u8]) -> Result<Yaml, SyntaxError> {
    match Stream::new(text).next_document()? {
        Some(yaml) => Ok(yaml),
        None => {
            let mut entries = Vec::new();
            let root = tree::push(&mut entries, Data::Null, Span::default());
            Ok(Yaml {
                tree: Tree::new(entries, root),
                duplicates: Vec::new(),
            })
        }
    }
}

/// Converts the first document of a YAML text to JSON text.
///
/// # Errors
/// [`SyntaxError`] if the text is not YAML, contains a value that JSON cannot express, or nests too deep.
pub fn yaml_to_json(text: &[u8]) -> Result<String, SyntaxError> {
    let yaml = parse_yaml(text)?;
    crate::to_value(yaml.tree.root())
        .map(|value| value.to_string())
        .map_err(|error| SyntaxError::new(error.to_string(), 0))
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
