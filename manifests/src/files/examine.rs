//! Examining one file: whether it is a manifest, and its changes.

use super::candidates::Candidate;
use super::documentation::documentation;
use super::input::{ReadError, read_regular};
use super::replace::Identity;
use super::servers::{ServerUse, server_use};
use super::skipped::SkipReason;
use super::test_data::{is_test_data, kept_test_data};
use crate::dependencies::{Dependency, dependencies, dependency_findings};
use crate::migrate::{Links, Reason, grouped, one_note, reason, uses_with};
use crate::{
    Finding, Form, Metrics, Migration, Rule, Settings, Severity, may_have_removed_metrics,
    may_mention, mentions, migrate, removed_metrics,
};
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    Manifest,
    Documentation,
    Archive,
    /// A program, which is never changed.
    Program,
    /// Another file: a manifest if it contains objects.
    Unknown,
}

const PROGRAMS: &str = "\
    .go .py .ts .tsx .js .mjs .java .kt .scala .cs .rs .rb .tf .hcl .sh .ps1 .jsonnet .libsonnet .cue .c .h .cc \
    .cpp .hpp .vb .fs .swift .dart .php .pl .pm .ex .exs .erl .clj .hs .lua .groovy .gradle .kts .nix .dhall \
    .pkl .kcl .bicep .rego .star .bzl .proto .cr .tfvars .bash";

/// A file that was examined.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Examination {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The file with the content that was read; none for a file that is not read.
    pub identity: Option<Identity>,
    /// The changes and findings.
    pub outcome: Migration,
    /// The reason why the content of the file was not examined.
    pub skipped: Option<SkipReason>,
    /// The libraries that the file names as dependencies.
    pub(super) dependencies: Vec<Dependency>,
    /// The use of the library of API servers.
    pub(super) server_use: ServerUse,
}

/// Reads and examines a file. `has_docs` includes the manifests in the code fences of Markdown.
///
/// # Errors
/// If the file cannot be read, or is too long.
pub fn examine_file(
    candidate: &Candidate,
    settings: Settings,
    has_docs: bool,
) -> Result<Examination, ReadError> {
    if treatment(&candidate.path) == Treatment::Archive {
        let message = "archives are not checked; unpack it first";
        let note = Finding::new(Severity::Note, Rule::NotChecked, 0, message);
        return Ok(Examination {
            outcome: only(note),
            skipped: Some(SkipReason::Archive),
            ..Examination::default()
        });
    }
    let (bytes, metadata) = read_regular(&candidate.real)?;
    let mut outcome = examine(&bytes, candidate, settings, has_docs);
    if !candidate.is_named && is_test_data(&outcome, &candidate.path, settings) {
        outcome = only(kept_test_data(&outcome));
    }
    let dependencies = dependencies_in(&bytes, &candidate.path);
    let findings = dependency_findings(&dependencies, settings);
    outcome.findings.extend(findings);
    outcome.findings.sort_by_key(|finding| finding.offset);
    let is_binary = is_binary(&bytes) && may_mention(&bytes);
    if is_binary {
        let message = "the file is binary, and contains names of the group: it was not checked";
        outcome = only(Finding::new(Severity::Note, Rule::NotChecked, 0, message));
    }
    Ok(Examination {
        server_use: server_use(&candidate.path, &bytes),
        dependencies,
        skipped: is_binary.then_some(SkipReason::Binary),
        bytes,
        identity: Some(Identity::of(&metadata)),
        outcome,
    })
}

fn dependencies_in(bytes: &[u8], path: &Path) -> Vec<Dependency> {
    let name = path.file_name().map(|name| name.to_string_lossy());
    match (name, std::str::from_utf8(bytes)) {
        (Some(name), Ok(text)) => dependencies(text, &name),
        _ => Vec::new(),
    }
}

fn examine(bytes: &[u8], candidate: &Candidate, settings: Settings, has_docs: bool) -> Migration {
    let path = candidate.path.as_path();
    let treatment = treatment(path);
    if let Some(text) = utf16(bytes) {
        if mentions(&text, settings.to).is_empty() {
            return Migration::default();
        }
        let message = "the file is in UTF-16, which is not supported";
        let finding = Finding::new(Severity::Manual, Rule::CannotEdit, 0, message);
        return only(finding.help("convert the file to UTF-8 first"));
    }
    let looks_for_metrics = settings.metrics != Metrics::Ignore;
    if !(may_mention(bytes) || looks_for_metrics && may_have_removed_metrics(bytes)) {
        return Migration::default();
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return not_utf8(bytes, error.valid_up_to(), settings),
    };
    let form = Form::by_extension(path).unwrap_or_default();
    let mut outcome = match treatment {
        Treatment::Documentation => documentation(text, path, has_docs, settings),
        Treatment::Program => listed(text, settings),
        Treatment::Unknown => {
            let outcome = migrate(text, form, settings);
            match outcome.objects.is_empty() {
                true => listed(text, settings),
                false => outcome,
            }
        }
        Treatment::Manifest | Treatment::Archive => migrate(text, form, settings),
    };
    settle(&mut outcome, text, candidate, settings);
    outcome
}

