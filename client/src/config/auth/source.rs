//! Certificates, keys and tokens: in the configuration itself, or in a file that may change.

use super::cached_file::CachedFile;
use crate::config::ConfigError;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes, or the file that contains them.
#[derive(Clone)]
pub(crate) struct Source {
    /// The field or setter that named them, for errors.
    field: Arc<str>,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Data(Arc<[u8]>),
    File(Arc<CachedFile>),
}

impl Source {
    pub(crate) fn data(field: impl Into<Arc<str>>, bytes: Vec<u8>) -> Self {
        Self {
            field: field.into(),
            content: Content::Data(bytes.into()),
        }
    }

    pub(crate) fn file(field: impl Into<Arc<str>>, path: impl Into<PathBuf>) -> Self {
        Self {
            field: field.into(),
            content: Content::File(Arc::new(CachedFile::new(path.into()))),
        }
    }

    /// The current bytes. A file is read again when it has changed.
    pub(crate) fn read(&self) -> Result<Arc<[u8]>, ConfigError> {
        match &self.content {
            Content::Data(bytes) => Ok(bytes.clone()),
            Content::File(file) => file.read().map_err(|error| {
                ConfigError::unreadable("the file", file.path(), &error).within(&self.field)
            }),
        }
    }

    pub(crate) fn is_file(&self) -> bool {
        matches!(self.content, Content::File(_))
    }

    /// The file as an absolute path; `None` for data in the configuration itself.
    pub(crate) fn path(&self) -> Option<String> {
        match &self.content {
            Content::Data(_) => None,
            Content::File(file) => Some(absolute(file.path())),
        }
    }

    /// The data in the configuration itself; empty for a file.
    pub(crate) fn base64(&self) -> String {
        match &self.content {
            Content::Data(bytes) => BASE64_STANDARD.encode(bytes),
            Content::File(_) => String::new(),
        }
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> ConfigError {
        let origin = match &self.content {
            Content::Data(_) => self.field.to_string(),
            Content::File(file) => format!("{}: {}", self.field, file.path().display()),
        };
        ConfigError::new(message).within(&origin)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            Content::Data(_) => f.write_str("[data]"),
            Content::File(file) => file.path().fmt(f),
        }
    }
}

/// A path as text that does not depend on the working directory.
pub(crate) fn absolute(path: &Path) -> String {
    let absolute = std::path::absolute(path);
    absolute.as_deref().unwrap_or(path).display().to_string()
}
