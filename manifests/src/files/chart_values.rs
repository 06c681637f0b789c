//! Values of a chart with the name of an old field, which its templates write to the field that the version has.

use super::examined::Examined;
use crate::migrate::About;
use crate::{Rule, Severity};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
        if let Some(chart) = chart_of(&file.candidate.real) {
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
fn chart_of(template: &Path) -> Option<&Path> {
    let mut folders = template.ancestors();
    let templates =
        folders.find(|folder| folder.file_name().is_some_and(|name| name == "templates"));
    templates.and_then(Path::parent)
}
