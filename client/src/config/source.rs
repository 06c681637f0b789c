//! Certificates, keys and tokens: in the configuration itself, or in a file that may change.

use super::ConfigError;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Where some bytes come from.
#[derive(Clone)]
pub(crate) struct Source {
    /// What they are and where that was said, for errors.
    place: Arc<str>,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Data(Arc<[u8]>),
    File(PathBuf),
}

impl Source {
    pub(super) fn data(place: impl Into<Arc<str>>, bytes: Vec<u8>) -> Self {
        Self {
            place: place.into(),
            content: Content::Data(bytes.into()),
        }
    }

    pub(super) fn file(place: impl Into<Arc<str>>, path: impl Into<PathBuf>) -> Self {
        Self {
            place: place.into(),
            content: Content::File(path.into()),
        }
    }

    /// What is there now; a file is read each time, so that a change of it is never missed.
    pub(crate) fn read(&self) -> Result<Arc<[u8]>, ConfigError> {
        match &self.content {
            Content::Data(bytes) => Ok(bytes.clone()),
            Content::File(path) => std::fs::read(path).map(Arc::from).map_err(|error| {
                ConfigError::unreadable("the file", path, error).within(&self.place)
            }),
        }
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> ConfigError {
        let place = match &self.content {
            Content::Data(_) => self.place.to_string(),
            Content::File(path) => format!("{}: {}", self.place, path.display()),
        };
        ConfigError::new(message).within(&place)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            Content::Data(_) => f.write_str("[data]"),
            Content::File(path) => path.fmt(f),
        }
    }
}
