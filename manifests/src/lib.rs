//! Manifests of the Kubernetes API group `flowcontrol.apiserver.k8s.io`: their objects with positions, and their migration.
//!
//! [`read`] finds the flow-control objects of a text: in YAML streams, JSON, JSON lines, and in lists, which are
//! flattened. Each [`Document`] has its place in the text, and the places of its fields.
//!
//! [`migrate`] changes a text to another API version. It edits only the text that must change, so comments, order, quotes
//! and anchors stay. It understands Helm templates, kustomize patches and Argo CD applications. The changed text is read
//! again: a document that would not read as converted stays unchanged and is reported.
//!
//! ```
//! use k8s_flowcontrol_manifests::{Form, Lines, Settings, migrate, read};
//! use k8s_flowcontrol_types::ApiVersion;
//!
//! let text = "\
//! ## The level of the nightly jobs.
//! apiVersion: flowcontrol.apiserver.k8s.io/v1beta2
//! kind: PriorityLevelConfiguration
//! metadata: {name: batch}
//! spec:
//!   type: Limited
//!   limited:
//!     assuredConcurrencyShares: 20  # measured in May
//!     limitResponse: {type: Reject}
//! ";
//! let found = read(text.as_bytes());
//! let level = &found.documents[0];
//! assert_eq!(level.title(), "PriorityLevelConfiguration \"batch\"");
//! let shares = level.locate("spec.limited.assuredConcurrencyShares");
//! assert_eq!(Lines::of(text.as_bytes()).position(text.as_bytes(), shares.start).to_string(), "8:31");
//!
//! let migration = migrate(text, Form::Yaml, Settings::to(ApiVersion::V1));
//! assert!(migration.findings.is_empty());
//! let new = migration.text.unwrap();
//! assert!(new.contains("    nominalConcurrencyShares: 20  # measured in May\n"));
//! ```
//!
//! Nothing here does I/O, except the module `files` of the feature of this name: it finds, examines and writes the files of folders.
//! A text has at most [`MAX_LENGTH`](k8s_flowcontrol_text::MAX_LENGTH) bytes.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod cut;
#[cfg(feature = "files")]
mod dependencies;
mod documents;
#[cfg(feature = "files")]
pub mod files;
mod lines;
mod migrate;
mod source;
mod validator;

pub use documents::{
    DecodeError, Document, Documents, Form, Object, ReadOptions, Unreadable, read, read_with,
    strip_server_fields, version_of,
};
pub use lines::Lines;
pub use migrate::{
    Change, Edit, Finding, ForeignFieldPolicy, Mention, Mentioned, Metrics, MigratedObject,
    Migration, NamedTemplate, Remedy, Rule, Settings, Severity, foreign_shares,
    may_have_removed_metrics, may_mention, mentions, migrate, migrate_fences, named_template,
    removed_metrics, uses,
};
pub use source::Source;
pub use validator::Validator;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
