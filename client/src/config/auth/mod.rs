//! Credentials in the `Authorization` header.

pub(crate) mod authorization;
pub(crate) mod cached_file;
pub(crate) mod certificates;
pub(crate) mod credentials;
pub(crate) mod exec;
pub(crate) mod impersonation;
pub(crate) mod plain_http;
pub(crate) mod secret;
pub(crate) mod source;
pub(crate) mod token_file;
pub(crate) mod token_source;

use super::{ConfigError, ExecPlugin, Secret};
use authorization::{basic, bearer};
use http::HeaderValue;
use std::sync::Arc;
use token_file::TokenFile;
use token_source::OwnTokens;

/// The credentials of a user, except for certificates.
#[derive(Clone, Debug)]
pub(crate) enum Auth {
    None,
    Token(Secret),
    TokenFile(TokenFile),
    Basic(String, Secret),
    /// A plugin's token or client certificate.
    Exec(Arc<ExecPlugin>),
    /// Tokens from code of the program.
    Own(OwnTokens),
}

impl Auth {
    /// The header for the next request. Waits for the disk if the token is in a file.
    ///
    /// The token of a plugin or of the program's code is added by the client.
    pub(crate) fn header(&self) -> Result<Option<HeaderValue>, ConfigError> {
        match self {
            Self::None | Self::Exec(_) | Self::Own(_) => Ok(None),
            Self::Token(token) => bearer(token).map(Some),
            Self::TokenFile(file) => file.header(file.read()).map(Some),
            Self::Basic(username, password) => basic(username, password).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::auth::source::Source;

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
    }

    #[test]
    fn the_token_of_a_file_wins() {
        let missing = Source::file("user `u`: tokenFile", "/no/such/file");
        let of = |file: &Source, token| {
            let file = TokenFile::new(file.clone(), token);
            file.header(file.read())
        };
        let error = of(&missing, None).unwrap_err();
        assert!(error.to_string().contains("/no/such/file"), "{error}");
        assert!(error.to_string().contains("user `u`: tokenFile"), "{error}");
        let inline = || Some("inline".into());
        assert_eq!(of(&missing, inline()).unwrap(), "Bearer inline");
        let there = Source::data("", b" rotated\n".to_vec());
        assert_eq!(of(&there, inline()).unwrap(), "Bearer rotated");
    }
}
