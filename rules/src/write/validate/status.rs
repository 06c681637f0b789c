//! The Status of a failed request.

use super::violation::Violation;
use k8s_flowcontrol_text::go::quote;
use k8s_flowcontrol_types::{GROUP, Kind};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The failure in a server's Status.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The HTTP status code.
    pub code: u16,
    /// The reason, such as `Invalid`; `None` for some 500 responses.
    pub reason: Option<&'static str>,
    /// The message.
    pub message: String,
    /// The object and the causes.
    pub details: Option<Details>,
}

/// The object of a failure, and the causes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Details {
    /// The object's name.
    pub name: String,
    /// The kind; for conflicts the plural name of the resource.
    pub kind: &'static str,
    /// The violated rules.
    pub causes: Vec<Violation>,
}

impl Failure {
    fn new(code: u16, reason: Option<&'static str>, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            details: None,
        }
    }

    /// The failure with the resource of an object.
    fn about(mut self, kind: Kind, name: &str) -> Self {
        self.details = Some(Details {
            name: name.into(),
            kind: kind.plural(),
            causes: Vec::new(),
        });
        self
    }

    /// Creates the 404 for a path that the server does not have, in the words of kubectl.
    pub fn not_served() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(404, Some("NotFound"), message)
    }

    /// Creates the 404 for an object that does not exist.
    pub fn not_found(kind: Kind, name: &str) -> Self {
        let message = format!("{} not found", quoted(kind, name));
        Self::new(404, Some("NotFound"), message).about(kind, name)
    }

    /// Creates the 400 for a malformed request.
    pub fn bad_request(message: String) -> Self {
        Self::new(400, Some("BadRequest"), message)
    }

    pub(super) fn too_large(limit: usize) -> Self {
        let message = format!("Request entity too large: limit is {limit}");
        Self::new(413, Some("RequestEntityTooLarge"), message)
    }

    pub(super) fn internal(message: String) -> Self {
        Self::new(500, None, message)
    }

    pub(super) fn already_exists(kind: Kind, name: &str) -> Self {
        let message = format!("{} already exists", quoted(kind, name));
        Self::new(409, Some("AlreadyExists"), message).about(kind, name)
    }

    pub(super) fn conflict(kind: Kind, name: &str, why: &str) -> Self {
        let object = quoted(kind, name);
        let message = format!("Operation cannot be fulfilled on {object}: {why}");
        Self::new(409, Some("Conflict"), message).about(kind, name)
    }

    /// Creates the 422 for the violations of the object `name`.
    pub fn invalid(kind: Kind, name: &str, causes: Vec<Violation>) -> Self {
        // A rule that runs twice adds its message twice; the summary contains it once.
        let mut seen = HashSet::new();
        let lines: Vec<String> = causes
            .iter()
            .map(Violation::to_string)
            .filter(|line| seen.insert(line.clone()))
            .collect();
        let summary = match lines.as_slice() {
            [line] => line.clone(),
            lines => format!("[{}]", lines.join(", ")),
        };
        let message = format!("{kind}.{GROUP} {} is invalid: {summary}", quote(name));
        let details = Details {
            name: name.into(),
            kind: kind.as_str(),
            causes,
        };
        Self {
            details: Some(details),
            ..Self::new(422, Some("Invalid"), message)
        }
    }

    /// Returns the Status as JSON.
    pub fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if let Some(reason) = self.reason {
            status["reason"] = reason.into();
        }
        if let Some(details) = &self.details {
            status["details"] = details.json();
        }
        status
    }
}

/// The resource and the name of an object.
fn quoted(kind: Kind, name: &str) -> String {
    format!("{}.{GROUP} {}", kind.plural(), quote(name))
}

impl Details {
    fn json(&self) -> Value {
        let mut details = json!({"group": GROUP, "kind": self.kind});
        if !self.name.is_empty() {
            details["name"] = self.name.as_str().into();
        }
        if !self.causes.is_empty() {
            details["causes"] = self
                .causes
                .iter()
                .map(|cause| {
                    json!({
                        "reason": cause.reason.as_str(),
                        "message": cause.message,
                        "field": cause.field,
                    })
                })
                .collect();
        }
        details
    }
}
