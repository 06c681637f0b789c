//! Programs and other texts that are not manifests: uses of old versions are reported and never edited.

use super::client_names::client_names;
#[cfg(feature = "files")]
use super::dynamic::versions_of_names;
use super::dynamic::{Links, versions_in_context, versions_of_group};
use super::findings::{Finding, Rule, Severity};
use super::lesser_uses::{imported, is_searched, needs_nothing};
use super::read::{Kept, Mention, Mentioned, Text, mentions};
use super::remedy::Remedy;
use crate::cut::floor;
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::{ApiVersion, GROUP};
use std::collections::{BTreeSet, HashSet};

/// A form in which programs name a version. The version stands between the two words.
struct Pattern {
    before: &'static str,
    after: &'static str,
    spelling: Spelling,
    /// The thing that is used, for the message.
    what: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// `v1beta3`
    Lower,
    /// `V1beta3`
    Upper,
    /// `V1Beta3`
    Camel,
}

const PATTERNS: [Pattern; 17] = [
    Pattern::lower("/flowcontrol/", "", "a Go package"),
    Pattern::upper("Flowcontrol", "", "a Go client"),
    Pattern::upper("Flowcontrol().", "()", "a Go informer"),
    Pattern::upper("FlowcontrolApiserver", "Api", "a client class"),
    Pattern::upper("FlowcontrolApiserver", "", "a client function"),
    Pattern::lower("flowcontrol_apiserver_", "", "a client module"),
    Pattern::upper("", "FlowSchema", "a client class"),
    Pattern::upper("", "PriorityLevelConfiguration", "a client class"),
    Pattern::lower("flowcontrol::", "", "a Rust module"),
    Pattern::lower("model.flowcontrol.", "", "a Java package"),
    Pattern::lower("flowControl().", "()", "a Java client"),
    Pattern::lower("flowcontrol.", "", "a package"),
    Pattern::lower("flowcontrol_", "", "a Python module"),
    Pattern::camel("FlowControl.", "a .NET namespace"),
    Pattern::lower("_k8s_io_flow_schema_", "", "a Terraform resource"),
    Pattern::lower("_apiserver_k8s_io_", "_", "a Terraform resource"),
    Pattern::lower(
        "_k8s_io_priority_level_configuration_",
        "",
        "a Terraform resource",
    ),
];

/// The versions that newer servers do not have.
pub(super) const OLD_VERSIONS: [&str; 4] = ["v1alpha1", "v1beta1", "v1beta2", "v1beta3"];

/// The maximum number of bytes of a path before the group.
const MAX_PATH: usize = 200;

const VERSIONS: [&str; 5] = ["v1alpha1", "v1beta1", "v1beta2", "v1beta3", "v1"];

impl Pattern {
    const fn lower(before: &'static str, after: &'static str, what: &'static str) -> Self {
        Self {
            before,
            after,
            spelling: Spelling::Lower,
            what,
        }
    }

    const fn upper(before: &'static str, after: &'static str, what: &'static str) -> Self {
        Self {
            before,
            after,
            spelling: Spelling::Upper,
            what,
        }
    }

    const fn camel(before: &'static str, what: &'static str) -> Self {
        Self {
            before,
            after: "",
            spelling: Spelling::Camel,
            what,
        }
    }

    /// The places of the pattern: the whole name, and the version.
    fn find(&self, text: &str, out: &mut Vec<(Span, &'static str, &'static str)>) {
        // The longer word is rarer, so it is searched.
        let searches_after = self.before.is_empty();
        let word = if searches_after {
            self.after
        } else {
            self.before
        };
        for (at, _) in text.match_indices(word) {
            let found = VERSIONS.iter().find_map(|version| {
                let start = match searches_after {
                    true => at.checked_sub(version.len())?,
                    false => at + word.len(),
                };
                let written = text.get(start..start + version.len())?;
                let is_same = match self.spelling {
                    Spelling::Lower => written == *version,
                    Spelling::Upper => written.starts_with('V') && written[1..] == version[1..],
                    // `V1` is also the beginning of `V1Beta3`, which is tried before.
                    Spelling::Camel => {
                        written.starts_with('V') && written.eq_ignore_ascii_case(version)
                    }
                };
                let rest = text.get(start + version.len()..)?;
                let ends = !self.after.is_empty() && rest.starts_with(self.after)
                    || self.after.is_empty() && !rest.starts_with(is_lower_or_digit);
                let begin = if searches_after { start } else { at };
                (is_same && ends).then(|| {
                    let end = start + version.len() + self.after.len();
                    let is_path = |character: char| {
                        character.is_ascii_alphanumeric() || "./-_".contains(character)
                    };
                    let begin = match word.starts_with(['/', '_']) {
                        true => {
                            let first = floor(text, begin.saturating_sub(MAX_PATH));
                            first + text[first..begin].trim_end_matches(is_path).len()
                        }
                        false => begin,
                    };
                    (Span::new(begin, end), *version, self.what)
                })
            });
            out.extend(found);
        }
    }
}

