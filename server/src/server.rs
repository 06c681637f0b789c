//! The handle of a running server.

use crate::auth::Tokens;
use crate::connections::{Command, ConnectionLimits, Listening, present};
use crate::faults::Fault;
use crate::http::{Context, respond};
use crate::kubeconfig::{Credential, kubeconfig};
use crate::recorded::RecordedRequest;
use crate::start_error::{Cause, StartError};
use crate::tls::Tls;
use http_body_util::{BodyExt, Collected, Full};
use hyper::body::Bytes;
use hyper::{Request, Response};
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

/// A running API server. Dropping it stops it and closes its connections, as soon as its runtime runs; [`stop`](Self::stop) waits for
/// that.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use k8s_flowcontrol_server::ApiServer;
///
/// let server = ApiServer::builder().kubernetes("1.28").record_requests().start().await?;
/// // A client of the same program, or `kubectl --kubeconfig` with the text of `kubeconfig()`.
/// println!("{} serves {:?}", server.url(), server.requests());
/// server.upgrade("1.29").await?;
/// # Ok(())
/// # }
/// ```
pub struct ApiServer {
    /// The context of requests, which an upgrade replaces.
    context: Arc<RwLock<Context>>,
    address: SocketAddr,
    tls: Option<Tls>,
    commands: mpsc::Sender<Command>,
    task: JoinHandle<()>,
}

impl ApiServer {
    pub(crate) fn launch(
        context: Context,
        listener: TcpListener,
        address: SocketAddr,
        tls: Option<Tls>,
        stop: watch::Sender<bool>,
        passes: Option<Duration>,
        limits: ConnectionLimits,
    ) -> Self {
        if passes.is_some() {
            context.state.run_bootstrap_pass();
        }
        let context = Arc::new(RwLock::new(context));
        let (commands, received) = mpsc::channel(1);
        let listening = Listening {
            context: context.clone(),
            listener,
            tls: tls.clone(),
            stop,
            passes,
            limits,
        };
        let task = tokio::spawn(listening.run(received));
        Self {
            context,
            address,
            tls,
            commands,
            task,
        }
    }

    fn context(&self) -> Context {
        present(&self.context)
    }

    /// The server's URL, such as `http://127.0.0.1:41234`; `https` with `Builder::tls`.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The port on which the server listens.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A kubeconfig in YAML with this server as its only cluster. It contains the certificate authority of an HTTPS server. The
    /// current context of a server with tokens has the token of the first user of `system:masters`, or else of the first user;
    /// each user has a further context of the same name, except for a user `embedded`, which is the name of the current one.
    pub fn kubeconfig(&self) -> String {
        let tokens = self.context().tokens.get();
        let token = tokens.as_ref().and_then(|tokens| tokens.main());
        // Without credentials, kubectl asks for a user name when it uses HTTPS; a server without tokens accepts any.
        let token = token.or(self.tls.is_some().then_some("anybody"));
        kubeconfig(
            &self.url(),
            self.ca_pem(),
            token.map(Credential::Token),
            tokens.as_deref(),
        )
    }

    /// The certificate authority in PEM, if the server uses HTTPS.
    pub fn ca_pem(&self) -> Option<&str> {
        self.tls.as_ref().map(Tls::ca_pem)
    }

    /// Replaces the bearer tokens, in the form of [`Builder::tokens`](crate::Builder::tokens), to test how a client
    /// follows a rotation. Requests with a removed token get 401; open watches continue. A server that started without tokens has
    /// users from now on. Without a usable token nobody can use the server until the next call.
    ///
    /// # Errors
    /// [`StartError`] for invalid tokens; the server keeps the previous ones.
    pub fn replace_tokens(&self, text: impl AsRef<str>) -> Result<(), StartError> {
        let tokens = Tokens::parse(text.as_ref()).map_err(Cause::Tokens)?;
        self.context().tokens.replace(tokens);
        Ok(())
    }

