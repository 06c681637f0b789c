//! The remaining mentions of old versions and fields: every place is listed, none is skipped.

use super::reference::Owner;
use crate::cut::leading;
use crate::documents::{Parsed, Scalars, path, touching};
use crate::migrate::findings::{About, Finding, Rule, Severity};
use crate::migrate::read::{Mention, Mentioned, SHARES, Text};
use k8s_flowcontrol_text::Node;
use k8s_flowcontrol_types::{ApiVersion, GROUP};
use std::collections::HashSet;

pub(in crate::migrate) const LAST_APPLIED: &str =
    "kubectl.kubernetes.io/last-applied-configuration";

pub(in crate::migrate) fn classify(
    source: &Text<'_>,
    parsed: &Parsed,
    mentions: &[Mention],
    to: ApiVersion,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut listed: HashSet<(Rule, usize)> = HashSet::new();
    let mut scalars: Option<(usize, Scalars<'_>)> = None;
    for mention in mentions {
        let offset = mention.span.start;
        let index = parsed
            .documents
            .partition_point(|document| document.span.start <= offset);
        let finding = if let Some(action) = touching(&parsed.actions, mention.span).next() {
            Some((in_action(source, mention), action.span.start))
        } else if let Some(index) = index.checked_sub(1) {
            let known = scalars.take().filter(|(known, _)| *known == index);
            let (_, scalars) = scalars.insert(
                known.unwrap_or_else(|| (index, Scalars::of(parsed.documents[index].tree.root()))),
            );
            in_document(mention, scalars, (source, parsed, index), to)
        } else {
            None
        };
        let (finding, place) = finding.unwrap_or_else(|| {
            if is_comment(source, offset) {
                (in_comment(mention), offset)
            } else {
                (hidden(mention), offset)
            }
        });
        let finding = match finding.about {
            About::Other => finding.about(mention.about()),
            _ => finding,
        };
        // One finding for each string and each managedFields list.
        if listed.insert((finding.rule, place)) {
            findings.push(finding);
        }
    }
    findings
}

fn in_action(source: &Text<'_>, mention: &Mention) -> Finding {
    let what = mention.describe();
    let offset = mention.span.start;
    if matches!(mention.what, Mentioned::Field(_)) && is_own_value(source, offset) {
        let message = format!("a value of the chart has the name {what}");
        let finding = Finding::new(Severity::Note, Rule::Template, offset, message);
        return match value_path(source.text, offset) {
            Some(path) => finding.about(About::OwnValue(path)),
            None => finding,
        };
    }
    let (rule, message, help) = match mention.what {
        Mentioned::Version(_) => (
            Rule::CapabilityCheck,
            format!("a template refers to {what}"),
            "remove the old branch by hand if no cluster needs it",
        ),
        Mentioned::Field(_) | Mentioned::Annotation => (
            Rule::Template,
            format!("a template refers to {what}"),
            "change the template by hand",
        ),
    };
    Finding::new(Severity::Manual, rule, offset, message).help(help)
}

/// Whether the name at a place is that of a value, which a template writes to the field of the shares that the version has:
/// `nominalConcurrencyShares: {{ .Values.assuredConcurrencyShares }}`.
fn is_own_value(source: &Text<'_>, offset: usize) -> bool {
    let line = source.indented(offset);
    let is_path = line.ends_with('.');
    let key = line.split(':').next().unwrap_or_default();
    is_path && SHARES.contains(&key.trim_matches(['"', '\'']))
}

/// The path of the value whose last part is at a place, without `.Values.`.
fn value_path(text: &str, at: usize) -> Option<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    let start = text[..at].trim_end_matches(is_part).len();
    let path = leading(&text[start..], is_part).trim_start_matches('.');
    path.strip_prefix("Values.").map(str::to_owned)
}

