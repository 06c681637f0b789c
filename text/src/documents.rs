//! Several documents in one text: JSON values in sequence and YAML streams.

use crate::SyntaxError;
use crate::json::parse_json_at;
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

impl Documents {
    /// Adds a document, unless all of them together have too many values.
    fn add(&mut self, document: Document, values: &mut usize) -> Result<(), SyntaxError> {
        *values += document.tree.entries().len();
        crate::error::check_values(*values, document.span.start)?;
        self.documents.push(document);
        Ok(())
    }
}

/// Reads JSON values in sequence, with or without line breaks between them, as kubectl reads a JSON file.
pub fn parse_json_values(text: &[u8]) -> Documents {
    let mut documents = Documents::default();
    if let Err(error) = crate::error::check_length(text) {
        documents.error = Some(error);
        return documents;
    }
    let (mut at, mut values) = (0, 0);
    loop {
        match parse_json_at(text, at) {
            Ok(None) => break,
            Ok(Some((tree, end))) => {
                let document = Document {
                    span: tree.root().span(),
                    tree,
                    duplicates: Vec::new(),
                };
                documents.error = documents.add(document, &mut values).err();
                if documents.error.is_some() {
                    break;
                }
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
    let mut values = 0;
    loop {
        match stream.next_document() {
            Ok(None) => break,
            Ok(Some(yaml)) => {
                let root = yaml.tree.root();
                if matches!(root.content(), crate::Content::Null) {
                    continue;
                }
                let document = Document {
                    span: root.span(),
                    duplicates: yaml.duplicates,
                    tree: yaml.tree,
                };
                documents.error = documents.add(document, &mut values).err();
                if documents.error.is_some() {
                    break;
                }
            }
            Err(error) => {
                documents.error = Some(error);
                break;
            }
        }
    }
    documents
}
