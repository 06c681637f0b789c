//! Violations of an object, and the report that collects them.

use super::go_value::GoValue;
use super::wording::Wording;
use k8s_flowcontrol_text::go::{json_quote, quote};
use k8s_flowcontrol_types::__named as named;
use k8s_flowcontrol_types::Release;
use std::fmt;

/// A violated rule: a cause of the server's 422.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The field's path, such as `spec.rules[0].subjects`.
    pub field: String,
    /// The cause's reason.
    pub reason: Reason,
    /// The cause's message, such as `Required value: subjects must contain at least one value`.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

named! {
    /// The reason of a violation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Reason {
        /// `FieldValueInvalid`: the value violates a rule.
        Invalid = "FieldValueInvalid",
        /// `FieldValueRequired`: a value is missing.
        Required = "FieldValueRequired",
        /// `FieldValueForbidden`: a value must be absent.
        Forbidden = "FieldValueForbidden",
        /// `FieldValueNotSupported`: the value is not in a fixed list.
        NotSupported = "FieldValueNotSupported",
        /// `FieldValueDuplicate`: another element has the same value.
        Duplicate = "FieldValueDuplicate",
        /// `FieldValueTooLong`: the value is too long.
        TooLong = "FieldValueTooLong",
        /// `UnknownField`: the kind has no such field in that version and release. No cause of a server's 422: a server drops
        /// the field, or answers 400 where field validation is strict.
        UnknownField = "UnknownField",
    }
    /// The reason as in the Status, such as `FieldValueInvalid`.
    pub fn as_str;
}

impl Reason {
    /// The start of the message.
    const fn words(self) -> &'static str {
        match self {
            Self::Invalid => "Invalid value",
            Self::Required => "Required value",
            Self::Forbidden => "Forbidden",
            Self::NotSupported => "Unsupported value",
            Self::Duplicate => "Duplicate value",
            Self::TooLong => "Too long",
            Self::UnknownField => "Unknown field",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Path(String);

impl Path {
    pub(super) fn new(root: &str) -> Self {
        Self(root.into())
    }

    pub(super) fn child(&self, name: &str) -> Self {
        Self(format!("{}.{name}", self.0))
    }

    pub(super) fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }
}

/// An invalid value, to be printed in a message.
pub(super) enum BadValue<'a> {
    Text(&'a str),
    /// A string of a named Go type.
    Named(&'a str),
    Integer(i64),
    Texts(&'a [String]),
    /// A value of another Go type.
    Go(GoValue),
    /// Text that is already formatted.
    Printed(String),
}

impl BadValue<'_> {
    fn print(&self, wording: &Wording) -> String {
        match self {
            Self::Text(text) => quote(text),
            Self::Named(text) if wording.values_as_json => json_quote(text),
            Self::Named(text) => quote(text),
            Self::Integer(number) => number.to_string(),
            Self::Texts(texts) if wording.values_as_json => {
                format!("[{}]", join(texts.iter().map(|text| json_quote(text)), ","))
            }
            Self::Texts(texts) => {
                format!(
                    "[]string{{{}}}",
                    join(texts.iter().map(|text| quote(text)), ", ")
                )
            }
            Self::Go(value) if wording.values_as_json => value.json(),
            Self::Go(value) => value.source(),
            Self::Printed(text) => text.clone(),
        }
    }
}

/// The violations found so far, and the wording of the release.
pub(super) struct Report {
    pub(super) release: Release,
    pub(super) wording: &'static Wording,
    violations: Vec<Violation>,
}

impl Report {
    pub(super) fn new(release: Release) -> Self {
        Self {
            release,
            wording: Wording::of(release),
            violations: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Vec<Violation> {
        self.violations
    }

    pub(super) fn invalid(&mut self, path: &Path, value: &BadValue<'_>, detail: &str) {
        let value = value.print(self.wording);
        self.push(path, Reason::Invalid, Some(&value), detail);
    }

    pub(super) fn invalid_number(&mut self, path: &Path, number: i64, detail: &str) {
        self.invalid(path, &BadValue::Integer(number), detail);
    }

    /// Adds a violation for each message about a text.
    pub(super) fn invalid_text(&mut self, path: &Path, text: &str, messages: Vec<String>) {
        for message in messages {
            self.invalid(path, &BadValue::Text(text), &message);
        }
    }

    pub(super) fn required(&mut self, path: &Path, detail: &str) {
        self.push(path, Reason::Required, None, detail);
    }

    pub(super) fn forbidden(&mut self, path: &Path, detail: &str) {
        self.push(path, Reason::Forbidden, None, detail);
    }

    /// Adds a violation that lists the `supported` values.
    pub(super) fn not_supported(&mut self, path: &Path, value: &BadValue<'_>, supported: &[&str]) {
        let supported = join(supported.iter().map(|value| quote(value)), ", ");
        let value = value.print(self.wording);
        let detail = format!("supported values: {supported}");
        self.push(path, Reason::NotSupported, Some(&value), &detail);
    }

    pub(super) fn duplicate(&mut self, path: &Path, value: &BadValue<'_>) {
        let value = value.print(self.wording);
        self.push(path, Reason::Duplicate, Some(&value), "");
    }

    pub(super) fn too_long(&mut self, path: &Path, limit: usize) {
        let detail = format!("must have at most {limit} bytes");
        self.push(path, Reason::TooLong, None, &detail);
    }

    fn push(&mut self, path: &Path, reason: Reason, value: Option<&str>, detail: &str) {
        let mut message = String::from(reason.words());
        let detail = self.release.reworded(detail);
        for part in value
            .into_iter()
            .chain((!detail.is_empty()).then_some(&*detail))
        {
            message.push_str(": ");
            message.push_str(part);
        }
        self.violations.push(Violation {
            field: path.0.clone(),
            reason,
            message,
        });
    }
}

fn join(parts: impl Iterator<Item = String>, separator: &str) -> String {
    parts.collect::<Vec<_>>().join(separator)
}