/// Whether a place outside of keys and values is in a comment.
fn is_comment(source: &Text<'_>, offset: usize) -> bool {
    let line = &source.text[source.line_start(offset)..offset];
    line.match_indices('#')
        .any(|(at, _)| !line[..at].ends_with(|character: char| !character.is_whitespace()))
}

/// A mention in a value without effect.
fn hidden(mention: &Mention) -> Finding {
    let message = format!(
        "{} is in a value that a later duplicate or a merge overrides",
        mention.describe()
    );
    Finding::new(Severity::Manual, Rule::Mention, mention.span.start, message)
        .help("remove the value without effect")
}

fn in_comment(mention: &Mention) -> Finding {
    let message = format!("a comment mentions {}", mention.describe());
    Finding::new(Severity::Note, Rule::Comment, mention.span.start, message)
}

/// A mention in a document, and the place that is listed only once; none if it is in a comment.
fn in_document(
    mention: &Mention,
    scalars: &Scalars<'_>,
    (source, parsed, index): (&Text<'_>, &Parsed, usize),
    to: ApiVersion,
) -> Option<(Finding, usize)> {
    let offset = mention.span.start;
    let (scalar, steps) = scalars.at(offset)?;
    let what = mention.describe();
    let here = path(&steps);
    let history = steps.iter().position(|step| step == "managedFields");
    if let Some(history) = history {
        let message = format!("managedFields refer to {what}");
        let finding = Finding::new(Severity::Note, Rule::ManagedFields, offset, message)
            .path(path(&steps[..=history]))
            .help("remove managedFields from files: servers generate them");
        return Some((finding, index));
    }
    let is_long = !scalar.is_key
        && scalar
            .text
            .is_some_and(|text| text.contains('\n') || text.trim_start().starts_with(['{', '[']));
    let root = parsed.documents[index].tree.root();
    let owner = Owner::of(root);
    let finding = if !scalar.is_key && steps.last().is_some_and(|step| step == LAST_APPLIED) {
        let message = format!("the last-applied annotation refers to {what}");
        Finding::new(Severity::Manual, Rule::LastApplied, offset, message)
            .help("remove the annotation from the file: client-side apply writes it again")
    } else if is_long {
        let kind = root.get("kind").and_then(Node::as_str);
        let this = kind.map_or("this document".to_owned(), |kind| format!("this {kind}"));
        let message = format!("a string in {this} refers to {what}");
        let help = match owner {
            Owner::Other => "migrate the text in a separate file, and copy it back".to_owned(),
            owner => owner.help(to),
        };
        Finding::new(Severity::Manual, Rule::Embedded, offset, message).help(help)
    } else {
        let message = match mention.what {
            Mentioned::Field(name) => {
                format!("{name} is not a field of {to}, and its purpose here is unknown")
            }
            _ => match owner {
                Owner::Policy | Owner::Webhook => {
                    format!("this policy names {what}, and may miss objects in {to}")
                }
                Owner::Server => format!("the configuration of a server names {what}"),
                Owner::Migration | Owner::Other => {
                    format!("{what} is mentioned for an unknown purpose")
                }
            },
        };
        Finding::new(Severity::Manual, Rule::Mention, offset, message).help(owner.help(to))
    };
    // A long string is listed once for each line.
    let place = match is_long {
        true => source.line_start(offset),
        false => scalar.span.start,
    };
    Some((finding.path(here), place))
}

impl Mention {
    /// A finding about a mention in a text that is not a manifest, with the reason why it stays.
    pub fn finding(&self, why: &str, severity: Severity, rule: Rule) -> Finding {
        let message = format!("{} is mentioned, and {why}", self.describe());
        Finding::new(severity, rule, self.span.start, message)
            .about(self.about())
            .help(format!(
                "look for objects of {GROUP} here, and change them by hand"
            ))
    }

    /// What later steps know about a finding of the mention.
    pub(in crate::migrate) fn about(&self) -> About {
        match self.what {
            Mentioned::Version(_) => About::Version,
            Mentioned::Field(_) | Mentioned::Annotation => About::Other,
        }
    }
}
