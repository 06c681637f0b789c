//! Metrics that Kubernetes 1.37 removed, in rules, dashboards and queries.

use super::findings::{Finding, Rule, Severity};
use k8s_flowcontrol_text::Span;

/// The handling of metrics that Kubernetes 1.37 removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metrics {
    /// They are not looked for.
    #[default]
    Ignore,
    /// Each is a finding.
    List,
    /// Each is renamed to its successor, which has the same labels and values. Other names that contain one are findings.
    Rename,
}

/// The removed metrics with their successors.
const REMOVED: [(&str, &str); 2] = [
    (
        "apiserver_flowcontrol_request_concurrency_limit",
        "apiserver_flowcontrol_nominal_limit_seats",
    ),
    (
        "apiserver_flowcontrol_request_concurrency_in_use",
        "apiserver_flowcontrol_current_executing_seats",
    ),
];

/// A removed metric in a text.
pub(super) struct Removed {
    pub(super) span: Span,
    pub(super) old: &'static str,
    pub(super) new: &'static str,
    /// Whether it is the whole name, and not a part of another one such as the name of a recording rule.
    pub(super) is_whole: bool,
}

/// Whether a text may contain a removed metric. This is much faster than finding them.
pub fn may_have_removed_metrics(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"apiserver_flowcontrol_request_concurrency_").is_some()
}

/// The removed metrics in a text, in order.
pub(super) fn removed(text: &str) -> Vec<Removed> {
    let is_name =
        |character: char| character.is_ascii_alphanumeric() || character == '_' || character == ':';
    let mut found = Vec::new();
    for (old, new) in REMOVED {
        for (at, _) in text.match_indices(old) {
            let end = at + old.len();
            let before = text[..at].trim_end_matches(is_name).len();
            let rest = &text[end..];
            // A colon after a name ends a key of YAML; within a name, more of the name follows.
            let after = rest.trim_start_matches(is_name);
            let tail = &rest[..rest.len() - after.len()];
            found.push(Removed {
                span: Span::new(at, end),
                old,
                new,
                is_whole: before == at && matches!(tail, "" | ":"),
            });
        }
    }
    found.sort_by_key(|metric| metric.span.start);
    found
}

impl Removed {
    /// A finding about a metric that stays.
    pub(super) fn finding(&self) -> Finding {
        let Self { old, new, .. } = self;
        let message = match self.is_whole {
            true => format!("Kubernetes 1.37 removed the metric {old}"),
            false => format!("a name contains {old}, a metric that Kubernetes 1.37 removed"),
        };
        Finding::new(Severity::Manual, Rule::Metric, self.span.start, message).help(format!(
            "use {new}, which has the same labels and values; `kubectl flowcontrol migrate --metrics` renames it"
        ))
    }
}

/// A finding for each removed metric in a text that is no manifest.
pub fn removed_metrics(text: &str) -> Vec<Finding> {
    removed(text).iter().map(Removed::finding).collect()
}
