//! A file that was examined.

use super::candidates::Candidate;
use super::replace::Identity;
use super::servers::ServerUse;
use super::skipped::SkipReason;
use crate::dependencies::Dependency;
use crate::source::Source;
use crate::{Migration, Severity};
use k8s_flowcontrol_types::__named as named;
use std::sync::Arc;

/// A file with the outcome of its migration.
#[derive(Debug)]
#[non_exhaustive]
pub struct Examined {
    /// The file.
    pub candidate: Candidate,
    /// The text of the file, kept if there is something to report about it.
    pub source: Arc<Source>,
    /// The file with the content that was read.
    pub(super) identity: Option<Identity>,
    /// The libraries that the file names as dependencies.
    pub(super) dependencies: Vec<Dependency>,
    /// The use of the library of API servers.
    pub(super) server_use: ServerUse,
    /// The reason why the content of the file was not examined.
    pub skipped: Option<SkipReason>,
    /// The changes and findings.
    pub outcome: Migration,
    /// The state of the file.
    pub status: Status,
}

impl Examined {
    /// Sets the state of a file that is not written yet by its findings.
    pub fn judge(&mut self) {
        self.status = Status::of(&self.outcome);
    }
}

named! {
    /// The state of a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Status {
        /// No changes are needed.
        Current = "current",
        /// Something must be changed by hand, and nothing else.
        Manual = "manual",
        /// Changes are needed.
        Outdated = "outdated",
        /// The changes are written.
        Changed = "changed",
        /// The file is not changed because of an error.
        Refused = "refused",
    }
    /// The name of the state, in lower case.
    pub fn as_str;
}

impl Status {
    pub(super) fn of(outcome: &Migration) -> Self {
        match outcome.worst() {
            Some(Severity::Error) => Self::Refused,
            _ if outcome.text.is_some() => Self::Outdated,
            Some(Severity::Manual) => Self::Manual,
            Some(Severity::Note) | None => Self::Current,
        }
    }
}