fn is_lower_or_digit(character: char) -> bool {
    character.is_ascii_lowercase() || character.is_ascii_digit()
}

/// The uses of other versions than `to` in a program or another text that is not a manifest: client libraries and requests, and
/// every other mention of a version or field. Places with the comment `flowcontrol: keep` are skipped.
///
/// A program may put the group and the version together from several strings, formats and constants: the finding is at the
/// string with the version.
pub fn uses(text: &str, to: ApiVersion) -> Vec<Finding> {
    uses_with(text, to, &BTreeSet::new()).0
}

/// The uses of other versions, and the links to other texts. `groups` are names that hold the group in other texts.
pub(crate) fn uses_with(
    text: &str,
    to: ApiVersion,
    groups: &BTreeSet<String>,
) -> (Vec<Finding>, Links) {
    let source = Text::new(text);
    let versions: Vec<_> = other_versions(to).collect();
    let mut found = Vec::new();
    for pattern in &PATTERNS {
        pattern.find(source.text, &mut found);
    }
    found.retain(|(_, version, _)| *version != to.as_str());
    found.sort_by_key(|(span, ..)| (span.start, std::cmp::Reverse(span.end)));
    // Names that are known have better words.
    let others = client_names(source.text, &versions)
        .into_iter()
        .filter(|(_, at, _)| {
            let known = found.partition_point(|(span, ..)| span.start <= *at);
            let last = known.checked_sub(1).and_then(|last| found.get(last));
            last.is_none_or(|(span, ..)| span.end <= *at)
        })
        .collect::<Vec<_>>();
    let mut found: Vec<_> = found
        .into_iter()
        .map(|(span, version, what)| (span, version, what, span.start))
        .collect();
    found.extend(
        others
            .into_iter()
            .map(|(span, at, version)| (span, version, "a name of a client", at)),
    );
    let (dynamic, links) = versions_of_group(source.text, false, groups, &versions);
    let context = versions_in_context(source.text, &OLD_VERSIONS);
    let context = context
        .into_iter()
        .filter(|(_, version)| *version != to.as_str());
    // A version behind the group in one word is a mention, which has its own words.
    let behind = format!("{GROUP}/");
    let is_mention = |span: &Span| source.text[..span.start].ends_with(&behind);
    found.extend(
        dynamic
            .into_iter()
            .filter(|(span, _)| !is_mention(span))
            .chain(context)
            .map(|(span, version)| (span, version, "", span.start)),
    );
    // The names with the better words come first, as the sort is stable.
    found.sort_by_key(|(span, ..)| span.start);
    // One finding for each place: a longer name stands for the names in it.
    found.dedup_by(|(later, ..), (earlier, ..)| later.start < earlier.end);
    // The first mention of a line stands for it, as below.
    let mut lines = HashSet::new();
    let mentions = mentions(source.text, to);
    let mentions = mentions
        .iter()
        .filter(|mention| {
            let line = source.line(mention.span.start);
            !lines.contains(&line) && !is_parameter(&source, mention) && lines.insert(line)
        })
        .map(|mention| in_text(&source, mention));
    let mut findings: Vec<_> = found
        .into_iter()
        .map(|(span, version, what, at)| use_of(&source, (span, at), version, what, to))
        .chain(old_fields(source.text, to))
        .chain(mentions)
        .collect();
    let kept = Kept::of(&source);
    findings.retain(|finding| !kept.contains(finding.offset));
    findings.sort_by_key(|finding| finding.offset);
    // One finding for each line: its other names change with the first.
    let mut lines = HashSet::new();
    findings.retain(|finding| lines.insert(source.line(finding.offset)));
    let imported = imported(source.text);
    for finding in &mut findings {
        if needs_nothing(source.text, &imported, finding, to) {
            finding.severity = Severity::Note;
        }
        if is_searched(source.text, finding) {
            let message = format!("a command searches for an old version of {GROUP}");
            *finding = Finding::new(Severity::Note, Rule::Mention, finding.offset, message);
        }
        finding.offset += source.mark;
    }
    (findings, links)
}

