//! The results of a diagnosis.

use super::observation::Observation;
use k8s_flowcontrol_types::__named as named;
use std::fmt;

named! {
    /// The severity of a finding; problems come first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Severity {
        /// Requests wait or are rejected because of this.
        Problem = "problem",
        /// Requests would wait or be rejected under more load.
        Risk = "risk",
        /// A fact that helps to understand the other findings.
        Note = "note",
    }
    /// The name.
    pub fn as_str;
}

/// A fact about a cluster, its evidence, and an action.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The id of the check, such as `rejections`.
    pub check: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The API server; `None` for findings about the objects or the logs.
    pub server: Option<String>,
    /// The priority level, for findings about one.
    pub priority_level: Option<String>,
    /// The fact, in one sentence.
    pub message: String,
    /// The metrics, objects, dumps and logs that the fact follows from.
    pub evidence: Vec<Observation>,
    /// The action, in one sentence.
    pub action: String,
}

impl Finding {
    /// The first evidence, so that the message, the evidence, a line about the rest and the action have at most `lines` lines.
    pub fn first_evidence(&self, lines: usize) -> &[Observation] {
        let all = lines.saturating_sub(2);
        let shown = match self.evidence.len() <= all {
            true => self.evidence.len(),
            false => all.saturating_sub(1),
        };
        self.evidence.get(..shown).unwrap_or_default()
    }
}

/// A part of the evidence that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The missing part, such as `the metrics of 10.0.0.1:6443`.
    pub what: String,
    /// The reason, such as an error.
    pub why: String,
}

impl Gap {
    /// A part that is missing for a reason.
    pub fn new(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            why: why.into(),
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}
