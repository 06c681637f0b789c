//! A bearer token in a file that rotates.

use super::secret::bearer;
use super::source::Source;
use crate::config::{ConfigError, Secret, notice};
use http::HeaderValue;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The token of a file. Like client-go, keeps the last valid token while the file has none. Clones share it.
#[derive(Clone)]
pub(crate) struct TokenFile {
    file: Source,
    /// Used until the file has contained a valid token.
    inline: Option<Secret>,
    last: Arc<Mutex<Last>>,
}

#[derive(Default)]
struct Last {
    /// The header with the last valid token of the file.
    header: Option<HeaderValue>,
    /// The fault of the last read, so that it is reported once.
    fault: Option<String>,
}

impl TokenFile {
    pub(crate) fn new(file: Source, inline: Option<Secret>) -> Self {
        Self {
            file,
            inline,
            last: Arc::default(),
        }
    }

    pub(crate) fn path(&self) -> Option<String> {
        self.file.path()
    }

    pub(crate) fn inline(&self) -> Option<&Secret> {
        self.inline.as_ref()
    }

    /// The header with the token that the file contains now. Waits for the disk.
    pub(crate) fn read(&self) -> Result<HeaderValue, ConfigError> {
        header_of(&self.file)
    }

    /// The header for the next request.
    pub(crate) fn header(
        &self,
        read: Result<HeaderValue, ConfigError>,
    ) -> Result<HeaderValue, ConfigError> {
        // Nothing panics while the lock is held.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let error = match read {
            Ok(header) => {
                *last = Last {
                    header: Some(header.clone()),
                    fault: None,
                };
                return Ok(header);
            }
            Err(error) => error,
        };
        let (previous, in_use) = match (&last.header, &self.inline) {
            (Some(header), _) => (header.clone(), "the last valid token stays in use"),
            (None, Some(token)) => (bearer(token)?, "the field `token` is used instead"),
            (None, None) => return Err(error),
        };
        let fault = error.to_string();
        if last.fault.as_ref() != Some(&fault) {
            notice(&format_args!("{fault}; {in_use}"));
            last.fault = Some(fault);
        }
        Ok(previous)
    }
}

impl fmt::Debug for TokenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenFile")
            .field("file", &self.file)
            .field("inline", &self.inline)
            .finish_non_exhaustive()
    }
}

fn header_of(file: &Source) -> Result<HeaderValue, ConfigError> {
    let bytes = file.read()?;
    let text =
        std::str::from_utf8(&bytes).map_err(|_| file.error("the token is not UTF-8 text"))?;
    bearer(&Secret::new(text.trim())).map_err(|error| file.error(error.to_string()))
}
