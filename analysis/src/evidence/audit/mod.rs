//! Audit logs: the requests that a server handled, from the events that it wrote about them.
//!
//! A server writes up to three events about a request: when it arrives, when a long response begins, and when it is complete.
//! [`AuditLog`] joins them by the audit id, and reports each request once, with its last event. It reads events of `audit.k8s.io/v1` and
//! `v1beta1` in every [`Format`] in which servers, clouds and log shippers deliver them, compressed with gzip or zstd or not. The
//! memory it needs does not grow with the log: it keeps one entry, and requests that are not complete, up to a limit.
//!
//! ```
//! use k8s_flowcontrol_analysis::audit::AuditLog;
//! use k8s_flowcontrol_rules::matching::Classifier;
//! use k8s_flowcontrol_types::Release;
//!
//! let text = r#"
//! {"kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "7", "stage": "ResponseComplete", "requestURI": "/api/v1/nodes", "verb": "list", "user": {"username": "alice"}, "objectRef": {"resource": "nodes"}}
//! "#;
//! let classifier = Classifier::new(&[], &[], Release::NEWEST);
//! let mut log = AuditLog::new();
//! log.read(text.as_bytes(), |request| {
//!     let attributes = request.attributes();
//!     let taken = classifier.classify(&attributes);
//!     assert_eq!(taken.map(|taken| taken.flow_schema), Some("catch-all"));
//!     Ok::<(), std::io::Error>(())
//! })?;
//! assert_eq!(log.counts().requests, 1);
//! # Ok::<(), std::io::Error>(())
//! ```

mod decompressed;
mod document;
mod envelope;
mod event;
mod fields;
mod join;
mod lines;
mod log;
mod minutes;
mod parse;
mod source;
mod zstd;

pub use decompressed::decompressed;
pub use envelope::Format;
pub use event::{Event, Level, ObjectReference, Stage, UserInfo};
pub use log::{AuditLog, BatchError, Counts, read_batch};