    /// This server, for a [`Torture`](crate::Torture) in front of it. The tokens of clients are passed on; requests without one have the token of
    /// [`kubeconfig`](Self::kubeconfig). After the end of this server requests get 503.
    #[cfg(feature = "tls")]
    pub fn upstream(&self) -> crate::Upstream {
        let context = Arc::downgrade(&self.context);
        crate::Upstream::embedded(move || Some(present(&*context.upgrade()?)))
    }

    /// Adds a fault after the pending ones.
    pub fn inject(&self, fault: Fault) {
        self.context().faults.add(fault);
    }

    /// The number of requests that will still meet a fault; 0 when all faults have happened.
    pub fn pending_faults(&self) -> usize {
        self.context().faults.pending()
    }

    /// Removes the pending faults.
    pub fn clear_faults(&self) {
        self.context().faults.clear();
    }

    /// The requests so far, if the server [records](crate::Builder::record_requests) them.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.context().state.recorded()
    }

    /// Responds to a request without a connection. For the fuzz targets of this repository; it may change at any time.
    #[doc(hidden)]
    pub async fn respond(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (parts, body) = request.into_parts();
        let request = Request::from_parts(parts, Full::new(body));
        let (parts, body) = respond(self.context(), request).await.into_parts();
        // A body that ends early ends the connection of a real client.
        let body = body.collect().await.map(Collected::to_bytes);
        Response::from_parts(parts, body.unwrap_or_default())
    }

    /// Drops the history, as a real server does after some minutes: older resource versions and `continue` tokens are
    /// expired afterwards.
    pub fn expire_history(&self) {
        self.context().state.expire_history();
    }

    /// Runs a bootstrap pass, as the server does once a minute: it creates missing bootstrap objects, repairs
    /// maintained ones and deletes obsolete ones.
    pub fn run_bootstrap_pass(&self) {
        self.context().state.run_bootstrap_pass();
    }

    /// Restarts the server as another Kubernetes release, such as `1.31`, with the same objects, like the upgrade or
    /// downgrade of a cluster.
    ///
    /// The address, the certificate authority, the tokens and the faults stay. As with a real restart, watches and
    /// connections end, resource versions continue, and older resource versions are expired. When this returns, the
    /// server is ready, and one bootstrap pass has run if the server runs them.
    ///
    /// Objects stay in the version in which they were last written: the one in which that release
    /// [stores](k8s_flowcontrol_types::Release::stored) them. Every write stores an object in the new release's
    /// version, even without a change, and removes the entries of versions that are not served any more from
    /// `metadata.managedFields`. An older release cannot decode the object of a newer version: requests for such an
    /// object and lists with it fail with 500, and the server's controllers stop.
    ///
    /// # Errors
    /// [`StartError`] for an unknown release; the server continues unchanged.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_flowcontrol_server::ApiServer;
    ///
    /// let server = ApiServer::builder().kubernetes("1.28").start().await?;
    /// let url = server.url();
    /// // ... the tool under test writes its objects in v1beta2 ...
    /// server.upgrade("1.29").await?;
    /// // ... and now finds v1beta3 and v1 under the same address, but not v1beta2.
    /// assert_eq!(server.url(), url);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn upgrade(&self, release: impl AsRef<str>) -> Result<(), StartError> {
        let release = release.as_ref().parse().map_err(Cause::Release)?;
        let (done, restarted) = oneshot::channel();
        let command = Command::Restart(release, done);
        if self.commands.send(command).await.is_err() || restarted.await.is_err() {
            return Err(Cause::Stopped.into());
        }
        Ok(())
    }

    /// Stops the server and waits until its connections are closed, which takes at most about a second.
    pub async fn stop(mut self) {
        // Both only fail when the task has ended already.
        let _told = self.commands.send(Command::Stop).await;
        let _ended = (&mut self.task).await;
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        // The connections are tasks of this task, and end with it.
        self.task.abort();
    }
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer")
            .field("url", &self.url())
            .field(
                "kubernetes",
                &format_args!("{}", self.context().state.kinds.release),
            )
            .finish_non_exhaustive()
    }
}