/// The versions in the values of names that another text uses as versions of the group.
#[cfg(feature = "files")]
pub(crate) fn uses_of_names(text: &str, names: &BTreeSet<String>, to: ApiVersion) -> Vec<Finding> {
    let source = Text::new(text);
    let versions: Vec<_> = other_versions(to).collect();
    let found = versions_of_names(source.text, true, names, &versions);
    let kept = Kept::of(&source);
    let found = found
        .into_iter()
        .filter(|(span, _)| !kept.contains(span.start));
    let findings = found.map(|(span, version)| {
        let mut finding = use_of(&source, (span, span.start), version, "", to);
        finding.offset += source.mark;
        finding
    });
    findings.collect()
}

/// The versions that a text may name and should not.
pub(super) fn other_versions(to: ApiVersion) -> impl Iterator<Item = &'static str> {
    let mut versions = VERSIONS.into_iter();
    std::iter::from_fn(move || versions.find(|version| *version != to.as_str()))
}

/// A finding for a name at a span, whose version is at an offset.
fn use_of(
    source: &Text<'_>,
    (span, at): (Span, usize),
    version: &str,
    what: &str,
    to: ApiVersion,
) -> Finding {
    let name = source.text.get(span.range()).unwrap_or(version);
    let name = name.split_whitespace().collect::<String>();
    let message = match name == version {
        true => format!("a request or reference names {GROUP} in {version}"),
        false => format!("{name} is {what} of {version}"),
    };
    // A name that begins in a line above is at the line of its version.
    let offset = match span.start < source.line_start(at) {
        true => at,
        false => span.start,
    };
    Finding::new(Severity::Manual, Rule::Program, offset, message)
        .help(Remedy::UseClient { to, library: None })
}

/// The names of the shares in program languages that write field names in their own way, the older ones first.
const FIELDS: [[&str; 2]; 2] = [
    ["AssuredConcurrencyShares", "assured_concurrency_shares"],
    ["NominalConcurrencyShares", "nominal_concurrency_shares"],
];

/// The uses of the field of the shares that the version does not have.
fn old_fields(text: &str, to: ApiVersion) -> Vec<Finding> {
    let is_current = to >= ApiVersion::V1Beta3;
    let [old, new] = match is_current {
        true => FIELDS,
        false => [FIELDS[1], FIELDS[0]],
    };
    let mut findings = Vec::new();
    for (old, new) in old.into_iter().zip(new) {
        for (at, _) in text.match_indices(old) {
            let message = format!("{old} is not a field of {to}");
            let finding = Finding::new(Severity::Manual, Rule::Program, at, message);
            findings.push(finding.help(format!("use {new} with the client of {to}")));
        }
    }
    findings
}

/// Whether a field is mentioned in the head of a Go function: it is a name of the program's own.
fn is_parameter(source: &Text<'_>, mention: &Mention) -> bool {
    matches!(mention.what, Mentioned::Field(_))
        && source.indented(mention.span.start).starts_with("func ")
}

/// A mention in a text that is not a manifest.
fn in_text(source: &Text<'_>, mention: &Mention) -> Finding {
    let what = mention.describe();
    let start = source.line_start(mention.span.start);
    let line = &source.text[start..mention.span.start];
    let manual = |message: String, help: &str| {
        Finding::new(Severity::Manual, Rule::Program, mention.span.start, message).help(help)
    };
    if line.contains("runtime-config") || line.contains("runtime_config") {
        let message = format!("a --runtime-config flag names {what}");
        return manual(
            message,
            "remove the version from the flag: newer servers do not have it",
        );
    }
    if line.contains("/apis/") {
        let message = format!("a request path names {what}");
        return manual(
            message,
            "request the path of the new version, and read its fields",
        );
    }
    let is_comment = ["//", "# "]
        .iter()
        .any(|mark| line.trim_start().starts_with(mark));
    if is_comment {
        let message = format!("a comment mentions {what}");
        return Finding::new(Severity::Note, Rule::Comment, mention.span.start, message)
            .about(mention.about());
    }
    mention.finding(
        "this file is not a manifest",
        Severity::Manual,
        Rule::Mention,
    )
}
