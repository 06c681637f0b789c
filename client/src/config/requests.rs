//! Settings for requests: user agent, time limits, retries, compression, size limit.

use super::{Config, ConfigError, RetryPolicy};
use http::HeaderValue;
use std::time::Duration;

/// The last part of every user agent.
const LIBRARY: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
/// The default maximum time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// The defaults of Kubernetes' own clients.
const KEEP_ALIVE: KeepAlive = KeepAlive {
    after: Duration::from_secs(30),
    timeout: Duration::from_secs(15),
};
/// The default maximum time of a request. An API server itself stops after 60 s.
const TIMEOUT: Duration = Duration::from_secs(90);
/// The default maximum size of a response: 256 MiB. A list of 50,000 objects takes about 150 MiB.
const MAX_RESPONSE: usize = 256 * 1024 * 1024;

/// The default number of tokens for retries, as in the AWS SDKs.
const RETRY_BUDGET: u32 = 500;

/// When a silent connection is probed, and when it is closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeepAlive {
    pub(crate) after: Duration,
    pub(crate) timeout: Duration,
}

/// The settings of requests.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    user_agent: String,
    connect_timeout: Duration,
    keep_alive: KeepAlive,
    timeout: Option<Duration>,
    retry: RetryPolicy,
    retry_budget: Option<u32>,
    /// `None` is off, without a word about it in a kubeconfig.
    compression: Option<bool>,
    max_response_size: usize,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            user_agent: library(),
            connect_timeout: CONNECT_TIMEOUT,
            keep_alive: KEEP_ALIVE,
            timeout: Some(TIMEOUT),
            retry: RetryPolicy::default(),
            retry_budget: Some(RETRY_BUDGET),
            compression: None,
            max_response_size: MAX_RESPONSE,
        }
    }
}

impl Config {
    /// The name and version of the program, such as `quota-controller/1.4`. They become the first part of the user agent:
    /// `quota-controller/1.4 k8s-flowcontrol/0.1.0 (linux/x86_64)`.
    ///
    /// The text before the first `/` is the default field manager, and identifies the program in server logs and audit
    /// events.
    ///
    /// # Errors
    /// If it is empty or contains characters that are not valid in a header.
    pub fn with_application(self, name_and_version: impl AsRef<str>) -> Result<Self, ConfigError> {
        let application = name_and_version.as_ref().trim();
        if application.is_empty() {
            return Err(ConfigError::new(
                "the application name is empty; expected a name such as `quota-controller/1.4`",
            ));
        }
        self.with_user_agent(format!("{application} {}", library()))
    }

    /// The whole user agent. Defaults to this crate, its version and the platform:
    /// `k8s-flowcontrol/0.1.0 (linux/x86_64)`.
    ///
    /// The text before the first `/` is the default field manager. [`with_application`](Self::with_application) adds the
    /// program's name to the default instead.
    ///
    /// # Errors
    /// If it contains characters that are not valid in a header.
    pub fn with_user_agent(mut self, user_agent: impl Into<String>) -> Result<Self, ConfigError> {
        self.requests.user_agent = user_agent.into();
        match HeaderValue::from_str(&self.requests.user_agent) {
            Ok(_) => Ok(self),
            Err(_) => Err(ConfigError::new(format!(
                "the user agent {:?} is not valid; expected visible ASCII characters",
                self.requests.user_agent
            ))),
        }
    }

