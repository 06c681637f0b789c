//! JSON and YAML text to trees with spans, and to objects as a Kubernetes API server decodes them.
//!
//! [`parse_json`], and `parse_yaml` with the feature `yaml`, make a [`Tree`]: ordered members, duplicates kept
//! or named, every value with its place in the text. [`decode`] turns a tree into the object that a server would hold, with the members that strict
//! field validation refuses. [`read_body`] does all that a server does with a request's body, and answers
//! with the server's words and with the place of the error.
//!
//! Everything is bounded: a text has at most [`MAX_LENGTH`] bytes; a document may be as deep as a server allows
//! ([`MAX_DEPTH`]) and costs no stack; YAML aliases may not expand beyond what the Kubernetes YAML reader allows.
//!
//! ```
//! use k8s_flowcontrol::text::{self, Expected, FieldValidation, Format, Kind};
//! use k8s_flowcontrol::{ApiVersion, Release};
//!
//! let expected = Expected {
//!     kind: Kind::FlowSchema,
//!     version: ApiVersion::V1,
//!     release: Release::NEWEST,
//! };
//! let body = br#"{"metadata": {"name": "a"}, "spec": {"matchingPrecedence": "500"}}"#;
//! let error = text::read_body(body, Format::Json, expected, FieldValidation::Strict).unwrap_err();
//! assert_eq!(
//!     error.message,
//!     "FlowSchema in version \"v1\" cannot be handled as a FlowSchema: json: cannot unmarshal string \
//!      into Go struct field FlowSchemaSpec.spec.matchingPrecedence of type int32",
//! );
//! assert_eq!(error.position.unwrap().to_string(), "1:60");
//! ```

mod body;
mod decode;
mod documents;
mod field_validation;
pub(crate) mod go;
mod go_time;
mod go_types;
mod json;
mod kind;
mod media_type;
mod raw_value;
mod scheme;
mod slot;
mod tree;
mod type_meta;
#[cfg(feature = "yaml")]
mod yaml;

use std::fmt;

pub(crate) use body::resource;
pub use body::{BodyError, Expected, Format, Object, read_body};
pub use decode::{DecodeAs, Decoded, Problem, TypeError, decode};
#[cfg(feature = "yaml")]
pub use documents::parse_yaml_documents;
pub use documents::{Document, Documents, parse_json_lines, parse_json_values};
pub use field_validation::FieldValidation;
pub use json::{MAX_DEPTH, parse_json};
pub use kind::Kind;
pub use raw_value::to_value;
pub use tree::{Content, Elements, Member, Members, Node, Position, Span, Tree};
#[cfg(feature = "yaml")]
pub use yaml::{DuplicateKey, Yaml, parse_yaml, yaml_to_json};

/// How long a text may be, in bytes: 64 MiB. (A server takes 3 MiB in a request.)
pub const MAX_LENGTH: usize = 64 << 20;

/// Refuses a text that is too long to be read.
fn check_length(text: &[u8]) -> Result<(), SyntaxError> {
    if text.len() <= MAX_LENGTH {
        return Ok(());
    }
    let message = format!(
        "text is too long: {} bytes, the limit is {MAX_LENGTH}",
        text.len()
    );
    Err(SyntaxError::new(message, MAX_LENGTH))
}

/// Text that is no JSON or YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    message: String,
    offset: usize,
}

impl SyntaxError {
    pub(crate) fn new(message: String, offset: usize) -> Self {
        Self { message, offset }
    }

    /// The server's words, such as `invalid character '}' looking for beginning of value`.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The byte at which reading stopped.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}
