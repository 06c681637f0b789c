//! Files and folders that were not examined: one line for each kind of reason, or all of them.

use crate::output::{Diagnostic, HINT, Level, Stream, one_line};
use k8s_flowcontrol_manifests::Rule;
use k8s_flowcontrol_manifests::files::{Examined, SkipReason, Skipped};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The most paths of a kind in JSON; `--verbose` has all.
const PATHS: usize = 10;

/// The files of a folder whose content was not examined.
pub(crate) fn skipped_files(files: &[Examined]) -> impl Iterator<Item = Skipped> {
    files.iter().filter_map(|file| {
        let reason = file.skipped?;
        let finding = file.outcome.findings.first();
        let why = finding.map_or(String::new(), |finding| finding.message.clone());
        Some(Skipped::new(&file.candidate.path, reason, why))
    })
}

/// Writes a line for each kind of reason, and one for each error. With `is_verbose` each entry has a line; a file whose content was not
/// examined has a finding, which says so.
pub(crate) fn write_skipped(
    skipped: &[Skipped],
    is_verbose: bool,
    err: &mut Stream,
) -> io::Result<()> {
    let is_finding = |reason| {
        matches!(
            reason,
            SkipReason::Archive | SkipReason::Binary | SkipReason::TooLong
        )
    };
    for skipped in skipped {
        let level = match skipped.is_error {
            true => Level::Error,
            false if is_verbose && !is_finding(skipped.reason) => Level::Note,
            false => continue,
        };
        let message = format!("{}: {}", skipped.path.display(), skipped.why);
        Diagnostic::new(level, message).write(err)?;
    }
    if is_verbose {
        return Ok(());
    }
    for (reason, skipped) in groups(skipped) {
        // A file that is too long, and an error, have a line each.
        let [first, ..] = skipped[..] else { continue };
        if first.is_error || reason == SkipReason::TooLong {
            continue;
        }
        let first = first.path.display().to_string();
        let first = one_line(&first);
        let [one, many] = reason.words();
        err.label(HINT, &format!("note[{}]:", Rule::NotChecked.as_str()))?;
        match skipped.len() {
            1 => writeln!(err, " skipped 1 {one}: {first}")?,
            count => writeln!(
                err,
                " skipped {count} {many}, the first is {first} (--verbose lists them)"
            )?,
        }
    }
    Ok(())
}

/// The kinds of reasons with the entries.
pub(crate) fn skipped_json(skipped: &[Skipped], is_verbose: bool) -> Value {
    let group = |(reason, skipped): (SkipReason, Vec<&Skipped>)| {
        let shown = if is_verbose { skipped.len() } else { PATHS };
        let paths = skipped.iter().take(shown);
        let paths: Vec<_> = paths
            .map(|entry| entry.path.display().to_string())
            .collect();
        json!({
            "reason": reason.as_str(),
            "message": reason.words()[usize::from(skipped.len() != 1)],
            "count": skipped.len(),
            "paths": paths,
        })
    };
    groups(skipped).into_iter().map(group).collect()
}

fn groups(skipped: &[Skipped]) -> BTreeMap<SkipReason, Vec<&Skipped>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for entry in skipped {
        groups.entry(entry.reason).or_default().push(entry);
    }
    groups
}
