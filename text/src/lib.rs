//! JSON and YAML text to trees with positions, as the Kubernetes readers take it.
//!
//! [`parse_json`] and [`parse_yaml`] make a [`Tree`]: ordered fields, duplicates kept or named, every value with its
//! place in the text. The rules and the messages are those of Go's `encoding/json` and of go-yaml, because a
//! Kubernetes API server, kubectl and kubeconfig files follow them; no library in Rust does.
//!
//! Everything is bounded: a text has at most [`MAX_LENGTH`] bytes; a document may be as deep as a server allows
//! ([`MAX_DEPTH`]) and costs no stack; YAML aliases may not expand beyond what the Kubernetes YAML reader allows.
//!
//! ```
//! use k8s_flowcontrol_text::{parse_json, parse_yaml, Position};
//!
//! let yaml = parse_yaml(b"spec:\n  matchingPrecedence: 500\n  rules: []\n")?;
//! assert_eq!(yaml.duplicates, []);
//!
//! let error = parse_json(br#"{"spec": }"#).unwrap_err();
//! assert_eq!(error.message(), "invalid character '}' looking for beginning of value");
//! assert_eq!(Position::of(br#"{"spec": }"#, error.offset()).to_string(), "1:10");
//! # Ok::<(), k8s_flowcontrol_text::SyntaxError>(())
//! ```

mod documents;
mod error;
pub mod go;
mod json;
mod raw_value;
mod tree;
mod yaml;

pub use documents::{
    Document, Documents, parse_json_lines, parse_json_values, parse_yaml_documents,
};
pub use error::SyntaxError;
pub use json::{MAX_DEPTH, parse_json};
pub use raw_value::{scalar, to_value};
pub use tree::{Content, Elements, Field, Fields, Node, Position, Span, Tree};
pub use yaml::{DuplicateKey, Yaml, parse_yaml, yaml_to_json};

/// How long a text may be, in bytes: 64 MiB. (A server takes 3 MiB in a request.)
pub const MAX_LENGTH: usize = 64 << 20;

/// Fails for a text that is too long to be read.
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
