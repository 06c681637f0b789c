//! Values of a chart with the name of an old field, which its templates write to the field that the version has.

use super::across::read;
use super::examined::Examined;
use crate::migrate::OWN_VALUE;
use crate::{Rule, Severity};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Leaves a note for each value whose path a template of the same chart writes to the field of the shares.
pub(super) fn settle_values(files: &mut [Examined]) {
    let mut written: BTreeSet<(PathBuf, String)> = BTreeSet::new();
    for file in files.iter() {
        let findings = file.outcome.findings.iter();
        let mut offsets = findings
            .filter(|finding| finding.message.starts_with(OWN_VALUE))
            .map(|finding| finding.offset)
            .peekable();
        let Some(chart) = offsets.peek().and_then(|_| chart_of(&file.candidate.real)) else {
            continue;
        };
        let Some(text) = read(&file.candidate) else {
            continue;
        };
        written.extend(offsets.filter_map(|at| Some((chart.to_owned(), path_at(&text, at)?))));
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

/// The path of the value whose last part is at a place, without `.Values.`.
fn path_at(text: &str, at: usize) -> Option<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    let before = text.get(..at)?;
    let start = before.trim_end_matches(is_part).len();
    let rest = &text[at..];
    let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
    let path = text[start..at + end].trim_start_matches('.');
    path.strip_prefix("Values.").map(str::to_owned)
}
