//! How a client handles its requests, beyond where it sends them.

use super::connection::Client;
use super::observe::Attempt;
use super::retry::RetryPolicy;
use super::warnings::Warning;
use std::sync::Arc;
use std::time::Duration;

type WarningHandler = Arc<dyn Fn(&Warning) + Send + Sync>;
type RequestHandler = Arc<dyn Fn(&Attempt<'_>) + Send + Sync>;

/// What clones of a client may differ in.
#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(super) on_warning: Option<WarningHandler>,
    pub(super) on_request: Option<RequestHandler>,
    /// In the place of the configuration's.
    timeout: Option<Option<Duration>>,
    /// In the place of the configuration's.
    retry: Option<RetryPolicy>,
}

impl Client {
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
