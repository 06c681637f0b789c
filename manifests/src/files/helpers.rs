//! The files of a chart of Helm: named templates that compute a version, and values with the name of an old field.

use super::candidates::Candidate;
use super::examined::Examined;
use super::input::read_regular;
use crate::migrate::About;
use crate::{Lines, NamedTemplate, Rule, Severity, named_template};
use k8s_flowcontrol_types::ApiVersion;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Adds the place of the definition to each finding about a computed version. If the definition is up to date, the finding
/// becomes a note.
pub(super) fn find_helpers(files: &mut [Examined], templates: &[Candidate], to: ApiVersion) {
    for file in files {
        for finding in &mut file.outcome.findings {
            let Some(name) = finding.computed_by.clone() else {
                continue;
            };
            let root = chart_of(&file.candidate.real);
            let mut near = templates
                .iter()
                .filter(|candidate| candidate.real.starts_with(&root));
            let found = near.find_map(|candidate| definition(candidate, &name, to));
            match found {
                Some((place, found)) => {
                    finding.message.push_str(&format!(" in {place}"));
                    if found.is_listed && !found.is_current {
                        // The finding about its branches says what to do.
                        finding.severity = Severity::Note;
                    }
                    if found.is_current {
                        finding.severity = Severity::Note;
                        finding.help = None;
                        finding.message.push_str(", which is up to date");
                    }
                }
                None => finding
                    .message
                    .push_str(", which is not defined in these files"),
            }
        }
    }
}

/// The folder of the chart around a file: the nearest one with a Chart.yaml, or else the folder of the file.
fn chart_of(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(file);
    let chart = folder
        .ancestors()
        .find(|folder| folder.join("Chart.yaml").is_file());
    let templates = folder
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == "templates"));
    chart.or(templates).unwrap_or(folder).to_owned()
}

/// Whether a file may contain definitions of templates.
pub(super) fn may_define(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("tpl" | "yaml" | "yml" | "tmpl" | "gotmpl"))
}

fn definition(
    candidate: &Candidate,
    name: &str,
    to: ApiVersion,
) -> Option<(String, NamedTemplate)> {
    let (bytes, _) = read_regular(&candidate.real).ok()?;
    memchr::memmem::find(&bytes, name.as_bytes())?;
    let text = std::str::from_utf8(&bytes).ok()?;
    let found = named_template(text, name, to)?;
    let line = Lines::of(&bytes).position(&bytes, found.offset).line;
    let place = format!("{}:{line}", candidate.path.display());
    Some((place, found))
}

/// Leaves a note for each value whose path a template of the same chart writes to the field of the shares.
pub(super) fn settle_values(files: &mut [Examined]) {
    let mut written: BTreeSet<(PathBuf, String)> = BTreeSet::new();
    for file in files.iter() {
        let paths = file
            .outcome
            .findings
            .iter()
            .filter_map(|finding| match &finding.about {
                About::OwnValue(path) => Some(path),
                _ => None,
            });
        if let Some(chart) = chart_of_template(&file.candidate.real) {
            written.extend(paths.map(|path| (chart.to_owned(), path.clone())));
        }
    }
    if written.is_empty() {
        return;
    }
    for file in files {
        let real = &file.candidate.real;
        let name = real.file_name().unwrap_or_default().to_string_lossy();
        let Some(chart) = real.parent().filter(|_| name.starts_with("values")) else {
            continue;
        };
        for finding in &mut file.outcome.findings {
            let path = finding.path.clone();
            let is_written = path.is_some_and(|path| written.contains(&(chart.to_owned(), path)));
            if finding.rule == Rule::Mention && is_written {
                finding.severity = Severity::Note;
                finding.help = None;
            }
        }
    }
}

/// The folder of the chart that a template belongs to.
fn chart_of_template(template: &Path) -> Option<&Path> {
    let mut folders = template.ancestors();
    let templates =
        folders.find(|folder| folder.file_name().is_some_and(|name| name == "templates"));
    templates.and_then(Path::parent)
}
