//! Lint: problems in objects that a server accepts.
//!
//! [`Configuration`] is the input, [`lint`] returns [`Finding`]s, and [`rules`] lists all rules. Lint expects valid
//! objects and does not repeat validation: a caller that reads files passes the [faults](Fault) that it found in them. For the built-in objects in their original state, lint does not report findings.
//!
//! ```
//! use k8s_flowcontrol_types::Release;
//! use k8s_flowcontrol_analysis::lint::{lint, Configuration, Severity};
//! use k8s_flowcontrol_types::api::v1::FlowSchema;
//!
//! let schema: FlowSchema = serde_json::from_str(r#"{
//!     "metadata": {"name": "monitoring"},
//!     "spec": {"priorityLevelConfiguration": {"name": "global-default"}, "matchingPrecedence": 8000,
//!         "distinguisherMethod": {"type": "ByUser"},
//!         "rules": [{"subjects": [{"kind": "Group", "group": {"name": "monitoring"}}],
//!             "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/metrics", "/"]}]}]}}"#)?;
//!
//! // A manifest: the built-in objects are assumed to exist.
//! let findings = lint(&Configuration::files(&[schema], &[], Release::NEWEST));
//! assert_eq!(findings.len(), 1);
//! assert_eq!((findings[0].rule, findings[0].severity), ("root-url", Severity::Warning));
//! assert_eq!(findings[0].path, "spec.rules[0].nonResourceRules[0].nonResourceURLs[1]");
//! # Ok::<(), serde_json::Error>(())
//! ```

mod configuration;
mod context;
mod fault;
mod finding;
mod rule_index;
mod rules;

pub use configuration::Configuration;
pub use fault::{Fault, FaultKind};
pub use finding::{Finding, Severity};
pub use rules::{Rule, rules};

use context::Context;
use k8s_flowcontrol_types::order;

/// Returns the problems of a configuration, ordered by severity, object and path.
///
/// ```
/// use k8s_flowcontrol_analysis::lint::{Configuration, lint};
/// use k8s_flowcontrol_types::Release;
/// use k8s_flowcontrol_types::api::v1::FlowSchema;
///
/// let schema: FlowSchema = serde_json::from_str(
///     r#"{"metadata": {"name": "a"}, "spec": {"priorityLevelConfiguration": {"name": "missing"}}}"#)?;
/// for finding in lint(&Configuration::files(&[schema], &[], Release::NEWEST)) {
///     println!("{}: {}", finding.path, finding.message);
/// }
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn lint(configuration: &Configuration<'_>) -> Vec<Finding> {
    let context = Context::new(configuration);
    let mut findings = Vec::new();
    for rule in rules() {
        findings.extend(rule.findings(&context));
    }
    order::sort_by(&mut findings, |left, right| {
        left.sort_key().cmp(&right.sort_key())
    });
    findings
}
