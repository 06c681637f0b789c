//! Faults of a value, and how much of its schema it fits.

use crate::violation::{Reason, Violation};
use std::collections::HashSet;
use std::rc::Rc;

/// The outcome for a value.
#[derive(Debug, Default)]
pub(super) struct Found {
    faults: Vec<Fault>,
    /// The identities of the faults.
    known: HashSet<Rc<str>>,
    /// The number of checks that were made. Of several branches that do not fit, that with the most is reported.
    pub(super) matches: usize,
}

impl Found {
    pub(super) fn of(fault: Fault) -> Self {
        let mut found = Self::default();
        found.add(fault);
        found
    }

    pub(super) fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn count(&mut self) {
        self.matches += 1;
    }

    pub(super) fn add(&mut self, fault: Fault) {
        if self.known.insert(Rc::clone(&fault.identity)) {
            self.faults.push(fault);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        if self.is_valid() {
            (self.faults, self.known) = (other.faults, other.known);
            return;
        }
        for fault in other.faults {
            self.add(fault);
        }
    }

    /// Adds what one more check found.
    pub(super) fn check(&mut self, other: Self) {
        self.merge(other);
        self.count();
    }

    /// The same without its faults.
    pub(super) fn forgiven(self) -> Self {
        Self {
            matches: self.matches,
            ..Self::default()
        }
    }

    pub(super) fn violations(self) -> Vec<Violation> {
        self.faults
            .into_iter()
            .map(|fault| fault.violation)
            .collect()
    }
}

/// A violation, with the text by which a server knows it again.
#[derive(Debug)]
pub(super) struct Fault {
    identity: Rc<str>,
    violation: Violation,
}

impl Fault {
    /// A fault of the value at `path`, which the message shows if it is given.
    pub(super) fn new(path: &str, reason: Reason, value: Option<String>, detail: &str) -> Self {
        let field = path.strip_prefix('.').unwrap_or(path);
        let parts = value.as_deref().into_iter().chain([detail]);
        Self {
            identity: format!("{path} {detail} {}", reason.as_str()).into(),
            violation: Violation::new(field, reason, parts),
        }
    }

    /// `PATH in body DETAIL`, as the server's library for schemas words most faults.
    pub(super) fn in_body(path: &str, reason: Reason, value: &str, detail: &str) -> Self {
        Self::new(
            path,
            reason,
            Some(value.to_owned()),
            &format!("{path} in body {detail}"),
        )
    }

    /// A fault for which the server does not name a field.
    pub(super) fn of_object(detail: &str) -> Self {
        Self::new("", Reason::Invalid, Some("\"\"".to_owned()), detail)
    }
}
