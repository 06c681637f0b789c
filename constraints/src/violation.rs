//! Violations of a schema.

use std::fmt;

/// A violated constraint: a cause of the server's 422.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Violation {
    /// The field's path, such as `spec.ports[0].name`; `<nil>` where the server has none.
    pub field: String,
    /// The cause's reason.
    pub reason: Reason,
    /// The cause's message, such as `Invalid value: 0: spec.replicas in body should be greater than or equal to 1`.
    pub message: String,
}

impl Violation {
    /// A violation at `path`, with the words of the reason and the parts that are not empty.
    pub(crate) fn new<'a>(
        path: &str,
        reason: Reason,
        parts: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut message = reason.words().to_owned();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            message.push_str(": ");
            message.push_str(part);
        }
        Self {
            field: shown(path),
            reason,
            message,
        }
    }
}

/// A path as a server shows it.
pub(crate) fn shown(path: &str) -> String {
    if path.is_empty() { "<nil>" } else { path }.to_owned()
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// The reason of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// The value violates a bound, a pattern or a rule.
    Invalid,
    /// The value has another type or format.
    TypeInvalid,
    /// A value is missing.
    Required,
    /// A rule forbids the value.
    Forbidden,
    /// The value is not in the `enum`.
    NotSupported,
    /// Another element of the list has the same value or keys.
    Duplicate,
    /// The text is too long.
    TooLong,
    /// The list or map has too many elements.
    TooMany,
}

impl Reason {
    /// The reason as in the Status, such as `FieldValueInvalid`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::Required => "FieldValueRequired",
            Self::Forbidden => "FieldValueForbidden",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
        }
    }

    /// The start of the message.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::Required => "Required value",
            Self::Forbidden => "Forbidden",
            Self::NotSupported => "Unsupported value",
            Self::Duplicate => "Duplicate value",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
        }
    }

    /// Whether a server does not evaluate rules of an object with such a violation.
    pub(crate) const fn blocks_rules(self) -> bool {
        matches!(
            self,
            Self::NotSupported | Self::Required | Self::TooLong | Self::TooMany | Self::TypeInvalid
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A constraint that was not checked, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct NotChecked {
    /// The path of the value, such as `spec.ports[0]`; in a list of a schema the path of the field, such as `spec.ports[]`.
    pub field: String,
    /// The rule, pattern or format as the schema has it.
    pub constraint: String,
    /// Why it was not checked, such as ``the function `ip` is not supported``.
    pub reason: String,
}

impl NotChecked {
    /// No constraint of an object was checked.
    pub fn everything(reason: &str) -> Self {
        Self {
            field: "<nil>".to_owned(),
            constraint: "all".to_owned(),
            reason: reason.to_owned(),
        }
    }
}

impl From<NotChecked> for Validation {
    fn from(not_checked: NotChecked) -> Self {
        Self {
            violations: Vec::new(),
            not_checked: vec![not_checked],
        }
    }
}

impl fmt::Display for NotChecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            field,
            constraint,
            reason,
        } = self;
        write!(f, "{field}: not checked: `{constraint}`: {reason}")
    }
}

/// The outcome of a validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Validation {
    /// The violations, in the order of the schema.
    pub violations: Vec<Violation>,
    /// Constraints on values of the object that were not checked. A server checks them.
    pub not_checked: Vec<NotChecked>,
}

impl Validation {
    /// Whether every constraint was checked, and none is violated.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty() && self.not_checked.is_empty()
    }

    /// Nothing, if the object is valid; else an error with all violations and all constraints that were not checked.
    ///
    /// # Errors
    /// If [`Validation::is_valid`] is false.
    pub fn into_result(self) -> Result<(), Invalid> {
        match self.is_valid() {
            true => Ok(()),
            false => Err(Invalid(self)),
        }
    }
}

/// A validation that found violations, or could not check everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(Validation);

impl Invalid {
    /// The outcome.
    pub fn validation(&self) -> &Validation {
        &self.0
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let violations = self.0.violations.iter().map(ToString::to_string);
        let not_checked = self.0.not_checked.iter().map(ToString::to_string);
        let lines: Vec<String> = violations.chain(not_checked).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Invalid {}
