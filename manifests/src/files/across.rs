//! Versions of a program that another of its files uses: a constant in one file, and the group in another.

use super::candidates::Candidate;
use super::examine::{is_program_or_manifest, settle};
use super::examined::Examined;
use super::input::read_regular;
use crate::migrate::{About, uses_of_names, uses_with};
use crate::{Finding, Settings, Severity, Source};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum number of files that are read again.
const MAX_FILES: usize = 20_000;

/// The maximum length of a file that is read again.
const MAX_LENGTH: usize = 1 << 20;

/// Names that many files define, so they count in their own folder only.
const COMMON: [&str; 14] = [
    "group",
    "groupname",
    "group_name",
    "apigroup",
    "api_group",
    "version",
    "apiversion",
    "api_version",
    "gvr",
    "gvk",
    "name",
    "value",
    "path",
    "url",
];

/// Adds the findings that need more than one file.
pub(super) fn find_across(files: &mut [Examined], settings: Settings) {
    let groups = shared(files, |file| &file.outcome.links.groups);
    if !groups.is_empty() {
        for index in near(files, &groups) {
            let names = names_for(&groups, &files[index].candidate.real);
            let Some(text) = read(&files[index].candidate) else {
                continue;
            };
            if !names.iter().any(|name| text.contains(name.as_str())) {
                continue;
            }
            let (findings, links) = uses_with(&text, settings.to, &names);
            files[index].outcome.links.versions.extend(links.versions);
            // The findings of the file alone are known.
            let own = uses_with(&text, settings.to, &BTreeSet::new()).0;
            let known: HashSet<_> = own.iter().map(|finding| finding.offset).collect();
            let new = findings
                .into_iter()
                .filter(|finding| !known.contains(&finding.offset));
            add(&mut files[index], new.collect(), &text, settings);
        }
    }
    let versions = shared(files, |file| &file.outcome.links.versions);
    if versions.is_empty() {
        return;
    }
    let mut resolved = BTreeSet::new();
    for index in near(files, &versions) {
        let names = names_for(&versions, &files[index].candidate.real);
        let Some(text) = read(&files[index].candidate) else {
            continue;
        };
        let is_mentioned = |name: &String| {
            let last = name.rsplit('.').next().unwrap_or(name);
            text.contains(last)
        };
        if !names.iter().any(is_mentioned) || !text.contains("v1") {
            continue;
        }
        let (values, names): (BTreeSet<_>, BTreeSet<_>) = names
            .into_iter()
            .partition(|name| name.starts_with("Values."));
        let mut findings = Vec::new();
        for name in names {
            let found = uses_of_names(&text, &BTreeSet::from([name.clone()]), settings.to);
            resolved.extend(found.first().map(|_| name));
            findings.extend(found);
        }
        let is_values = files[index]
            .candidate
            .real
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("values"));
        if is_values {
            for path in values {
                let found = value_at(&text, &path, settings);
                resolved.extend(found.first().map(|_| path));
                findings.extend(found);
            }
        }
        add(&mut files[index], findings, &text, settings);
    }
    // The value with the version is listed, so the templates that use it need nothing.
    for file in files {
        if file.outcome.links.versions.is_disjoint(&resolved) {
            continue;
        }
        let findings = file.outcome.findings.iter_mut();
        let is_version = |finding: &&mut Finding| {
            matches!(
                finding.about,
                About::ComputedVersion | About::TemplatedVersion
            )
        };
        for finding in findings.filter(is_version) {
            finding.severity = Severity::Note;
            finding.help = None;
        }
    }
}

/// The names of all files, with the folders whose files use them.
fn shared<'a>(
    files: &'a [Examined],
    names: impl Fn(&'a Examined) -> &'a BTreeSet<String>,
) -> BTreeMap<String, Vec<PathBuf>> {
    let mut shared: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        for name in names(file) {
            let folder = file.candidate.real.parent().unwrap_or(Path::new(""));
            shared
                .entry(name.clone())
                .or_default()
                .push(folder.to_owned());
        }
    }
    shared
}

