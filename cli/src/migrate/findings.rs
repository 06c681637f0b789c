//! What a run has to say about a text.

use serde_json::Value;

/// How much something weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// Worth knowing; nothing to do.
    Note,
    /// Cannot be changed here: somebody has to look at it.
    Manual,
    /// The text stays as it is, because something would be lost or is wrong.
    Error,
}

impl Severity {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Manual => "manual",
            Self::Error => "error",
        }
    }
}

/// What a finding is about. The names are stable: scripts and baselines know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Rule {
    Outdated,
    Loss,
    ForeignField,
    UnknownVersion,
    Unreadable,
    CannotEdit,
    Template,
    CapabilityCheck,
    Patch,
    Embedded,
    LastApplied,
    ManagedFields,
    Mention,
    Comment,
    NotChecked,
    NotWritten,
}

impl Rule {
    pub(crate) const ALL: [Self; 16] = [
        Self::Outdated,
        Self::Loss,
        Self::ForeignField,
        Self::UnknownVersion,
        Self::Unreadable,
        Self::CannotEdit,
        Self::Template,
        Self::CapabilityCheck,
        Self::Patch,
        Self::Embedded,
        Self::LastApplied,
        Self::ManagedFields,
        Self::Mention,
        Self::Comment,
        Self::NotChecked,
        Self::NotWritten,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Outdated => "outdated",
            Self::Loss => "loss",
            Self::ForeignField => "foreign-field",
            Self::UnknownVersion => "unknown-version",
            Self::Unreadable => "unreadable",
            Self::CannotEdit => "cannot-edit",
            Self::Template => "template",
            Self::CapabilityCheck => "capability-check",
            Self::Patch => "patch",
            Self::Embedded => "embedded",
            Self::LastApplied => "last-applied",
            Self::ManagedFields => "managed-fields",
            Self::Mention => "mention",
            Self::Comment => "comment",
            Self::NotChecked => "not-checked",
            Self::NotWritten => "not-written",
        }
    }

    /// What the rule looks for, in a sentence.
    pub(crate) const fn summary(self) -> &'static str {
        match self {
            Self::Outdated => "An object is in another version than the wanted one.",
            Self::Loss => "Something would be lost, or would mean something else.",
            Self::ForeignField => "A field of one version is written under another one.",
            Self::UnknownVersion => "The API group has no such version or kind.",
            Self::Unreadable => "The file cannot be read.",
            Self::CannotEdit => "The object cannot be changed in the style of this file.",
            Self::Template => "A template makes the value when it is rendered.",
            Self::CapabilityCheck => "A template asks the cluster for a version.",
            Self::Patch => "A patch speaks of a version or a field that changes.",
            Self::Embedded => "A manifest lies in a string of another object.",
            Self::LastApplied => "The last-applied annotation speaks of an old version.",
            Self::ManagedFields => "managedFields, the history of an object, name an old version.",
            Self::Mention => "An old version or field is mentioned where its use is unknown.",
            Self::Comment => "A comment mentions an old version or field.",
            Self::NotChecked => "Something was not looked into.",
            Self::NotWritten => "A file could not be written.",
        }
    }
}

/// Something to say about a place of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    pub(crate) rule: Rule,
    /// The byte where it is.
    pub(crate) offset: usize,
    /// The field, as the server would name it.
    pub(crate) path: Option<String>,
    pub(crate) message: String,
    /// What can be done about it.
    pub(crate) help: Option<String>,
}

impl Finding {
    pub(super) fn new(
        severity: Severity,
        rule: Rule,
        offset: usize,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            rule,
            offset,
            path: None,
            message: message.into(),
            help: None,
        }
    }

    pub(super) fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A change of an object, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) offset: usize,
    pub(crate) what: String,
}

/// An object of the group in a text.
#[derive(Clone, Debug)]
pub(crate) struct DocumentReport {
    /// The byte where it begins.
    pub(crate) offset: usize,
    /// Its kind, or what else it is: a list, a patch.
    pub(crate) kind: String,
    pub(crate) name: Option<String>,
    /// The `apiVersion` as it is written; nothing for a patch that has none.
    pub(crate) from: Option<String>,
    /// What has to change; nothing when the object is up to date.
    pub(crate) changes: Vec<Changed>,
    /// The specification of a level as a server holds it before and after, in the terms of v1.
    pub(crate) server: Option<(Value, Value)>,
}

/// What came of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) documents: Vec<DocumentReport>,
    pub(crate) findings: Vec<Finding>,
    /// How many documents of other kinds there are.
    pub(crate) passed_over: usize,
    /// The new text, when something changes.
    pub(crate) text: Option<String>,
}

impl Outcome {
    /// The weight of the heaviest finding.
    pub(crate) fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}
