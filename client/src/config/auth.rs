//! Credentials that travel in the `Authorization` header.

use super::{ConfigError, Secret};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;
use std::path::PathBuf;

/// Who the program is, as far as headers say.
#[derive(Clone, Debug)]
pub(super) enum Auth {
    None,
    Token(Secret),
    TokenFile(PathBuf),
    Basic(String, Secret),
}

impl Auth {
    /// The header for the next request; a token file is read again each time, since such tokens rotate.
    pub(super) fn header(&self) -> Result<Option<HeaderValue>, ConfigError> {
        match self {
            Self::None => Ok(None),
            Self::Token(token) => bearer(token.expose(), "the token").map(Some),
            Self::TokenFile(file) => {
                let token = std::fs::read_to_string(file)
                    .map_err(|error| ConfigError::unreadable("the token file", file, error))?;
                bearer(token.trim(), &format!("the token in {}", file.display())).map(Some)
            }
            Self::Basic(username, password) => {
                let pair = BASE64_STANDARD.encode(format!("{username}:{}", password.expose()));
                sensitive(&format!("Basic {pair}"), "the user name or password").map(Some)
            }
        }
    }
}

fn bearer(token: &str, what: &str) -> Result<HeaderValue, ConfigError> {
    if token.is_empty() {
        return Err(ConfigError::new(format!("{what} is empty")));
    }
    sensitive(&format!("Bearer {token}"), what)
}

fn sensitive(text: &str, what: &str) -> Result<HeaderValue, ConfigError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        ConfigError::new(format!(
            "{what} has characters in it that no header may have"
        ))
    })?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let header = |auth: Auth| auth.header().unwrap().unwrap();
        assert_eq!(header(Auth::Token("abc".into())), "Bearer abc");
        assert_eq!(
            header(Auth::Basic("me".into(), "secret".into())),
            "Basic bWU6c2VjcmV0"
        );
        assert!(header(Auth::Token("abc".into())).is_sensitive());
        assert!(Auth::Token("".into()).header().is_err());
        let missing = Auth::TokenFile("/no/such/file".into())
            .header()
            .unwrap_err();
        assert!(missing.to_string().contains("/no/such/file"), "{missing}");
    }
}
