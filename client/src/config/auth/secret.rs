//! Text that must not appear in logs, and the value of the `Authorization` header.

use crate::config::ConfigError;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;
use std::fmt;

/// A token, password or private key. Its `Debug` form is a placeholder, and it has no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// Wraps a secret.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}

/// The header with a bearer token.
pub(crate) fn bearer(token: &Secret) -> Result<HeaderValue, ConfigError> {
    if token.expose().is_empty() {
        return Err(ConfigError::new("the token is empty"));
    }
    sensitive(&format!("Bearer {}", token.expose()), "the token")
}

/// The header with a user name and a password.
pub(crate) fn basic(username: &str, password: &Secret) -> Result<HeaderValue, ConfigError> {
    let pair = BASE64_STANDARD.encode(format!("{username}:{}", password.expose()));
    sensitive(&format!("Basic {pair}"), "the user name or password")
}

fn sensitive(text: &str, what: &str) -> Result<HeaderValue, ConfigError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        ConfigError::new(format!(
            "{what} contains characters that are not valid in a header"
        ))
    })?;
    value.set_sensitive(true);
    Ok(value)
}
