//! Metrics that Kubernetes 1.37 removed, in rules, dashboards and queries.

use super::findings::{Finding, Rule, Severity};
use super::remedy::Remedy;
use k8s_flowcontrol_text::Span;

/// The handling of metrics that Kubernetes 1.37 removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metrics {
    /// They are not looked for.
    #[default]
    Ignore,
    /// Each is a note.
    Note,
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

/// The beginning that the names of the removed metrics have, and no other metric of flow control has.
const STEM: &str = "request_concurrency";

const PREFIX: &str = "apiserver_flowcontrol_";

pub(super) struct Removed {
    pub(super) span: Span,
    pub(super) old: &'static str,
    pub(super) new: &'static str,
    pub(super) form: NameForm,
}

/// The way in which a text contains a removed metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameForm {
    /// As a whole name.
    Whole,
    /// As a part of another name, such as that of a recording rule.
    Part,
    /// As a part of a regular expression.
    Pattern,
}

/// Whether a text may contain a removed metric. This is much faster than finding them.
pub fn may_have_removed_metrics(text: &[u8]) -> bool {
    memchr::memmem::find(text, STEM.as_bytes()).is_some()
}

/// The removed metrics in a text, in order.
pub(super) fn removed(text: &str) -> Vec<Removed> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(STEM) {
        let start = text[..at].trim_end_matches(is_name).len();
        let rest = &text[at..];
        // A colon after a name ends a key of YAML; within a name, more of the name follows.
        let end = at + (rest.len() - rest.trim_start_matches(is_name).len());
        let word = &text[start..end];
        let full = REMOVED
            .iter()
            .find_map(|(old, new)| Some((start + word.find(old)?, *old, *new)));
        if let Some((at, old, new)) = full {
            let is_whole = word == old || word.strip_suffix(':') == Some(old);
            found.push(Removed {
                span: Span::new(at, at + old.len()),
                old,
                new,
                form: match is_whole {
                    true => NameForm::Whole,
                    false => NameForm::Part,
                },
            });
        } else if let Some((old, new)) = matched(text, Span::new(start, end)) {
            found.push(Removed {
                span: Span::new(start, end),
                old,
                new,
                form: NameForm::Pattern,
            });
        }
    }
    found
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == ':'
}

/// The metric that a regular expression matches, of which a word is a part: `apiserver_flowcontrol_request_concurrency_.*`, or
/// the word in `apiserver_flowcontrol_(request_concurrency_limit|rejected_requests_total)`.
fn matched(text: &str, word: Span) -> Option<(&'static str, &'static str)> {
    let (before, after) = (&text[..word.start], &text[word.end..]);
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let name = text.get(word.range())?;
    let is_open = after.starts_with(['.', '(', '[', '*', '+', '?', '\\', '|']);
    let is_factored = before.ends_with(['(', '|', '?', ':']) && line.contains(PREFIX);
    let starts = |old: &str| match name.starts_with(PREFIX) {
        true => is_open && old.starts_with(name),
        false => {
            is_factored
                && old
                    .strip_prefix(PREFIX)
                    .is_some_and(|rest| rest == name || is_open && rest.starts_with(name))
        }
    };
    REMOVED.into_iter().find(|(old, _)| starts(old))
}

impl Removed {
    /// A finding about a metric that stays. `renames` is whether a migration of the text can rename metrics.
    pub(super) fn finding(&self, renames: bool, metrics: Metrics) -> Finding {
        let Self { old, new, .. } = self;
        let message = match self.form {
            NameForm::Whole => format!("Kubernetes 1.37 removed the metric {old}"),
            NameForm::Part => {
                format!("a name contains {old}, a metric that Kubernetes 1.37 removed")
            }
            NameForm::Pattern => {
                format!("a regular expression matches {old}, a metric that Kubernetes 1.37 removed")
            }
        };
        let change = format!("use {new}, which has the same labels and values");
        let help = match renames && self.form == NameForm::Whole {
            true => Remedy::RenameMetric(change),
            false => Remedy::Change(change),
        };
        let severity = match metrics {
            Metrics::Note => Severity::Note,
            _ => Severity::Manual,
        };
        Finding::new(severity, Rule::Metric, self.span.start, message).help(help)
    }
}

/// A finding for each removed metric in a text that is not a manifest; a note with [`Metrics::Note`].
pub fn removed_metrics(text: &str, metrics: Metrics) -> Vec<Finding> {
    let removed = removed(text).into_iter();
    removed
        .map(|metric| metric.finding(false, metrics))
        .collect()
}
