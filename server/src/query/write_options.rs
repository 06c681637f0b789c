//! The parameters of writes.

use super::parameters::Query;
use crate::status::{Cause, Failure, invalid};
use k8s_flowcontrol_text::go::{is_printable, quote};
use k8s_flowcontrol_types::{Fact, FieldValidation, Release};

const LONGEST_MANAGER: usize = 128;

/// The kind of write of the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteVerb {
    Create,
    Update,
    Patch,
    Apply,
}

impl WriteVerb {
    fn options(self) -> &'static str {
        match self {
            Self::Create => "CreateOptions",
            Self::Update => "UpdateOptions",
            Self::Patch | Self::Apply => "PatchOptions",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct WriteOptions {
    pub(crate) dry_run: bool,
    pub(crate) manager: String,
    pub(crate) validation: FieldValidation,
    pub(crate) force: bool,
}

impl WriteOptions {
    /// Errors: a 422 with every violation.
    pub(crate) fn parse(
        query: &Query,
        verb: WriteVerb,
        user_agent: Option<&str>,
        release: Release,
    ) -> Result<Self, Failure> {
        let mut causes = Vec::new();
        let manager = query.text("fieldManager");
        match verb {
            WriteVerb::Apply if manager.is_empty() => {
                causes.push(Cause::required(
                    "fieldManager",
                    "is required for apply patch",
                ));
            }
            WriteVerb::Patch if query.get("force").is_some() => causes.push(Cause::forbidden(
                "force",
                "may not be specified for non-apply patch",
            )),
            _ => {}
        }
        causes.extend(manager_problems(manager, release));
        causes.extend(dry_run_problem(query, release));
        let validation = match query.text("fieldValidation") {
            "" => FieldValidation::default(),
            "Ignore" => FieldValidation::Ignore,
            "Warn" => FieldValidation::Warn,
            "Strict" => FieldValidation::Strict,
            other => {
                causes.push(Cause::unsupported(
                    "fieldValidation",
                    &quote(other),
                    "\"\", \"Ignore\", \"Strict\", \"Warn\"",
                ));
                FieldValidation::default()
            }
        };
        if !causes.is_empty() {
            return Err(options_invalid(verb.options(), causes));
        }
        Ok(Self {
            dry_run: query.get("dryRun").is_some(),
            manager: manager_name(manager, user_agent),
            validation,
            force: query.is_set("force"),
        })
    }
}

/// The 422 of parameters or options.
pub(super) fn options_invalid(options: &str, causes: Vec<Cause>) -> Failure {
    invalid(options, "meta.k8s.io", "", causes)
}

/// The violation of `dryRun`, whose values must all be `All`.
pub(super) fn dry_run_problem(query: &Query, release: Release) -> Option<Cause> {
    let values: Vec<_> = query.all("dryRun").collect();
    dry_run_values_problem(&values, release)
}

pub(super) fn dry_run_values_problem(values: &[&str], release: Release) -> Option<Cause> {
    if values.iter().all(|value| *value == "All") {
        return None;
    }
    let shown = strings(values, release);
    Some(Cause::unsupported("dryRun", &shown, "\"All\""))
}

/// The violations of a field manager: its length, and each character that cannot be printed.
fn manager_problems(manager: &str, release: Release) -> Vec<Cause> {
    let mut causes = Vec::new();
    if manager.len() > LONGEST_MANAGER {
        let message = format!("Too long: {} {LONGEST_MANAGER} bytes", too_long(release));
        causes.push(Cause::new("FieldValueTooLong", "fieldManager", message));
    }
    for (at, c) in manager.char_indices().filter(|(_, c)| !is_printable(*c)) {
        let character = u32::from(c);
        let detail = format!("invalid character U+{character:04X} (at position {at})");
        causes.push(Cause::invalid("fieldManager", &quote(manager), &detail));
    }
    causes
}

/// The given field manager, or the first part of the user agent.
fn manager_name(given: &str, user_agent: Option<&str>) -> String {
    if !given.is_empty() {
        return given.into();
    }
    let program = user_agent
        .and_then(|agent| agent.split('/').next())
        .unwrap_or_default();
    let mut name = String::new();
    for c in program.chars().filter(|c| is_printable(*c)) {
        if name.len() + c.len_utf8() > LONGEST_MANAGER {
            break;
        }
        name.push(c);
    }
    if name.is_empty() {
        "unknown".into()
    } else {
        name
    }
}

/// The beginning of the message for a text that is too long.
fn too_long(release: Release) -> &'static str {
    if !release.has(Fact::SaysMayNotBeMoreThan) {
        "must have at most"
    } else {
        "may not be more than"
    }
}

/// A list of strings in a message: in Go's syntax, since 1.34 in JSON.
fn strings(values: &[&str], release: Release) -> String {
    let json = release.has(Fact::MessagesPrintJson);
    let separator = if json { "," } else { ", " };
    let values: Vec<_> = values.iter().map(|value| quote(value)).collect();
    let values = values.join(separator);
    if json {
        format!("[{values}]")
    } else {
        format!("[]string{{{values}}}")
    }
}
