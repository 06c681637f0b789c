//! The dependency that is the cause of many places: a library without the client of the wanted version.

use super::examined::Examined;
use crate::dependencies::{Dependency, Ecosystem, ecosystem_of, old_feature, update_of};
use crate::{Remedy, Rule};
use k8s_flowcontrol_types::ApiVersion;
use std::path::{Path, PathBuf};

/// A dependency of the programs in a folder and those below it.
struct Cause {
    folder: PathBuf,
    ecosystem: Ecosystem,
    /// The library and its place: `k8s.io/client-go v0.26.3 (app/go.mod:12)`.
    library: String,
    /// The update, if the library is too old for the wanted version.
    update: Option<String>,
    is_locked: bool,
    /// Whether a feature, which lock files do not have, is for an older release.
    has_old_feature: bool,
}

/// Names the dependency in the advice for each use of a client, and in the note about generated code. A range of versions does not need a note
/// beside a lock file.
pub(super) fn find_causes(files: &mut [Examined], to: ApiVersion) {
    let causes: Vec<_> = files.iter().flat_map(|file| causes(file, to)).collect();
    if causes.is_empty() {
        return;
    }
    for file in files {
        drop_ranges(file, &causes);
        let name = file.candidate.real.to_string_lossy();
        let ecosystems = ecosystem_of(&name);
        let Some(cause) = nearest(&causes, ecosystems, &file.candidate.real) else {
            continue;
        };
        for finding in &mut file.outcome.findings {
            match &mut finding.help {
                Some(Remedy::UseClient { library, .. }) => *library = Some(advice(cause)),
                Some(help) if finding.rule == Rule::Generated => {
                    if let Some(update) = &cause.update {
                        *help = Remedy::Change(format!("{update}, and generate the code again"));
                    }
                }
                _ => {}
            }
        }
    }
}

fn advice(cause: &Cause) -> String {
    match &cause.update {
        Some(update) => update.clone(),
        None => format!("{} has it", cause.library),
    }
}

fn causes(file: &Examined, to: ApiVersion) -> Vec<Cause> {
    let folder = file.candidate.real.parent().unwrap_or(Path::new(""));
    let cause = |dependency: &Dependency| {
        let update = update_of(dependency, to)?;
        let place = format!("{}:{}", file.candidate.path.display(), dependency.line);
        let library = &dependency.library;
        Some(Cause {
            folder: folder.to_owned(),
            ecosystem: library.ecosystem,
            library: format!("{} {} ({place})", library.name, dependency.version),
            update: update.map(|update| format!("{update} ({place})")),
            is_locked: dependency.is_locked,
            has_old_feature: old_feature(dependency, to).is_some(),
        })
    };
    file.dependencies.iter().filter_map(cause).collect()
}

/// The dependency in the nearest folder around a file: of the first ecosystem that has any, rather of a lock file.
fn nearest<'a>(causes: &'a [Cause], ecosystems: &[Ecosystem], file: &Path) -> Option<&'a Cause> {
    ecosystems.iter().find_map(|ecosystem| {
        let around = causes
            .iter()
            .filter(|cause| cause.ecosystem == *ecosystem && file.starts_with(&cause.folder));
        // Of two in one folder, the first: the rows of the table have the client first.
        around.min_by_key(|cause| {
            let depth = cause.folder.components().count();
            let is_less = (!cause.has_old_feature, !cause.is_locked);
            (std::cmp::Reverse(depth), is_less)
        })
    })
}

/// Removes the notes about ranges of versions, if a lock file around them has the versions in use.
fn drop_ranges(file: &mut Examined, causes: &[Cause]) {
    let ranges = file.dependencies.iter().filter(|range| !range.is_locked);
    let locked: Vec<_> = ranges
        .filter(|range| {
            causes.iter().any(|cause| {
                cause.is_locked
                    && cause.ecosystem == range.library.ecosystem
                    && file.candidate.real.starts_with(&cause.folder)
            })
        })
        .map(|range| range.offset)
        .collect();
    file.outcome
        .findings
        .retain(|finding| finding.rule != Rule::Dependency || !locked.contains(&finding.offset));
}
