//! Decoding of JSON and YAML text into objects, as a Kubernetes API server does it.
//!
//! [`decode`] turns a tree with positions into the object that a server would hold, with the fields that strict field
//! validation rejects. [`read_body`] does all that a server does with a request body; its errors have the server's
//! words and the place in the text.
//!
//! ```
//! use k8s_flowcontrol_rules::decode::{self, Format};
//! use k8s_flowcontrol_types::kind::VersionedKind;
//! use k8s_flowcontrol_types::{ApiVersion, FieldValidation, Kind, Release};
//!
//! let expected = VersionedKind::new(Kind::FlowSchema, ApiVersion::V1, Release::NEWEST);
//! let body = br#"{"metadata": {"name": "a"}, "spec": {"matchingPrecedence": "500"}}"#;
//! let error = decode::read_body(body, Format::Json, expected, FieldValidation::Strict).unwrap_err();
//! assert_eq!(
//!     error.message,
//!     "FlowSchema in version \"v1\" cannot be handled as a FlowSchema: json: cannot unmarshal string \
//!      into Go struct field FlowSchemaSpec.spec.matchingPrecedence of type int32",
//! );
//! assert_eq!(error.position.unwrap().to_string(), "1:60");
//! ```

mod body;
mod civil;
mod decoder;
mod go_time;
mod go_types;
mod media_type;
mod scheme;
mod slot;
mod type_meta;
mod typed;

pub use body::{BodyError, Format, Object, read_body};
pub use decoder::{DecodeAs, Decoded, Problem, TypeError, decode};
pub use k8s_flowcontrol_types::FieldValidation;
pub use typed::tree_of;
