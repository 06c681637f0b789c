//! Several documents in one text: JSON lines, JSON values in sequence and YAML streams.

use crate::SyntaxError;
use crate::json::{parse_json, parse_json_at};
use crate::tree::{Span, Tree};
use crate::yaml::DuplicateKey;

/// One document of several.
#[derive(Clone, Debug)]
pub struct Document {
    /// The document. Spans count from the start of the whole text.
    pub tree: Tree,
    /// The document's position in the whole text.
    pub span: Span,
    /// Duplicate keys of YAML mappings; empty for JSON, where the tree keeps duplicate fields.
    pub duplicates: Vec<DuplicateKey>,
}

/// The documents of a text, up to the first syntax error.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    /// The documents before the error.
    pub documents: Vec<Document>,
    /// The error in the next document; `None` if the whole text was read.
    pub error: Option<SyntaxError>,
}

/// Reads JSON lines: one value per line. Empty lines are skipped.
pub fn parse_json_lines(text: &[u8]) -> Documents {
    let mut documents = Documents::default();
    let mut start = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let span = Span::new(start, start + line.len());
        start = span.end;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match parse_json(line) {
            Ok(tree) => documents.documents.push(Document {
                tree: tree.shifted(span.start),
                span,
                duplicates: Vec::new(),
            }),
            Err(error) => {
                let offset = error.offset() + span.start;
                documents.error = Some(SyntaxError::new(error.message().into(), offset));
                break;
            }
        }
    }
    documents
}

/// Reads JSON values in sequence, with or without line breaks between them, as kubectl reads a JSON file.
pub fn parse_json_values(text: &[u8]) -> Documents {
    let mut documents = Documents::default();
    if let Err(error) = crate::check_length(text) {
        documents.error = Some(error);
        return documents;
    }
    let mut at = 0;
    loop {
        match parse_json_at(text, at) {
            Ok(None) => break,
            Ok(Some((tree, end))) => {
                documents.documents.push(Document {
                    span: tree.root().span(),
                    tree,
                    duplicates: Vec::new(),
                });
                at = end;
            }
            Err(error) => {
                documents.error = Some(error);
                break;
            }
        }
    }
    documents
}

/// Reads a YAML stream: documents between `---` lines. Empty documents are skipped.
pub fn parse_yaml_documents(text: &[u8]) -> Documents {
    let mut documents = Documents::default();
    let mut stream = crate::yaml::Stream::new(text);
    loop {
        match stream.next_document() {
            Ok(None) => break,
            Ok(Some(yaml)) => {
                let root = yaml.tree.root();
                if matches!(root.content(), crate::Content::Null) {
                    continue;
                }
                documents.documents.push(Document {
                    span: root.span(),
                    duplicates: yaml.duplicates,
                    tree: yaml.tree,
                });
            }
            Err(error) => {
                documents.error = Some(error);
                break;
            }
        }
    }
    documents
}
