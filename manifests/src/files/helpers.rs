//! Named templates that compute a version: their definitions in the files of the chart.

use super::candidates::Candidate;
use super::examined::Examined;
use super::input::read_regular;
use crate::{Lines, NamedTemplate, Severity, named_template};
use k8s_flowcontrol_types::ApiVersion;
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
