//! The client: one server, its connections, and the options of its requests.

use super::options::Options;
use super::session::Session;
use crate::config::{Config, RetryPolicy};
use crate::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A client for one API server. Clones are cheap and share their connections.
///
/// It needs a tokio runtime. Connections are opened when they are needed, use HTTP/2 if the server offers it, and are
/// kept for later requests. Credentials are renewed automatically, see [`config`](crate::config). Its `Debug` form shows
/// no credentials.
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
    pub(crate) session: Arc<Session>,
    pub(crate) options: Options,
}

impl Client {
    /// A client for kubectl's default server: the kubeconfig files of `KUBECONFIG`, else `~/.kube/config`, else the service
    /// account of the pod that the program runs in.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Client;
    ///
    /// # async fn example() -> Result<(), k8s_flowcontrol::Error> {
    /// let client = Client::try_default().await?;
    /// println!("{} is Kubernetes {}", client.config().server_url(), client.release().await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If none of them exists or one is invalid. The error names the file, the context and the field.
    pub async fn try_default() -> Result<Self, Error> {
        // Kubeconfigs and certificates are read on a thread that may wait for a disk.
        let load = || Self::new(Config::try_default()?);
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => runtime.spawn_blocking(load).await.map_err(Error::setup)?,
            Err(_) => load(),
        }
    }

    /// A client for a server without authentication, such as `http://127.0.0.1:8080`.
    ///
    /// ```
    /// use k8s_flowcontrol::Client;
    ///
    /// let client = Client::from_url("http://127.0.0.1:8080")?;
    /// assert_eq!(client.config().server_url(), "http://127.0.0.1:8080/");
    /// assert!(Client::from_url("127.0.0.1:8080").is_err());
    /// # Ok::<(), k8s_flowcontrol::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `url` is not an `http` or `https` URL, or it is an `https` URL and a TLS provider is missing.
    pub fn from_url(url: impl AsRef<str>) -> Result<Self, Error> {
        Self::new(Config::new(url)?)
    }

    /// A client for a configuration. It connects when the first request is sent.
    ///
    /// # Errors
    /// If the configuration's certificates are invalid, or the server has TLS and a TLS provider is missing: enable the
    /// feature `ring`, or install a provider with rustls' `CryptoProvider::install_default`.
    pub fn new(config: Config) -> Result<Self, Error> {
        Ok(Self {
            session: Arc::new(Session::new(config)?),
            options: Options::default(),
        })
    }

    /// The client's configuration.
    pub fn config(&self) -> &Config {
        self.session.config()
    }

    /// The same client with another maximum time for requests, see
    /// [`Config::with_timeout`].
    ///
    /// ```
    /// use k8s_flowcontrol::Client;
    /// use std::time::Duration;
    ///
    /// let client = Client::from_url("http://127.0.0.1:8080")?;
    /// let hasty = client.clone().with_timeout(Duration::from_secs(5)); // shares the connections
    /// assert_eq!(hasty.timeout(), Some(Duration::from_secs(5)));
    /// assert_eq!(client.timeout(), Some(Duration::from_secs(90)));
    /// // One request may have its own: `client.flow_schemas().get("exempt").timeout(…)`.
    /// # Ok::<(), k8s_flowcontrol::Error>(())
    /// ```
    #[must_use]
    pub fn with_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.options.timeout = Some(timeout.into());
        self
    }

    /// The same client with another retry policy.
    #[must_use]
    pub fn with_retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.options.retry = Some(policy);
        self
    }

    /// The tokens that are left in the retry budget of this client and its clones, for instance as a metric; `None` without a
    /// limit. See [`Config::with_retry_budget`].
    pub fn retry_budget_left(&self) -> Option<u32> {
        self.session.retry_budget().left()
    }

    /// The default maximum time of requests; `None` means no limit.
    pub fn timeout(&self) -> Option<Duration> {
        self.options.timeout.unwrap_or(self.config().timeout())
    }

    /// The default retry policy of requests.
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
