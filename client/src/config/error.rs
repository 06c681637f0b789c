//! Errors in a configuration.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// An invalid configuration. The text names the file, the context and the field, and contains no secret.
#[derive(Clone, Debug)]
pub struct ConfigError {
    message: String,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl ConfigError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(what: &str, file: &Path, error: io::Error) -> Self {
        let message = format!("{what} {} cannot be read: {error}", file.display());
        Self {
            message,
            source: Some(Arc::new(error)),
        }
    }

    /// Whether a file does not exist.
    pub(super) fn is_missing_file(&self) -> bool {
        let io = self
            .source
            .as_ref()
            .and_then(|error| error.downcast_ref::<io::Error>());
        io.is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
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

impl StdError for ConfigError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
