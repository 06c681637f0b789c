//! The query parameter `fieldValidation`.

use std::fmt;

/// What a server does about members of a body that it does not know or finds twice: the query parameter
/// `fieldValidation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FieldValidation {
    /// Refuses the request with 400.
    Strict,
    /// Drops them and says so in a warning; what servers do when they are not told.
    #[default]
    Warn,
    /// Drops them silently.
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
