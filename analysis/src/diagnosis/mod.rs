//! Diagnosis: why requests wait or are rejected, from everything that can be read of a cluster.
//!
//! [`Evidence`] holds the objects, and for each API server its metrics and debug dumps; a [`LogTally`] sums up audit logs.
//! [`diagnose`] returns a [`Diagnosis`]: one [`Verdict`], and [`Finding`]s that name the metric, object, dump or log they
//! follow from and an action. Missing evidence is listed, because a diagnosis without it proves little.
//!
//! ```
//! use k8s_flowcontrol_types::Release;
//! use k8s_flowcontrol_analysis::diagnosis::{diagnose, Evidence, Scope, ServerEvidence, Verdict};
//! use k8s_flowcontrol_analysis::metrics::FlowMetrics;
//!
//! let mut server = ServerEvidence::new("10.0.0.1:6443");
//! server.metrics = Some(FlowMetrics::parse(r#"
//! apiserver_flowcontrol_current_inqueue_requests{flow_schema="catch-all",priority_level="catch-all"} 0
//! apiserver_flowcontrol_rejected_requests_total{flow_schema="catch-all",priority_level="catch-all",reason="concurrency-limit"} 9
//! "#));
//! let mut evidence = Evidence::new(Release::NEWEST, Vec::new(), Vec::new());
//! evidence.servers.push(server);
//!
//! let diagnosis = diagnose(&evidence, &Scope::default());
//! assert_eq!(diagnosis.verdict, Verdict::Rejecting);
//! let rejections = diagnosis.findings.iter().find(|finding| finding.check == "rejections").unwrap();
//! assert_eq!(rejections.priority_level.as_deref(), Some("catch-all"));
//! assert_eq!(rejections.evidence[0].to_string(),
//!     "10.0.0.1:6443: apiserver_flowcontrol_rejected_requests_total{flow_schema=\"catch-all\",priority_level=\"catch-all\",\
//!      reason=\"concurrency-limit\"} is 9 since the server started");
//! ```

mod change;
mod checks;
mod context;
mod evidence;
mod finding;
mod flows;
mod load;
mod log_tally;
mod moment;
mod observation;
mod unknown_levels;
mod verdict;

pub use change::{Change, server_seats};
pub use checks::{Check, checks};
pub use evidence::{Evidence, NotEarlier, PrivateName, Scope, ServerEvidence};
pub use finding::{Finding, Gap, Severity};
pub use log_tally::LogTally;
pub use observation::{Observation, Period};
pub use verdict::{Diagnosis, Verdict};

use context::Context;
use k8s_flowcontrol_rules::objects::levels_in_use;
use k8s_flowcontrol_types::order;

/// Finds the causes of waiting and rejected requests.
///
/// ```
/// use k8s_flowcontrol_analysis::diagnosis::{Evidence, Scope, Verdict, diagnose};
/// use k8s_flowcontrol_types::Release;
///
/// // Objects alone prove little: the diagnosis lists the evidence that is missing.
/// let diagnosis = diagnose(&Evidence::new(Release::NEWEST, Vec::new(), Vec::new()), &Scope::default());
/// assert_eq!(diagnosis.verdict, Verdict::Unknown);
/// assert!(!diagnosis.gaps.is_empty());
/// ```
pub fn diagnose(evidence: &Evidence, scope: &Scope<'_>) -> Diagnosis {
    let levels = levels_in_use(&evidence.priority_levels, evidence.release);
    let context = Context::new(evidence, scope, &levels);
    let mut findings = Vec::new();
    for check in checks() {
        findings.extend(check.findings(&context));
    }
    // A stable sort keeps the order of the checks and servers.
    order::sort_by(&mut findings, |left: &Finding, right: &Finding| {
        left.severity.cmp(&right.severity)
    });
    let verdict = verdict::of(&context, &findings);
    Diagnosis {
        verdict,
        summary: verdict::summary(verdict, &context, &findings),
        findings,
        gaps: context.gaps(),
    }
}
