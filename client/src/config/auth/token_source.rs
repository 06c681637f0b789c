//! Tokens from code of the program.

use super::exec::ExecCredential;
use crate::config::{ConfigError, Secret, bearer};
use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The maximum time to obtain a token.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A bearer token and its expiry, returned by a [`TokenSource`].
#[derive(Clone, Debug)]
pub struct BearerToken {
    token: Secret,
    expires: Option<SystemTime>,
}

impl BearerToken {
    /// A token that is used until the server rejects it.
    pub fn new(token: Secret) -> Self {
        Self {
            token,
            expires: None,
        }
    }

    /// The same token, which is renewed a minute before this time, or after nine tenths of a shorter lifetime.
    #[must_use]
    pub fn with_expiry(mut self, expires: SystemTime) -> Self {
        self.expires = Some(expires);
        self
    }
}

/// The future of [`TokenSource::token`].
pub type TokenFuture<'a> =
    Pin<Box<dyn Future<Output = Result<BearerToken, Box<dyn StdError + Send + Sync>>> + Send + 'a>>;

/// Obtains bearer tokens in the program's own way, such as the library of a cloud, for
/// [`Config::with_token_source`](crate::config::Config::with_token_source).
///
/// Async closures without arguments that return a [`BearerToken`] implement it.
pub trait TokenSource: Send + Sync + 'static {
    /// Obtains a new token. It may take 120 s.
    ///
    /// Called before the first request, in the background shortly before the token expires, and after the server rejected it
    /// (401); never twice at the same time. While the old token is valid, an error is only a warning.
    fn token(&self) -> TokenFuture<'_>;
}

impl<S, F, E> TokenSource for S
where
    S: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Result<BearerToken, E>> + Send + 'static,
    E: Into<Box<dyn StdError + Send + Sync>>,
{
    fn token(&self) -> TokenFuture<'_> {
        let token = self();
        Box::pin(async move { token.await.map_err(Into::into) })
    }
}

/// The source of a configuration.
#[derive(Clone)]
pub(crate) struct OwnTokens(Arc<dyn TokenSource>);

impl OwnTokens {
    pub(crate) fn new(source: impl TokenSource) -> Self {
        Self(Arc::new(source))
    }

    /// Obtains a token.
    pub(crate) async fn run(&self) -> Result<ExecCredential, ConfigError> {
        let failed = |error: &dyn fmt::Display| {
            ConfigError::new(format!("the token source of the program: {error}"))
        };
        let result = tokio::time::timeout(TIMEOUT, self.0.token()).await;
        let late = |_| failed(&format_args!("no token within {} s", TIMEOUT.as_secs()));
        let BearerToken { token, expires } =
            result.map_err(late)?.map_err(|error| failed(&error))?;
        bearer(&token).map_err(|error| failed(&error))?;
        Ok(ExecCredential::of_token(token, expires))
    }
}

impl fmt::Debug for OwnTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[token source]")
    }
}
