//! Parses JSON and YAML text into trees with positions, writes YAML, and reads and writes quantities, as Kubernetes does.
//!
//! [`parse_json`] and [`parse_yaml`] return a [`Tree`]: fields in order, every value with its position in the text. The
//! tree of a JSON text keeps duplicate fields, [`parse_yaml`] lists duplicate keys. The rules and the error messages
//! follow Go's `encoding/json` and go-yaml, because the Kubernetes API server and kubectl use them. Rust libraries
//! follow other rules. [`to_yaml`] writes a value in the layout of go-yaml.
//!
//! The feature `to-yaml`, which is on by default, is the YAML writer; it includes `trees`, the trees. Without both the crate has only [`quantity`], and no dependencies.
//!
//! All input of trees is bounded: a text has at most [`MAX_LENGTH`] bytes and [`MAX_VALUES`] values, a document nests at most [`MAX_DEPTH`] levels and is
//! parsed without recursion, and YAML aliases expand no further than the Kubernetes YAML parser allows.
//!
//! ```
//! # #[cfg(feature = "trees")]
//! # fn main() -> Result<(), k8s_flowcontrol_text::SyntaxError> {
//! use k8s_flowcontrol_text::{parse_json, parse_yaml, Position};
//!
//! let yaml = parse_yaml(b"spec:\n  matchingPrecedence: 500\n  rules: []\n")?;
//! assert_eq!(yaml.duplicates, []);
//!
//! let error = parse_json(br#"{"spec": }"#).unwrap_err();
//! assert_eq!(error.message(), "invalid character '}' looking for beginning of value");
//! assert_eq!(Position::of(br#"{"spec": }"#, error.offset()).to_string(), "1:10");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "trees"))]
//! # fn main() {}
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "trees")]
mod documents;
#[cfg(feature = "trees")]
mod error;
#[cfg(feature = "trees")]
pub mod go;
#[cfg(feature = "trees")]
mod json;
pub mod quantity;
#[cfg(feature = "trees")]
mod raw_value;
#[cfg(feature = "to-yaml")]
mod to_yaml;
#[cfg(feature = "trees")]
mod tree;
#[cfg(feature = "trees")]
mod yaml;

#[cfg(feature = "trees")]
pub use documents::{Document, Documents, parse_json_values, parse_yaml_documents};
#[cfg(feature = "trees")]
pub use error::{MAX_LENGTH, MAX_VALUES, SyntaxError};
#[cfg(feature = "trees")]
pub use json::{MAX_DEPTH, parse_json};
#[cfg(feature = "trees")]
pub use raw_value::{TooLarge, scalar, to_value};
#[cfg(feature = "to-yaml")]
pub use to_yaml::to_yaml;
#[cfg(feature = "trees")]
pub use tree::{Content, Elements, Field, Fields, Node, Position, Span, Tree};
#[cfg(feature = "trees")]
pub use yaml::{DuplicateKey, Yaml, parse_yaml, yaml_to_json};

#[cfg(all(doctest, feature = "trees"))]
#[doc = include_str!("../README.md")]
struct Readme;
