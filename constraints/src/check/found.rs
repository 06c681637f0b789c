//! Faults of a value, and how much of its schema it fits.

use crate::violation::{Reason, Violation};

/// The outcome for a value.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) faults: Vec<Fault>,
    /// The number of checks that were made. Of several branches that do not fit, that with the most is reported.
    pub(super) matches: usize,
}

impl Found {
    pub(super) fn of(fault: Fault) -> Self {
        Self {
            faults: vec![fault],
            matches: 0,
        }
    }

    pub(super) fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn count(&mut self) {
        self.matches += 1;
    }

    pub(super) fn add(&mut self, fault: Fault) {
        let is_same = |known: &Fault| known.identity == fault.identity;
        if !self.faults.iter().any(is_same) {
            self.faults.push(fault);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        for fault in other.faults {
            self.add(fault);
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
    identity: String,
    violation: Violation,
}

impl Fault {
    /// A fault of the value at `path`, which the message shows if it is given.
    pub(super) fn new(path: &str, reason: Reason, value: Option<String>, detail: &str) -> Self {
        let field = match path.strip_prefix('.').unwrap_or(path) {
            "" => "<nil>",
            field => field,
        };
        let mut message = reason.words().to_owned();
        for part in value.iter().map(String::as_str).chain([detail]) {
            if !part.is_empty() {
                message.push_str(": ");
                message.push_str(part);
            }
        }
        Self {
            identity: format!("{path} {detail} {}", reason.as_str()),
            violation: Violation {
                field: field.to_owned(),
                reason,
                message,
            },
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
