//! How a server is to be.

use crate::http::Context;
use crate::scheme::Scheme;
use crate::server::ApiServer;
use crate::state::State;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::release::UnknownRelease;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Settings of an [`ApiServer`].
#[derive(Clone, Debug)]
pub struct Builder {
    release: Result<Release, UnknownRelease>,
    all_versions: bool,
    bootstrap: bool,
    bootstrap_interval: Duration,
    bookmark_interval: Duration,
    record_requests: bool,
    port: u16,
    history: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            release: Ok(Release::default()),
            all_versions: false,
            bootstrap: true,
            bootstrap_interval: Duration::from_secs(60),
            bookmark_interval: Duration::from_secs(60),
            record_requests: false,
            port: 0,
            history: 10_000,
        }
    }
}

impl Builder {
    /// The Kubernetes release to behave like, such as `1.29`: it decides the served versions, the
    /// defaults and the bootstrap objects. The newest known one unless set.
    ///
    /// A text that names no known release is reported by [`start`](Self::start).
    #[must_use]
    pub fn kubernetes(mut self, release: impl AsRef<str>) -> Self {
        self.release = release.as_ref().parse();
        self
    }

    /// The Kubernetes release to behave like, as a value.
    #[must_use]
    pub fn release(mut self, release: Release) -> Self {
        self.release = Ok(release);
        self
    }

    /// Serves all four versions, whatever the release serves.
    #[must_use]
    pub fn all_versions(mut self) -> Self {
        self.all_versions = true;
        self
    }

    /// Whether the server makes its built-in objects when it starts and looks after them once a minute.
    /// It does unless told otherwise.
    #[must_use]
    pub fn bootstrap(mut self, bootstrap: bool) -> Self {
        self.bootstrap = bootstrap;
        self
    }

    /// How often the server looks after its built-in objects, 60 s unless set.
    #[must_use]
    pub fn bootstrap_interval(mut self, interval: Duration) -> Self {
        self.bootstrap_interval = interval.max(Duration::from_millis(1));
        self
    }

    /// How often a watch that allows bookmarks gets one, 60 s unless set.
    #[must_use]
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.bookmark_interval = interval.max(Duration::from_millis(1));
        self
    }

    /// Remembers every request, for [`ApiServer::requests`].
    #[must_use]
    pub fn record_requests(mut self) -> Self {
        self.record_requests = true;
        self
    }

    /// The port on 127.0.0.1; 0, as it is unless set, for one that is free.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// How many changes the server remembers for watches, pages and lists of the past; 10,000 unless set.
    #[must_use]
    pub fn history(mut self, changes: usize) -> Self {
        self.history = changes;
        self
    }

    /// Starts the server. It is ready when this returns.
    ///
    /// # Errors
    /// [`StartError`] when the release is not known or the port cannot be had.
    pub async fn start(self) -> Result<ApiServer, StartError> {
        let release = self.release.map_err(Cause::Release)?;
        let scheme = Scheme::new(release, self.all_versions);
        let state = State::new(
            scheme,
            self.history,
            self.record_requests,
            self.bookmark_interval,
        );
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let listener = TcpListener::bind(address)
            .await
            .map_err(|error| Cause::Bind(address, error))?;
        let address = listener
            .local_addr()
            .map_err(|error| Cause::Bind(address, error))?;
        let (stop, stopping) = watch::channel(false);
        let context = Context {
            state: Arc::new(state),
            address: address.to_string().into(),
            stopping,
        };
        let passes = self.bootstrap.then_some(self.bootstrap_interval);
        Ok(ApiServer::launch(context, listener, address, stop, passes))
    }
}

/// Why a server did not start.
#[derive(Debug)]
pub struct StartError(Cause);

#[derive(Debug)]
enum Cause {
    Release(UnknownRelease),
    Bind(SocketAddr, io::Error),
}

impl From<Cause> for StartError {
    fn from(cause: Cause) -> Self {
        Self(cause)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::Release(error) => write!(f, "the API server cannot start: {error}"),
            Cause::Bind(address, error) => write!(
                f,
                "the API server cannot listen on {address}: {error}; choose another port, or 0 for \
                 one that is free"
            ),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match &self.0 {
            Cause::Release(error) => error,
            Cause::Bind(_, error) => error,
        })
    }
}
