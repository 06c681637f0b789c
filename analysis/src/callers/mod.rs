//! The clients behind requests: their names, their habits, and the changes between two logs.
//!
//! An event has a user, perhaps an impersonator, a user agent and an address, and none of them alone names a client: clusters share
//! certificates, controllers share service accounts, and each node has its own user. [`Identity`] joins them to a name. [`Callers`] sums
//! requests by it, or by another property, and [`CallerReport::changes_since`] names the clients that are new or behave worse than in an earlier log.
//!
//! ```
//! use k8s_flowcontrol_analysis::audit::AuditLog;
//! use k8s_flowcontrol_analysis::callers::{By, Callers};
//! use k8s_flowcontrol_analysis::redact::Redactor;
//!
//! let log = r#"{"kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "7", "stage": "ResponseComplete", "verb": "list",
//!     "requestURI": "/api/v1/pods", "user": {"username": "system:serviceaccount:argocd:argocd-application-controller"},
//!     "userAgent": "argocd-application-controller/v2.12.0", "objectRef": {"resource": "pods"},
//!     "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z", "stageTimestamp": "2026-01-01T00:00:02.000000Z"}"#;
//! let mut callers = Callers::new(By::Caller, Redactor::default());
//! AuditLog::new().read(log.replace('\n', " ").as_bytes(), |event| {
//!     callers.add(event, 1);
//!     Ok::<(), std::io::Error>(())
//! })?;
//! let report = callers.report();
//! assert_eq!(report.groups[0].name, "argocd/argocd-application-controller");
//! assert_eq!(report.groups[0].calls.unlimited_lists, 1);
//! # Ok::<(), std::io::Error>(())
//! ```

mod calls;
mod changes;
mod identity;
mod retries;
mod tally;

pub use calls::Calls;
pub(crate) use calls::Habits;
pub use changes::{Change, ChangeKind};
pub use identity::Identity;
pub use tally::{By, CallerReport, Callers, GroupCalls};
