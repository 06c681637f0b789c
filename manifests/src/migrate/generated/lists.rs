//! Programs that list versions: a catalog of removed ones with their releases, or all versions of the group beside each other.

use crate::migrate::findings::{Finding, Rule};
use crate::migrate::read::version_is_at;
use k8s_flowcontrol_types::{ApiVersion, GROUP};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The number of lines around a version in which other versions stand beside it.
const NEAR: usize = 3;

/// The number of lines around a version in which the rest of its entry stands.
const ENTRY: usize = 4;

/// Words of programs that know removed versions, in lower case.
const REMOVAL: [&str; 7] = [
    "remov",
    "deprecat",
    "replac",
    "sunset",
    "obsolete",
    "\"since\"",
    "migrat",
];

/// Words of messages about removed versions, in lower case.
const MESSAGES: [&str; 4] = [
    "is deprecated",
    "are deprecated",
    "been removed",
    "is removed in",
];

/// Keys of entries that name the version to use instead, in lower case: `"replacedWith": "/apis/…"`.
const REPLACEMENTS: [&str; 3] = ["replacement", "replacedwith", "replaced_with"];

const OLD: [&str; 4] = ["v1alpha1", "v1beta1", "v1beta2", "v1beta3"];

/// Whether each finding of a file is an entry of a list of versions.
///
/// An entry of a catalog has the release that removed its version, or stands beside such an entry, as its replacement. Beside each
/// other, `to` and at least two other versions are a list of all versions, as servers and tests have them.
pub(super) fn is_list(text: &str, findings: &[Finding], to: ApiVersion) -> bool {
    // An entry with a kind looks like a patch.
    let may_be_listed = |finding: &Finding| {
        matches!(
            finding.rule,
            Rule::Program | Rule::Mention | Rule::Patch | Rule::Embedded | Rule::Metric
        )
    };
    if findings.is_empty() || !findings.iter().all(may_be_listed) {
        return false;
    }
    let lines: Vec<_> = text.lines().collect();
    let places = places(text, findings);
    let lower = text.to_ascii_lowercase();
    let knows_removals = REMOVAL.iter().any(|word| lower.contains(word));
    let direct: BTreeMap<_, _> = places
        .iter()
        .filter(|(line, _)| has_removal(&lines, **line))
        .collect();
    let in_lines = lines.iter().enumerate();
    let named: BTreeMap<usize, Vec<_>> = in_lines
        .map(|(line, text)| (line, versions(text)))
        .filter(|(_, versions)| !versions.is_empty())
        .collect();
    let all: BTreeSet<_> = named.values().flatten().copied().collect();
    let is_converter = CONVERSION.iter().any(|word| lower.contains(word))
        && all.contains(to.as_str())
        && all.len() > CONVERTED;
    let complete = complete(&named, &lines, to);
    let near: usize = places
        .iter()
        .filter(|(line, _)| is_near_target(&named, **line, to))
        .map(|(_, count)| count)
        .sum();
    // Tests of the conversions may name one version only.
    let is_converter = is_converter && near * 4 >= places.values().sum::<usize>() * 3;
    let is_catalog = knows_removals || direct.values().copied().sum::<usize>() > 1;
    places.keys().all(|line| {
        is_catalog && direct.range(around(*line, NEAR - 1)).next().is_some()
            || complete.contains(line)
            || is_converter
    })
}

/// The lines with findings, and the number of findings in each.
fn places(text: &str, findings: &[Finding]) -> BTreeMap<usize, usize> {
    let mut ends = Vec::new();
    let mut next = 0;
    for line in text.split_inclusive('\n') {
        next += line.len();
        ends.push(next);
    }
    let mut places = BTreeMap::new();
    for finding in findings.iter().filter(|found| found.rule != Rule::Metric) {
        let line = ends.partition_point(|end| *end <= finding.offset);
        *places.entry(line).or_default() += 1;
    }
    places
}

/// The lines that are at most a number of lines away from one.
fn around(line: usize, number: usize) -> RangeInclusive<usize> {
    line.saturating_sub(number)..=line + number
}

/// Words of programs that convert objects, in lower case.
const CONVERSION: [&str; 3] = ["convert", "conversion", "into_v1"];

/// The number of old versions that a text with conversions names at least.
const CONVERTED: usize = 2;

/// Whether the target version is named near a line, as in a conversion between the two.
fn is_near_target(named: &BTreeMap<usize, Vec<&'static str>>, line: usize, to: ApiVersion) -> bool {
    let mut near = named.range(around(line, CONVERSION_LINES));
    near.any(|(_, versions)| versions.contains(&to.as_str()))
}

/// The number of lines of a conversion around a version.
const CONVERSION_LINES: usize = 8;

/// The lines around a line that enclose it: those above with less indentation.
fn parents<'a>(lines: &'a [&'a str], line: usize) -> impl Iterator<Item = &'a str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut least = lines.get(line).map_or(0, |line| indent(line));
    let above = lines[..line.min(lines.len())].iter().rev().take(MAX_ABOVE);
    let found = above.filter(move |line| {
        let is_parent = !line.trim().is_empty() && indent(line) < least;
        if is_parent {
            least = indent(line);
        }
        is_parent
    });
    found.take(MAX_PARENTS).copied()
}

/// The most lines above a place that are searched, and of the lines that enclose it.
const MAX_ABOVE: usize = 200;
const MAX_PARENTS: usize = 3;

