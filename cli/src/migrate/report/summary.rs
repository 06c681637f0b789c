//! The outcome of a migration in numbers.

use crate::output::plural;
use k8s_flowcontrol_manifests::files::{Examined, Status};
use k8s_flowcontrol_manifests::{Rule, Severity};
use serde::Serialize;
use std::fmt;

/// The outcome in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    /// Examined files.
    pub(crate) files: usize,
    /// Files with changes that are not written.
    pub(crate) outdated: usize,
    /// Files with written changes.
    pub(crate) changed: usize,
    /// Files that were not changed because of an error.
    pub(crate) refused: usize,
    /// Files without changes, with places to change by hand.
    pub(crate) manual_files: usize,
    /// Objects in another version.
    pub(crate) objects: usize,
    /// Places to check or change by hand.
    pub(crate) manual: usize,
    pub(crate) errors: usize,
    pub(crate) notes: usize,
    /// Errors that are losses or fields of another version.
    #[serde(skip)]
    pub(crate) losses: usize,
    /// Documents of other kinds, such as Deployments: they are read and need nothing.
    pub(crate) skipped: usize,
}

impl Summary {
    pub(crate) fn of(files: &[Examined]) -> Self {
        let mut summary = Self {
            files: files.len(),
            ..Self::default()
        };
        for file in files {
            match file.status {
                Status::Current => {}
                Status::Manual => summary.manual_files += 1,
                Status::Outdated => summary.outdated += 1,
                Status::Changed => summary.changed += 1,
                Status::Refused => summary.refused += 1,
            }
            summary.skipped += file.outcome.skipped;
            let documents = file.outcome.objects.iter();
            summary.objects += documents
                .filter(|document| !document.changes.is_empty())
                .count();
            for finding in &file.outcome.findings {
                match finding.severity {
                    Severity::Note => summary.notes += 1,
                    Severity::Manual => summary.manual += 1,
                    Severity::Error => summary.errors += 1,
                }
                let is_loss = finding.severity == Severity::Error
                    && matches!(finding.rule, Rule::Loss | Rule::ForeignField);
                summary.losses += usize::from(is_loss);
            }
        }
        summary
    }

    /// Whether anything is not in the target version.
    pub(crate) fn is_outdated(self) -> bool {
        self.outdated + self.refused + self.manual + self.errors > 0
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} checked", plural(self.files, "file"))?;
        if self.skipped > 0 {
            write!(f, " (skipped {})", plural(self.skipped, "other document"))?;
        }
        let parts = [
            (self.changed, "file", "changed"),
            (self.outdated, "file", "to change"),
            (self.refused, "file", "not changed"),
            (self.manual, "place", "to change by hand"),
            (self.errors, "error", ""),
            (self.notes, "note", ""),
        ];
        let mut is_any = false;
        for (number, thing, what) in parts {
            if number > 0 {
                is_any = true;
                let space = if what.is_empty() { "" } else { " " };
                write!(f, ", {}{space}{what}", plural(number, thing))?;
            }
        }
        if !is_any {
            f.write_str(", nothing to do")?;
        }
        Ok(())
    }
}
