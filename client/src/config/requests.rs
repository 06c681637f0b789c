//! How requests are made: what the program calls itself, how long it waits, how much it takes.

use super::{Config, ConfigError, RetryPolicy};
use http::HeaderValue;
use std::time::Duration;

/// What every user agent ends with: this crate, and what it runs on.
const LIBRARY: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// When a silent connection is asked whether it is still there, as by Kubernetes' own clients.
const KEEP_ALIVE: KeepAlive = KeepAlive {
    after: Duration::from_secs(30),
    timeout: Duration::from_secs(15),
};
/// How long a request may take. An API server itself gives up after 60 s.
const TIMEOUT: Duration = Duration::from_secs(90);
/// The largest answer that is read: 1 GiB. A list of 50,000 objects takes about 150 MiB.
const MAX_RESPONSE: usize = 1024 * 1024 * 1024;

/// How a connection over which nothing comes is found to be dead.
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
    compression: bool,
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
            compression: true,
            max_response_size: MAX_RESPONSE,
        }
    }
}

impl Config {
    /// What the program is, such as `quota-controller/1.4`; the user agent is then
    /// `quota-controller/1.4 k8s-flowcontrol/0.1.0 (linux/x86_64)`.
    ///
    /// The part before the first `/` is the default field manager, and what server logs, audit events and the
    /// lists of those who still use a deprecated version show.
    ///
    /// # Errors
    /// When it is empty or has characters that no header may have.
    pub fn with_application(self, name_and_version: impl AsRef<str>) -> Result<Self, ConfigError> {
        let application = name_and_version.as_ref().trim();
        if application.is_empty() {
            return Err(ConfigError::new(
                "the application has no name; expected one such as `quota-controller/1.4`",
            ));
        }
        self.with_user_agent(format!("{application} {}", library()))
    }

    /// The whole user agent, unless said otherwise this crate, its version and what it runs on:
    /// `k8s-flowcontrol/0.1.0 (linux/x86_64)`.
    ///
    /// The part before the first `/` is the default field manager. [`with_application`](Self::with_application)
    /// puts the program's own name in front.
    ///
    /// # Errors
    /// When it has characters that no header may have.
    pub fn with_user_agent(mut self, user_agent: impl Into<String>) -> Result<Self, ConfigError> {
        self.requests.user_agent = user_agent.into();
        match HeaderValue::from_str(&self.requests.user_agent) {
            Ok(_) => Ok(self),
            Err(_) => Err(ConfigError::new(format!(
                "the user agent {:?} cannot be sent; expected visible ASCII characters",
                self.requests.user_agent
            ))),
        }
    }

    /// How long a connection may take to come about, the TLS handshake included; 30 s unless said otherwise.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.requests.connect_timeout = timeout;
        self
    }

    /// When a dead connection is noticed: one over which nothing came `after` so long is asked whether it is still
    /// there (an HTTP/2 ping, over HTTP/1.1 a TCP probe), and given up when the answer takes longer than `timeout`.
    /// 30 s and 15 s unless said otherwise.
    #[must_use]
    pub fn with_keep_alive(mut self, after: Duration, timeout: Duration) -> Self {
        self.requests.keep_alive = KeepAlive { after, timeout };
        self
    }

    /// How long a request may take from its first byte to the last of the answer, retries and the pauses between
    /// them included; 90 s unless said otherwise, `None` for no limit.
    ///
    /// Of a watch it limits the time until the server begins to answer. A request may have a limit of its own.
    #[must_use]
    pub fn with_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.requests.timeout = timeout.into();
        self
    }

    /// When and how often a failed request is sent again.
    #[must_use]
    pub fn with_retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.requests.retry = policy;
        self
    }

    /// Whether the server may compress its answers (gzip), as API servers do from 128 KiB on; it may unless said
    /// otherwise. A kubeconfig's `disable-compression` turns it off.
    ///
    /// Worth turning off where the network is faster than the processor. Watches are never compressed.
    #[must_use]
    pub fn with_compression(mut self, compression: bool) -> Self {
        self.requests.compression = compression;
        self
    }

    /// The largest answer that is read, in bytes after decompression; 1 GiB unless said otherwise. Watches have no
    /// such limit, only their events.
    #[must_use]
    pub fn with_max_response_size(mut self, bytes: usize) -> Self {
        self.requests.max_response_size = bytes;
        self
    }

    /// What the program says it is.
    pub fn user_agent(&self) -> &str {
        &self.requests.user_agent
    }

    /// How long a connection may take to come about.
    pub fn connect_timeout(&self) -> Duration {
        self.requests.connect_timeout
    }

    pub(crate) fn keep_alive(&self) -> KeepAlive {
        self.requests.keep_alive
    }

    /// How long a request may take, unless it says otherwise itself.
    pub fn timeout(&self) -> Option<Duration> {
        self.requests.timeout
    }

    /// When and how often a failed request is sent again.
    pub fn retry_policy(&self) -> &RetryPolicy {
        &self.requests.retry
    }

    /// Whether the server may compress its answers.
    pub fn compression(&self) -> bool {
        self.requests.compression
    }

    /// The largest answer that is read, in bytes.
    pub fn max_response_size(&self) -> usize {
        self.requests.max_response_size
    }
}

fn library() -> String {
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{LIBRARY} ({system}/{processor})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agents() {
        let config = || Config::new("http://127.0.0.1:1").unwrap();
        let library = config().user_agent().to_owned();
        assert!(library.starts_with("k8s-flowcontrol/"), "{library}");
        let platform = format!(" ({}/{})", std::env::consts::OS, std::env::consts::ARCH);
        assert!(library.ends_with(&platform), "{library}");
        let config = config().with_application("quota-controller/1.4").unwrap();
        assert_eq!(
            config.user_agent(),
            format!("quota-controller/1.4 {library}")
        );
        for bad in ["", "  ", "a\nb"] {
            assert!(config.clone().with_application(bad).is_err(), "{bad:?}");
        }
    }
}
