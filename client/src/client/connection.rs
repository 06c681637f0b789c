//! The client: one server, its connections, and the options of its requests.

use super::error::Error;
use super::observe::Attempt;
use super::options::Options;
use super::session::Session;
use super::warnings::Warning;
use crate::config::{Config, RetryPolicy};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A connection to an API server; cheap to clone, and its clones share their connections.
///
/// Its `Debug` form shows the server, never a credential.
///
/// ```no_run
/// use k8s_flowcontrol::{Client, api::v1beta3};
///
/// # async fn example() -> Result<(), k8s_flowcontrol::Error> {
/// let client = Client::try_default().await?;
/// let levels = client.priority_level_configurations(); // v1
/// let older = client.api::<v1beta3::PriorityLevelConfiguration>(); // any version, the same verbs
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(super) session: Arc<Session>,
    pub(super) options: Options,
}

impl Client {
    /// A client for the server that the environment names: the kubeconfig files of `KUBECONFIG`, else
    /// `~/.kube/config`, else the service account of the pod that the program runs in.
    ///
    /// # Errors
    /// When none of them is there, or one cannot be used; the error names the file, the context and the field.
    pub async fn try_default() -> Result<Self, Error> {
        Self::new(Config::try_default()?)
    }

    /// A client for a server that asks for no credentials, such as `http://127.0.0.1:8080`.
    ///
    /// # Errors
    /// When `url` is no `http` or `https` URL, or a secure connection cannot be set up.
    pub fn from_url(url: impl AsRef<str>) -> Result<Self, Error> {
        Self::new(Config::new(url)?)
    }

    /// A client for a configuration; connects when it is first used.
    ///
    /// # Errors
    /// When the certificates of the configuration do not read, or the program has no TLS provider: enable the
    /// feature `ring`, or install one with rustls' `CryptoProvider::install_default` first.
    pub fn new(config: Config) -> Result<Self, Error> {
        Ok(Self {
            session: Arc::new(Session::new(config)?),
            options: Options::default(),
        })
    }

    /// The configuration that the client was made from.
    pub fn config(&self) -> &Config {
        self.session.config()
    }

    /// The same connection, with `handler` called for every warning that the server sends.
    ///
    /// Without a handler warnings are still in [`Response::warnings`](super::Response::warnings).
    #[must_use]
    pub fn on_warning(mut self, handler: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        self.options.on_warning = Some(Arc::new(handler));
        self
    }

    /// The same connection, with `handler` called after every attempt at a request: the place for metrics.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Client;
    ///
    /// # async fn example() -> Result<(), k8s_flowcontrol::Error> {
    /// let client = Client::try_default().await?.on_request(|attempt| {
    ///     let code = attempt.code().map_or("none".to_owned(), |code| code.to_string());
    ///     println!(
    ///         "request_seconds{{verb={:?},resource={:?},code={code:?}}} {}",
    ///         attempt.verb(),
    ///         attempt.resource(),
    ///         attempt.duration().as_secs_f64(),
    ///     );
    /// });
    /// # drop(client);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn on_request(mut self, handler: impl Fn(&Attempt<'_>) + Send + Sync + 'static) -> Self {
        self.options.on_request = Some(Arc::new(handler));
        self
    }

    /// The same connection with another limit for the time that a request may take; see
    /// [`Config::with_timeout`](crate::config::Config::with_timeout).
    #[must_use]
    pub fn with_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.options.timeout = Some(timeout.into());
        self
    }

    /// The same connection with another policy for failed requests.
    #[must_use]
    pub fn with_retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.options.retry = Some(policy);
        self
    }

    /// How long a request may take that does not say otherwise itself.
    pub fn timeout(&self) -> Option<Duration> {
        self.options.timeout.unwrap_or(self.config().timeout())
    }

    /// What becomes of failed requests that do not say otherwise themselves.
    pub fn retry_policy(&self) -> &RetryPolicy {
        let own = self.options.retry.as_ref();
        own.unwrap_or(self.config().retry_policy())
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("config", self.config())
            .finish_non_exhaustive()
    }
}
