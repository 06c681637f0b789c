//! The results of lint.

use k8s_flowcontrol_types::__named as named;
use k8s_flowcontrol_types::Kind;
use std::fmt;

named! {
    /// The severity of a finding; errors come first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Severity {
        /// The object, or a part of it, has no effect or will be lost.
        Error = "error",
        /// The effect is probably not the intended one.
        Warning = "warning",
        /// A hint to check.
        Note = "note",
    }
    /// The name.
    pub fn as_str;
}

/// A problem found in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The id of the rule, such as `dangling-reference`.
    pub rule: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The object's kind.
    pub kind: Kind,
    /// The object's name.
    pub name: String,
    /// The path of the field, such as `spec.rules[0].subjects[1]`.
    pub path: String,
    /// The problem, in one sentence.
    pub message: String,
    /// A solution, in one sentence.
    pub help: String,
}

impl Finding {
    pub(super) fn sort_key(&self) -> impl Ord {
        (
            self.severity,
            self.kind,
            self.name.as_str(),
            self.path.as_str(),
            self.rule,
        )
    }
}

impl fmt::Display for Finding {
    /// One line, without [`help`](Self::help), which a program words or places in its own way.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            severity,
            kind,
            name,
            path,
            message,
            ..
        } = self;
        write!(f, "{severity}[{rule}] {kind} `{name}`, {path}: {message}")
    }
}