    /// The maximum time to connect, including the TLS handshake. Defaults to 30 s.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.requests.connect_timeout = timeout;
        self
    }

    /// The time to detect a dead connection: after a silence of `after` the connection is probed (HTTP/2 by a ping, HTTP/1.1
    /// by a TCP probe), and closed if no reply arrives within `timeout`. Defaults to 30 s and 15 s.
    #[must_use]
    pub fn with_keep_alive(mut self, after: Duration, timeout: Duration) -> Self {
        self.requests.keep_alive = KeepAlive { after, timeout };
        self
    }

    /// The maximum time of a request until the end of its response, including retries and the pauses between them.
    /// Defaults to 90 s; `None` means no limit.
    ///
    /// For a watch it limits the time until the response begins. Every request builder has a `timeout` that overrides it. Watchers,
    /// stores and `wait_for` have an [idle timeout](crate::watch::Watcher::idle_timeout) instead.
    #[must_use]
    pub fn with_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.requests.timeout = timeout.into();
        self
    }

    /// When and how often a failed request is sent again. Defaults to [`RetryPolicy::default`].
    #[must_use]
    pub fn with_retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.requests.retry = policy;
        self
    }

    /// The tokens that all requests of a client and its clones share for their retries. Defaults to 500; `None` means no
    /// limit.
    ///
    /// A retry takes 5 tokens, after a timeout 10. The server's response to a first attempt gives back 1, and its
    /// response to a retry gives back the tokens of that retry. Successes and errors such as 404 count as responses. So
    /// 100 consecutive retries may fail. Without enough tokens, each request is sent once, and its error names the
    /// budget. Retries therefore do not multiply the requests to an overloaded server. Rejections by flow control (429)
    /// take tokens too.
    ///
    /// Watchers and stores do not use the budget: each sends one request at a time and pauses in between. The second
    /// attempt with new credentials after a 401, and the repetitions of [`update_with`](crate::Api::update_with) after a
    /// conflict, do not take tokens either.
    ///
    /// ```
    /// use k8s_flowcontrol::Client;
    /// use k8s_flowcontrol::config::Config;
    ///
    /// let config = Config::new("http://127.0.0.1:8080")?.with_retry_budget(50);
    /// let client = Client::new(config)?;
    /// // At most 10 consecutive retries; a metric may show what is left.
    /// assert_eq!(client.retry_budget_left(), Some(50));
    ///
    /// let config = Config::new("http://127.0.0.1:8080")?.with_retry_budget(None);
    /// assert_eq!(Client::new(config)?.retry_budget_left(), None);
    /// # Ok::<(), k8s_flowcontrol::Error>(())
    /// ```
    #[must_use]
    pub fn with_retry_budget(mut self, tokens: impl Into<Option<u32>>) -> Self {
        self.requests.retry_budget = tokens.into();
        self
    }

    /// Whether the server may compress its responses (gzip). Defaults to `false`.
    ///
    /// API servers compress responses from 128 KiB. A list of 2,000 flow schemas is then 434 kB instead of 7.65 MB, and takes the client
    /// 9.6 ms instead of 7.3 ms of processor time, and the server's too: turn it on where the network is slow or costs money. Watches
    /// and logs are never compressed.
    #[must_use]
    pub fn with_compression(mut self, compression: bool) -> Self {
        self.requests.compression = Some(compression);
        self
    }

    /// The maximum size of a response, in bytes after decompression. Defaults to 256 MiB.
    ///
    /// For a watch the size of each event is limited instead, see
    /// [`max_event_size`](crate::client::WatchRequest::max_event_size).
    #[must_use]
    pub fn with_max_response_size(mut self, bytes: usize) -> Self {
        self.requests.max_response_size = bytes;
        self
    }

    /// The user agent.
    pub fn user_agent(&self) -> &str {
        &self.requests.user_agent
    }

    /// The maximum time to connect.
    pub fn connect_timeout(&self) -> Duration {
        self.requests.connect_timeout
    }

    pub(crate) fn keep_alive(&self) -> KeepAlive {
        self.requests.keep_alive
    }

    /// The maximum time of a request; `None` means no limit.
    pub fn timeout(&self) -> Option<Duration> {
        self.requests.timeout
    }

    /// When and how often a failed request is sent again.
    pub fn retry_policy(&self) -> &RetryPolicy {
        &self.requests.retry
    }

    /// The tokens that all requests of a client share for their retries; `None` means no limit.
    pub fn retry_budget(&self) -> Option<u32> {
        self.requests.retry_budget
    }

    /// Whether the server may compress its responses.
    pub fn compression(&self) -> bool {
        self.requests.compression.unwrap_or_default()
    }

    /// Whether a kubeconfig with these settings has `disable-compression`.
    pub(super) fn disables_compression(&self) -> bool {
        self.requests.compression == Some(false)
    }

    /// The maximum size of a response, in bytes.
    pub fn max_response_size(&self) -> usize {
        self.requests.max_response_size
    }
}

fn library() -> String {
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{LIBRARY} ({system}/{processor})")
}
