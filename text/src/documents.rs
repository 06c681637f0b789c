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
    /// Reads documents up to the end or an error; more values than allowed in all of them together are one.
    fn read(mut next: impl FnMut() -> Result<Option<Document>, SyntaxError>) -> Self {
        let (mut all, mut values) = (Self::default(), 0);
        let mut add_next = || {
            let Some(document) = next()? else {
                return Ok(false);
            };
            values += document.tree.entries().len();
            crate::error::check_values(values, document.span.start)?;
            all.documents.push(document);
            Ok(true)
        };
        let error = loop {
            match add_next() {
                Ok(true) => {}
                Ok(false) => break None,
                Err(error) => break Some(error),
            }
        };
        Self { error, ..all }
    }
}

/// Reads JSON values in sequence, with or without line breaks between them, as kubectl reads a JSON file.
pub fn parse_json_values(text: &[u8]) -> Documents {
    let mut at = 0;
    Documents::read(|| {
        crate::error::check_length(text)?;
        let Some((tree, end)) = parse_json_at(text, at)? else {
            return Ok(None);
        };
        at = end;
        Ok(Some(Document {
            span: tree.root().span(),
            tree,
            duplicates: Vec::new(),
        }))
    })
}

/// Reads a YAML stream: documents between `---` lines. Empty documents are skipped.
pub fn parse_yaml_documents(text: &[u8]) -> Documents {
    let mut stream = crate::yaml::Stream::new(text);
    Documents::read(|| {
        while let Some(yaml) = stream.next_document()? {
            let root = yaml.tree.root();
            if !matches!(root.content(), crate::Content::Null) {
                return Ok(Some(Document {
                    span: root.span(),
                    duplicates: yaml.duplicates,
                    tree: yaml.tree,
                }));
            }
        }
        Ok(None)
    })
}
