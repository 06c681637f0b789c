//! The flow schemas and priority levels of the requests in audit logs.
//!
//! An [`Accounting`] has the objects of a server, and turns the last event of each request into a [`Sample`]. [`Traffic`] sums the
//! samples of any number of logs; its [`Report`] has the requests, seats and seat-seconds of every priority level, flow schema and
//! flow, and with [`Accounting::compare`] the effect of a proposed configuration.
//!
//! Totals of several runs add up: [`Traffic::partial`] keeps the requests whose end another log may have, [`Traffic::to_json`] writes
//! the totals, and [`Traffic::merge`] adds them.
//!
//! ```
//! use k8s_flowcontrol_analysis::audit::AuditLog;
//! use k8s_flowcontrol_analysis::traffic::{Accounting, Traffic};
//! use k8s_flowcontrol_types::Release;
//!
//! let log = r#"{"kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "7", "stage": "ResponseComplete", "verb": "list",
//!     "requestURI": "/api/v1/nodes", "user": {"username": "alice"}, "objectRef": {"resource": "nodes"},
//!     "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z", "stageTimestamp": "2026-01-01T00:00:02.000000Z"}"#;
//! let log = log.replace('\n', " ");
//!
//! let accounting = Accounting::new(&[], &[], 600, Release::NEWEST);
//! let mut traffic = Traffic::new(&accounting);
//! let mut audit = AuditLog::new();
//! traffic.begin_log();
//! audit.read(log.as_bytes(), |event| {
//!     traffic.add(event, accounting.sample(event));
//!     Ok::<(), std::io::Error>(())
//! })?;
//! let counts = audit.finish(|event| {
//!     traffic.add_open(event, accounting.sample(event));
//!     Ok::<(), std::io::Error>(())
//! })?;
//! traffic.add_counts(&counts);
//!
//! let report = traffic.report();
//! assert_eq!(report.priority_levels[0].name, "catch-all");
//! assert_eq!(report.priority_levels[0].sums.seat_seconds, 2.0);
//! # Ok::<(), std::io::Error>(())
//! ```

mod accounting;
mod comparison;
mod coverage;
mod leases;
mod partial;
mod repeated;
mod report;
mod sample;
mod seats_in_use;
mod signs;
mod sums;
mod tally;
mod totals;
mod waiting;
mod work;
mod writes;

pub use accounting::Accounting;
pub use comparison::{Comparison, LevelChange, Move};
pub use coverage::{Coverage, CoverageTally};
pub use partial::PartialError;
pub use report::{Caller, FlowTraffic, LevelTraffic, Minute, Report, SchemaTraffic};
pub use sample::{Cell, Class, Deprecated, Load, Sample};
pub use sums::{Named, Sums};
pub use totals::{DifferentFlowSchemas, Traffic};
pub use work::WaitSource;
