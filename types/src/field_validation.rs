//! The query parameter `fieldValidation`.

use std::fmt;

/// The treatment of unknown and duplicate fields in a request body: the query parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FieldValidation {
    /// The server answers 400.
    Strict,
    /// The server drops them and returns a warning; the default.
    #[default]
    Warn,
    /// The server drops them silently.
    Ignore,
}

impl FieldValidation {
    /// The value on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "Strict",
            Self::Warn => "Warn",
            Self::Ignore => "Ignore",
        }
    }
}

impl fmt::Display for FieldValidation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
