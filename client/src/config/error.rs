//! Errors in a configuration.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::Path;

/// An invalid configuration. The text names the file, the context and the field, and does not contain secrets.
#[derive(Clone)]
pub struct ConfigError {
    message: String,
    is_missing_file: bool,
}

impl ConfigError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            is_missing_file: false,
        }
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(what: &str, file: &Path, error: &io::Error) -> Self {
        Self {
            message: format!("{what} {} cannot be read: {error}", file.display()),
            is_missing_file: error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Whether a file does not exist.
    pub(super) fn is_missing_file(&self) -> bool {
        self.is_missing_file
    }

    /// Prefixes the file, context or field that contains the error.
    pub(crate) fn within(mut self, origin: &str) -> Self {
        self.message = format!("{origin}: {}", self.message);
        self
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The text of the error, which a program prints that returns it from `main`.
impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Without a source: the text contains the cause.
impl StdError for ConfigError {}
