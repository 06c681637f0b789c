//! Documentation: its manifests, and one note for each cause.

use crate::{
    Finding, Metrics, Migration, Rule, Settings, Severity, mentions, migrate_fences,
    removed_metrics,
};
use std::collections::BTreeMap;
use std::path::Path;

/// The manifests of documentation. They change only if `has_docs` asks for it, and else each change is a note. One note stands for all
/// mentions of other versions.
pub(super) fn documentation(
    text: &str,
    path: &Path,
    has_docs: bool,
    settings: Settings,
) -> Migration {
    let mut outcome = migrate_fences(text, settings);
    if !(has_docs && has_blocks(path)) {
        let changes = outcome.objects.iter().flat_map(|object| &object.changes);
        let notes: Vec<_> = changes
            .map(|change| {
                let message = format!(
                    "an example in the documentation is outdated: {}",
                    change.what
                );
                Finding::new(Severity::Note, Rule::Mention, change.offset, message)
            })
            .collect();
        for finding in &mut outcome.findings {
            finding.severity = Severity::Note;
        }
        outcome.findings.extend(notes);
        outcome.findings.sort_by_key(|finding| finding.offset);
        outcome.objects.clear();
        outcome.edits.clear();
        outcome.text = None;
    }
    if outcome.text.is_none() && outcome.findings.is_empty() {
        outcome.findings = prose(text, settings);
    }
    one_for_each_cause(&mut outcome.findings);
    if settings.metrics != Metrics::Ignore {
        // One note for all removed metrics that the text names.
        let mut removed = removed_metrics(text, Metrics::Note);
        let others = removed.len().saturating_sub(1);
        removed.truncate(1);
        for note in removed.iter_mut().filter(|_| others > 0) {
            note.message.push_str(&in_others(others));
        }
        outcome.findings.extend(removed);
    }
    outcome
}

/// Leaves the first of the notes with the same cause, which stands for all: mentions, and uses with the same advice, such as the paths of a
/// list.
fn one_for_each_cause(findings: &mut Vec<Finding>) {
    let cause = |finding: &Finding| {
        let is_note = finding.severity == Severity::Note;
        match finding.rule {
            Rule::Mention if is_note => Some((Rule::Mention, None)),
            Rule::Program if is_note => Some((Rule::Program, finding.help.clone())),
            _ => None,
        }
    };
    let mut others: BTreeMap<_, usize> = BTreeMap::new();
    findings.retain(|finding| {
        let Some(cause) = cause(finding) else {
            return true;
        };
        match others.get_mut(&cause) {
            Some(count) => {
                *count += 1;
                false
            }
            None => {
                others.insert(cause, 0);
                true
            }
        }
    });
    for finding in findings {
        if let Some(count) = cause(finding).and_then(|cause| others.get(&cause).copied())
            && count > 0
        {
            finding.message.push_str(&in_others(count));
        }
    }
}

/// The end of a message that stands for other places.
fn in_others(count: usize) -> String {
    match count {
        1 => ", and so in one other place".to_owned(),
        count => format!(", and so in {count} other places"),
    }
}

/// One note for all mentions of other versions in documentation.
fn prose(text: &str, settings: Settings) -> Vec<Finding> {
    let found = mentions(text, settings.to);
    let note = found.first().map(|first| {
        let more = match found.len() - 1 {
            0 => String::new(),
            others => in_others(others),
        };
        let message = format!("documentation mentions {}{more}", first.describe());
        Finding::new(Severity::Note, Rule::Mention, first.span.start, message)
    });
    note.into_iter().collect()
}

/// Whether a file has blocks of source code with a mark.
fn has_blocks(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(
        extension,
        Some("md" | "markdown" | "mdx" | "adoc" | "asciidoc" | "rst" | "org")
    )
}