/// Replaces the findings of generated code, of published documents and of lists of versions by one note.
pub(super) fn settle(
    outcome: &mut Migration,
    text: &str,
    candidate: &Candidate,
    settings: Settings,
) {
    let path = candidate.path.as_path();
    let is_metric = |finding: &Finding| finding.rule == Rule::Metric;
    let is_documentation = is_documentation(path);
    if outcome.text.is_some() || is_documentation || outcome.findings.iter().all(is_metric) {
        return;
    }
    let path = path.to_string_lossy();
    let found = match candidate.is_marked {
        true => Some(Reason::Generated),
        false => reason(text, &path, &outcome.findings, settings.to),
    };
    match found {
        Some(reason) if outcome.worst() != Some(Severity::Error) => {
            let note = one_note(&outcome.findings, reason);
            outcome.findings = note.into_iter().collect();
            if reason != Reason::Table {
                outcome.links = Links::default();
            }
        }
        _ if outcome.objects.is_empty() => {
            let findings = std::mem::take(&mut outcome.findings);
            outcome.findings = grouped(findings, settings.to);
        }
        _ => {}
    }
}

/// A file that is not a manifest: its uses of other versions are listed.
fn listed(text: &str, settings: Settings) -> Migration {
    let (mut findings, links) = uses_with(text, settings.to, &BTreeSet::new());
    if settings.metrics != Metrics::Ignore {
        findings.extend(removed_metrics(text, settings.metrics));
    }
    Migration {
        findings,
        links,
        ..Migration::default()
    }
}

/// Whether a file may define or use a constant.
pub(super) fn is_program_or_manifest(path: &Path) -> bool {
    !matches!(
        treatment(path),
        Treatment::Documentation | Treatment::Archive
    )
}

fn only(finding: Finding) -> Migration {
    Migration {
        findings: vec![finding],
        ..Migration::default()
    }
}

/// Whether the content is not a text: a program or an image.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.contains(&0) && utf16(bytes).is_none() && std::str::from_utf8(bytes).is_err()
}

/// A file that is not UTF-8: a program, an image, or a text in another encoding.
fn not_utf8(bytes: &[u8], offset: usize, settings: Settings) -> Migration {
    let text = String::from_utf8_lossy(bytes);
    if bytes.contains(&0) || mentions(&text, settings.to).is_empty() {
        return Migration::default();
    }
    let message = "the file is not UTF-8, and mentions an old version or field";
    let finding = Finding::new(Severity::Manual, Rule::CannotEdit, offset, message);
    only(finding.help("convert the file to UTF-8 first"))
}

/// The text of a file in UTF-16 with its byte order mark.
fn utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units: Vec<_> = bytes[2..]
        .chunks_exact(2)
        .map(|pair| unit([pair[0], pair[1]]))
        .collect();
    Some(String::from_utf16_lossy(&units))
}

/// Whether a file is documentation by its name.
pub(super) fn is_documentation(path: &Path) -> bool {
    treatment(path) == Treatment::Documentation
}

fn treatment(path: &Path) -> Treatment {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let ends = |endings: &str| endings.split(' ').any(|ending| name.ends_with(ending));
    // Also before the ending of a template.
    const MANIFESTS: &str = ".yaml .yml .json .jsonl .ndjson .tpl .tmpl .gotmpl";
    if ends(".tgz .tar.gz .tar .zip") {
        Treatment::Archive
    } else if name == "cmakelists.txt" {
        Treatment::Program
    } else if ends(".md .markdown .mdx .rst .adoc .asciidoc .org .txt .html .log") {
        Treatment::Documentation
    } else if ends(PROGRAMS) {
        Treatment::Program
    } else if MANIFESTS.split(' ').any(|ending| name.contains(ending)) {
        Treatment::Manifest
    } else {
        Treatment::Unknown
    }
}
