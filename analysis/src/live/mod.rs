//! Requests as they are logged: rolling windows, top callers, alerts, metrics, and a state that survives a restart.
//!
//! This module decides and counts; it does not read files, connections or clocks. [`Counter`] turns the last event of a request into a
//! [`Request`] with redacted names. [`Live`] sums requests over a rolling window and over all time, checks [`Threshold`]s, and writes
//! metrics. [`Tail`] decides which parts of rotated log files to read next, and [`journal`] keeps the requests that came since the state was
//! written. A request is counted once if at most 131,072 others lie between its events.
//!
//! ```
//! use k8s_flowcontrol_analysis::audit::read_batch;
//! use k8s_flowcontrol_analysis::callers::By;
//! use k8s_flowcontrol_analysis::live::{Counter, Live};
//! use k8s_flowcontrol_analysis::redact::Redactor;
//! use k8s_flowcontrol_analysis::traffic::Accounting;
//! use k8s_flowcontrol_types::Release;
//! use std::time::Duration;
//!
//! let batch = r#"{"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": [{"level": "Metadata", "auditID": "7",
//!     "stage": "ResponseComplete", "verb": "list", "requestURI": "/api/v1/pods", "user": {"username": "alice"},
//!     "objectRef": {"resource": "pods"}, "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z",
//!     "stageTimestamp": "2026-01-01T00:00:02.000000Z"}]}"#;
//! let accounting = Accounting::new(&[], &[], 600, Release::NEWEST);
//! let mut counter = Counter::new(accounting, By::Caller, Redactor::default());
//! let mut live = Live::new(Duration::from_secs(300), By::Caller);
//! let now = 1_767_225_603_000_000;
//! read_batch(batch, |event| {
//!     if let Some(request) = counter.count(event) {
//!         live.add(&request, now);
//!     }
//! })?;
//! let summary = live.summary(now);
//! assert_eq!(summary.callers[0].name, "alice");
//! assert_eq!(summary.sums.unlimited_lists, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alerts;
pub mod journal;
mod metrics;
mod recent;
mod request;
mod state;
mod summary;
mod tail;
mod threshold;
mod windows;

pub use alerts::Alert;
pub use request::{Counter, LiveSums, Request};
pub use state::{Live, StateError};
pub use summary::{NamedSums, Summary};
pub use tail::{Fingerprint, Found, HEAD, Part, Plan, Tail};
pub use threshold::{BadThreshold, Threshold};
