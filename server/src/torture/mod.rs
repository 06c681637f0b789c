//! A server that tortures its clients: it stands in front of another server and shows what networks, load balancers, upgrades and
//! releases do to clients, by name and seed.

mod bodies;
mod call;
mod connection;
mod dice;
mod gate;
mod listen;
mod mode;
mod observer;
mod odd_case;
mod older;
mod report;
mod rule;
mod serve;
mod shared;
mod upstream;
mod watches;

pub use mode::{Mode, UnknownMode};
pub use report::{Finding, Report};
pub use rule::Rule;
pub use upstream::Upstream;

use crate::auth::Tokens;
use crate::builder::make_authority;
use crate::kubeconfig::{Credential, kubeconfig};
use crate::listening::{Listening, hosts_of, listening_setters, reachable};
use crate::start_error::{Cause, StartError};
use dice::Dice;
use gate::Gate;
use shared::Shared;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// A server that tortures clients of another one, to test how they react.
///
/// It forwards requests, and troubles the exchange in [modes](Mode). A seed makes the same decisions for the same requests. No request
/// fails more than twice in a row by a mode, so that a patient client makes progress. The [`Report`] has what the client did, and the
/// rules that it broke; `GET /torture` returns it as JSON.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use k8s_flowcontrol_server::{ApiServer, Mode, Torture};
///
/// let server = ApiServer::start().await?;
/// let torture = Torture::new([Mode::Resets, Mode::Throttling]).seed(7).start(server.upstream()).await?;
/// // Run the client under test against `torture.url()`, or with `torture.kubeconfig()`.
/// let report = torture.report();
/// assert!(report.passes(), "{report}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Torture {
    modes: Vec<Mode>,
    seed: u64,
    listening: Listening,
    tls: bool,
    token_file: Option<PathBuf>,
}

listening_setters!(
    Torture,
    "They are not passed on to the server behind. Without tokens everyone who reaches this server has the rights of the credentials for the \
     server behind."
);

impl Torture {
    /// A server with these modes. Without one it only observes.
    pub fn new(modes: impl IntoIterator<Item = Mode>) -> Self {
        let mut modes: Vec<_> = modes.into_iter().collect();
        modes.sort_unstable();
        modes.dedup();
        Self {
            modes,
            seed: 0,
            listening: Listening::default(),
            tls: false,
            token_file: None,
        }
    }

    /// The seed of all decisions. Defaults to 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Serves HTTPS with HTTP/2 and HTTP/1.1, with a certificate from the server's own authority.
    #[must_use]
    pub fn tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// The file of the token that expires, for [`Mode::Tokens`]. The server writes it, readable only by the user. Without that mode
    /// there is no such token, and nothing is written.
    #[must_use]
    pub fn token_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.token_file = Some(file.into());
        self
    }

    /// Starts the server in front of another one, see [`ApiServer::upstream`](crate::ApiServer::upstream) and [`Upstream::new`].
    ///
    /// # Errors
    /// A mode needs [`tls`](Self::tls) or a [`token_file`](Self::token_file), the tokens are invalid, the address is not protected, or
    /// the port is in use.
    pub async fn start(self, upstream: Upstream) -> Result<TortureServer, StartError> {
        if let Some(mode) = self.modes.iter().find(|mode| mode.needs_tls() && !self.tls) {
            return Err(Cause::Mode(*mode, "TLS").into());
        }
        let token_file = self
            .token_file
            .filter(|_| self.modes.contains(&Mode::Tokens));
        if self.modes.contains(&Mode::Tokens) && token_file.is_none() {
            return Err(Cause::Mode(Mode::Tokens, "a token file").into());
        }
        let listening = self.listening;
        let failed = token_file.clone().unwrap_or_default();
        let gate = Gate::new(listening.parse_tokens()?, token_file)
            .map_err(|error| Cause::TokenFile(failed, error))?;
        listening.check_exposure(self.tls && !gate.is_open())?;
        let ip = listening.address.ip();
        let authority = self.tls.then(|| make_authority(ip)).transpose()?;
        let (listener, address) = listening.bind().await?;
        let shared = Arc::new(Shared::new(
            upstream,
            Dice::new(self.modes, self.seed),
            gate,
            hosts_of(ip, listening.any_host),
            Duration::from_secs(32),
        ));
        let task = tokio::spawn(listen::listen(listener, authority.clone(), shared.clone()));
        Ok(TortureServer {
            ca_pem: authority.map(|authority| authority.ca_pem().to_owned()),
            address: reachable(address),
            shared,
            task,
        })
    }
}

/// A running [`Torture`]. Dropping it stops it.
pub struct TortureServer {
    ca_pem: Option<String>,
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl TortureServer {
    /// The URL for clients.
    pub fn url(&self) -> String {
        let scheme = if self.ca_pem.is_some() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}", self.address)
    }

    /// The certificate authority in PEM, if the server uses HTTPS.
    pub fn ca_pem(&self) -> Option<&str> {
        self.ca_pem.as_deref()
    }

    /// A kubeconfig in YAML with this server as its only cluster, like that of [`ApiServer`](crate::ApiServer::kubeconfig). In
    /// [`Mode::Tokens`] the current context names the token file.
    pub fn kubeconfig(&self) -> String {
        let gate = &self.shared.gate;
        let credential = match (gate.token_file(), gate.users().and_then(Tokens::main)) {
            (Some(file), _) => Some(Credential::File(file)),
            (None, Some(token)) => Some(Credential::Token(token)),
            // kubectl asks for a user name otherwise.
            (None, None) => self.ca_pem.as_ref().map(|_| Credential::Token("anybody")),
        };
        kubeconfig(&self.url(), self.ca_pem(), credential, gate.users())
    }

    /// The actions of the clients so far.
    pub fn report(&self) -> Report {
        let dice = &self.shared.dice;
        self.shared.observer.report(&dice.modes, dice.seed)
    }
}

impl Drop for TortureServer {
    fn drop(&mut self) {
        // The connections are tasks of this task, and end with it.
        self.task.abort();
    }
}

impl fmt::Debug for TortureServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TortureServer")
            .field("url", &self.url())
            .field("modes", &self.shared.dice.modes)
            .finish_non_exhaustive()
    }
}