/// The files that may define or use names: programs and manifests near to the files that have them.
fn near(files: &[Examined], names: &BTreeMap<String, Vec<PathBuf>>) -> Vec<usize> {
    let found = files.iter().enumerate().filter(|(_, file)| {
        is_program_or_manifest(&file.candidate.path)
            && !names_for(names, &file.candidate.real).is_empty()
    });
    found.map(|(index, _)| index).take(MAX_FILES).collect()
}

/// The names that count in a file.
fn names_for(names: &BTreeMap<String, Vec<PathBuf>>, file: &Path) -> BTreeSet<String> {
    let folder = file.parent().unwrap_or(file);
    let counts = |name: &str, folders: &[PathBuf]| {
        if name.starts_with("Values.") {
            // The templates of a chart are in a folder below its values.
            return folders.iter().any(|used| used.starts_with(folder));
        }
        let is_common = name.len() < 5 || COMMON.contains(&name.to_ascii_lowercase().as_str());
        match is_common {
            true => folders.iter().any(|used| used == folder),
            false => folders.iter().any(|used| is_near(used, folder)),
        }
    };
    let found = names.iter().filter(|(name, folders)| counts(name, folders));
    found.map(|(name, _)| name.clone()).collect()
}

/// Whether two folders are in the same project: their common part is at most a few levels up.
fn is_near(left: &Path, right: &Path) -> bool {
    const LEVELS: usize = 4;
    left.ancestors().take(LEVELS).any(|folder| {
        right.starts_with(folder)
            && right.components().count() <= folder.components().count() + LEVELS
    })
}

pub(super) fn read(candidate: &Candidate) -> Option<String> {
    let (bytes, _) = read_regular(&candidate.real).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (text.len() <= MAX_LENGTH).then_some(text)
}

/// The version at a path of the values of a chart, such as `Values.flow.version`.
fn value_at(text: &str, path: &str, settings: Settings) -> Vec<Finding> {
    let mut depth: Vec<(usize, &str)> = Vec::new();
    let wanted: Vec<_> = path.split('.').skip(1).collect();
    // Behind a byte order mark.
    let mut start = text.len() - text.trim_start_matches('\u{feff}').len();
    for line in text[start..].split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let content = line.trim_start();
        let indent = line.len() - content.len();
        let Some((key, value)) = content
            .split_once(':')
            .filter(|_| !content.starts_with('#'))
        else {
            continue;
        };
        depth.retain(|(column, _)| *column < indent);
        depth.push((indent, key.trim_matches(['"', '\''])));
        let is_here = depth.iter().map(|(_, key)| *key).eq(wanted.iter().copied());
        if !is_here {
            continue;
        }
        let name = BTreeSet::from([key.to_owned()]);
        let line = &text[begin..start];
        let mut found = uses_of_names(line, &name, settings.to);
        found.iter_mut().for_each(|finding| finding.offset += begin);
        if value.contains("v1") {
            return found;
        }
    }
    Vec::new()
}

/// Adds findings to a file, at lines without a finding.
fn add(file: &mut Examined, findings: Vec<Finding>, text: &str, settings: Settings) {
    if findings.is_empty() {
        return;
    }
    if file.source.text.is_empty() {
        let name = file.candidate.path.display().to_string();
        let source = Source::new(name, text.as_bytes().to_vec(), file.candidate.is_named);
        file.source = Arc::new(source);
    }
    let line = |offset: usize| file.source.position(offset).line;
    let known = file
        .outcome
        .findings
        .iter()
        .map(|finding| line(finding.offset));
    let edited = file.outcome.edits.iter().map(|edit| line(edit.span.start));
    let mut lines: HashSet<_> = known.chain(edited).collect();
    let new: Vec<_> = findings
        .into_iter()
        .filter(|finding| lines.insert(line(finding.offset)))
        .collect();
    file.outcome.findings.extend(new);
    settle(&mut file.outcome, text, &file.candidate, settings);
}
