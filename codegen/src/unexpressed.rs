//! The parts of a document that Rust types do not express.

use crate::error::{At, Error};
use std::fmt;

/// The outcome for a part of a document that no Rust type expresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// Values are any JSON (`meta::RawJson`).
    AnyJson,
    /// Objects keep the fields in `unknown`.
    KeptUnknown,
    /// The documentation of the field states it; a server checks it, and so does `validate()` where it is generated.
    Documented,
    /// A default. A server fills it in where the field is absent, and so does generated `validate()` of a CustomResourceDefinition before it
    /// checks an object.
    FilledIn,
    /// A server checks it, and so does `validate()` where it is generated. Rules are known to be checked only with the feature `validate`.
    Validated,
    /// A server checks it. `validate()` does not, or it is not known without the feature `validate`: rules, patterns and formats.
    Server,
    /// It does not concern values, or is not checked at all.
    Ignored,
}

impl Outcome {
    /// All outcomes, the most important first: changes of types.
    pub const ALL: &[Self] = &[
        Self::AnyJson,
        Self::KeptUnknown,
        Self::Documented,
        Self::FilledIn,
        Self::Validated,
        Self::Server,
        Self::Ignored,
    ];
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AnyJson => "any JSON",
            Self::KeptUnknown => "kept in `unknown`",
            Self::Documented => {
                "in the documentation, checked by the server and by generated `validate()`"
            }
            Self::FilledIn => "a default, filled in by the server",
            Self::Validated => "checked by the server and by generated `validate()`",
            Self::Server => "checked by the server",
            Self::Ignored => "ignored",
        })
    }
}

/// A part of a document that no Rust type expresses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Unexpressed {
    /// The outcome for it.
    pub outcome: Outcome,
    /// The file and the JSON pointer of the keyword, such as `pets.json#/components/schemas/Pet/not`.
    pub place: String,
    /// The reason, if the keyword does not tell it.
    pub reason: Option<String>,
}

impl Unexpressed {
    pub(crate) fn new(at: &At, outcome: Outcome) -> Self {
        Self {
            outcome,
            place: at.to_string(),
            reason: None,
        }
    }

    /// A schema without a Rust type, whose values are any JSON.
    pub(crate) fn any_json(error: &Error) -> Self {
        let (place, reason) = error.parts();
        Self {
            outcome: Outcome::AnyJson,
            place: place.unwrap_or_default().to_owned(),
            reason: Some(reason.to_owned()),
        }
    }

    pub(crate) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

impl fmt::Display for Unexpressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.outcome)?;
        match &self.reason {
            Some(reason) => write!(f, " ({reason})"),
            None => Ok(()),
        }
    }
}
