//! The result of a migration.

use super::dynamic::Links;
use super::edit::{Edit, PlannedChange};
use super::findings::{Finding, Severity};
use k8s_flowcontrol_text::Span;
use serde_json::Value;
use std::fmt;

/// The result of the migration of a text.
///
/// Offsets and spans count in the bytes of the old text, a byte order mark included.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Migration {
    /// The objects of the group and the changed patches, with their changes.
    pub objects: Vec<MigratedObject>,
    /// The findings in the order of the text.
    pub findings: Vec<Finding>,
    /// The number of documents of other kinds.
    pub skipped: usize,
    /// The edits that make the new text of the old one, in order; empty if nothing changes.
    pub edits: Vec<Edit>,
    /// The new text; none if nothing changes, or if a finding is an error.
    pub text: Option<String>,
    /// The names that connect this text with other texts.
    pub(crate) links: Links,
}

impl Migration {
    /// The highest severity of the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }

    /// Moves all offsets, by the length of a byte order mark.
    pub(super) fn shift(&mut self, by: usize) {
        for object in &mut self.objects {
            object.offset += by;
            object
                .changes
                .iter_mut()
                .for_each(|change| change.offset += by);
        }
        for finding in &mut self.findings {
            finding.offset += by;
        }
        for edit in &mut self.edits {
            edit.span = Span::new(edit.span.start + by, edit.span.end + by);
        }
    }
}

/// An object of the group in a text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MigratedObject {
    /// The byte offset of its start.
    pub offset: usize,
    /// The kind of the object, or `patch`.
    pub kind: String,
    /// The name, or else `metadata.generateName`.
    pub name: Option<String>,
    /// The `apiVersion` as written; none for a patch without it.
    pub from: Option<String>,
    /// The changes; empty if the object is up to date.
    pub changes: Vec<Change>,
    /// The spec of a level in a server before and after the migration, in v1.
    pub server: Option<(Value, Value)>,
}

/// A change of an object, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The byte offset of its start.
    pub offset: usize,
    /// The change, such as `apiVersion: … becomes …`.
    pub what: String,
    /// The reason, if the change is more than a new name: 0 shares that become 30, for example.
    pub why: Option<String>,
}

impl fmt::Display for MigratedObject {
    /// `FlowSchema "batch" (flowcontrol.apiserver.k8s.io/v1beta2)`, and a line for each change.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        self.name
            .iter()
            .try_for_each(|name| write!(f, " {name:?}"))?;
        self.from
            .iter()
            .try_for_each(|from| write!(f, " ({from})"))?;
        self.changes
            .iter()
            .try_for_each(|change| write!(f, "\n  {change}"))
    }
}

impl fmt::Display for Change {
    /// The change, and the reason in parentheses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.why.iter().try_for_each(|why| write!(f, " ({why})"))
    }
}

impl From<&PlannedChange> for Change {
    fn from(change: &PlannedChange) -> Self {
        Self {
            offset: change.offset,
            what: change.what.clone(),
            why: change.why.clone(),
        }
    }
}