/// Whether the release that removed the version of a line stands near it, or the line is a message that says so.
fn has_removal(lines: &[&str], line: usize) -> bool {
    let Some(own) = lines.get(line) else {
        return false;
    };
    let own_lower = own.to_ascii_lowercase();
    if MESSAGES.iter().any(|words| own_lower.contains(words)) {
        return true;
    }
    let is_replacement = |line: &&str| {
        let lower = line.trim_start().to_ascii_lowercase();
        let key = lower.trim_start_matches(['"', '\'', '`']);
        let value = REPLACEMENTS.iter().find_map(|word| key.strip_prefix(word));
        let value = value.map(|value| value.trim_start_matches(['"', '\'', '`', ' ']));
        value.is_some_and(|value| value.starts_with([':', '=']) && value.contains(GROUP))
    };
    let mut beside = lines[line.saturating_sub(1)..lines.len().min(line + 2)].iter();
    if beside.any(is_replacement) {
        return true;
    }
    let around = &lines[line.saturating_sub(ENTRY)..lines.len().min(line + ENTRY + 1)];
    let versions = OLD.iter().filter(|version| own.contains(**version));
    let mut removed = versions.filter_map(|version| match version.parse::<ApiVersion>() {
        Ok(version) => version.lifecycle().removed,
        Err(_) => Some(ALPHA_REMOVED),
    });
    removed.any(|minor| {
        let mut around = around.iter().copied().chain(parents(lines, line));
        around.any(|text| names_release(text, minor)) || is_value(own, minor)
    })
}

/// The first minor release without v1alpha1.
const ALPHA_REMOVED: u32 = 21;

/// Whether the last value of an entry is the number of a minor release: `{Version: "v1beta2"}: 29,`.
fn is_value(entry: &str, minor: u32) -> bool {
    let entry = entry.trim_end().trim_end_matches([',', ';', ')']);
    let rest = entry.strip_suffix(&minor.to_string());
    rest.is_some_and(|rest| rest.ends_with(' ') && rest.trim_end().ends_with([':', '=', ',']))
}

/// Whether a text names a release: `1.26`, `(1, 26)`, `Minor: 26`, `v1-26`.
fn names_release(text: &str, minor: u32) -> bool {
    let number = minor.to_string();
    text.match_indices(&number).any(|(at, _)| {
        let is_end = !text[at + number.len()..].starts_with(|next: char| next.is_ascii_digit());
        let before = text[..at].trim_end();
        let marks = [
            "1.", "1,", "1-", "1_", "Minor:", "minor:", "minor=", "Minor =",
        ];
        let mark = marks.iter().find(|mark| before.ends_with(**mark));
        let is_start = mark.is_some_and(|mark| {
            !before[..before.len() - mark.len()].ends_with(|last: char| last.is_ascii_digit())
        });
        is_end && is_start
    })
}

/// Whether a test compares with the target version and with at least two other ones, as a test of what each release gets does.
pub(super) fn is_test_of_versions(
    text: &str,
    path: &str,
    findings: &[Finding],
    to: ApiVersion,
) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let is_test = stem.starts_with("test_")
        || ["_test", "_spec", "Test", "Tests"]
            .iter()
            .any(|end| stem.ends_with(end))
        || name.contains(".test.")
        || name.contains(".spec.");
    let is_mention = |finding: &Finding| finding.rule == Rule::Mention;
    let lines: Vec<_> = text.lines().collect();
    let mut named: Vec<_> = lines.iter().flat_map(|line| versions(line)).collect();
    named.sort_unstable();
    named.dedup();
    let mut groups = text.match_indices(GROUP);
    is_test
        && findings.iter().all(is_mention)
        && named.len() > 2
        && groups.any(|(at, _)| version_is_at(text, at + GROUP.len() + 1, to))
}

/// The lines of the lists that name a version and at least two other ones, and the lines around them. In a list at most [`NEAR`] lines
/// without a version stand between two with one. The imports of a program for three versions are such a list without that version,
/// too: its library is older.
fn complete(
    named: &BTreeMap<usize, Vec<&'static str>>,
    lines: &[&str],
    to: ApiVersion,
) -> BTreeSet<usize> {
    let is_import = |line: &usize| {
        let line = lines.get(*line).copied().unwrap_or_default();
        line.contains("\"k8s.io/") && line.contains("/flowcontrol/v")
    };
    let mut lists: Vec<(RangeInclusive<usize>, BTreeSet<&str>, bool)> = Vec::new();
    for (line, versions) in named {
        let around = around(*line, NEAR + 1);
        match lists.last_mut() {
            Some((list, found, are_imports)) if list.contains(line) => {
                *list = *list.start()..=*around.end();
                found.extend(versions);
                *are_imports &= is_import(line);
            }
            _ => lists.push((around, versions.iter().copied().collect(), is_import(line))),
        }
    }
    lists.retain(|(_, found, are_imports)| {
        found.len() > 2 && (*are_imports || found.contains(to.as_str()))
    });
    lists.into_iter().flat_map(|(lines, ..)| lines).collect()
}

/// The versions of the group that a line names.
fn versions(line: &str) -> Vec<&'static str> {
    let lower = line.to_ascii_lowercase();
    if !["flowcontrol", "flowschema", "prioritylevel"]
        .iter()
        .any(|word| lower.contains(word))
    {
        return Vec::new();
    }
    let is_named = |version: &&&str| {
        lower.match_indices(**version).any(|(at, found)| {
            !lower[at + found.len()..].starts_with(|next: char| next.is_ascii_alphanumeric())
                || found.len() > 2
        })
    };
    let all = ["v1", "v1alpha1", "v1beta1", "v1beta2", "v1beta3"];
    all.iter().filter(is_named).copied().collect()
}
