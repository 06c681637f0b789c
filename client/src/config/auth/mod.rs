//! Credentials in the `Authorization` header.

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
use http::HeaderValue;
use secret::{basic, bearer};
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
