//! A running server and its connections.

use crate::bootstrap;
use crate::builder::{Builder, StartError};
use crate::faults::Fault;
use crate::http::{Context, router, stopped};
use crate::kubeconfig::kubeconfig;
use crate::state::RecordedRequest;
use crate::tls::Tls;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::fmt;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How long a server that stops waits for answers under way.
const GRACE: Duration = Duration::from_secs(1);
/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// A running API server. Dropping it stops it and closes its connections.
pub struct ApiServer {
    context: Context,
    address: SocketAddr,
    tls: Option<Tls>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl ApiServer {
    /// Settings for a server, each with a default.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Starts a server like the newest known Kubernetes release, on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// [`StartError`] when no port can be had.
    pub async fn start() -> Result<Self, StartError> {
        Self::builder().start().await
    }

    pub(crate) fn launch(
        context: Context,
        listener: TcpListener,
        address: SocketAddr,
        tls: Option<Tls>,
        stop: watch::Sender<bool>,
        passes: Option<Duration>,
    ) -> Self {
        let task = tokio::spawn(run(context.clone(), listener, tls.clone(), passes));
        let server = Self {
            context,
            address,
            tls,
            stop,
            task,
        };
        if passes.is_some() {
            server.run_bootstrap_pass();
        }
        server
    }

    /// Where the server is, such as `http://127.0.0.1:41234`; `https` with [TLS](Builder::tls).
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The port of 127.0.0.1 on which the server listens.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A kubeconfig in YAML whose only context is this server: with its certificate authority, if it speaks
    /// HTTPS, and the token of the first user of `system:masters`, if it knows tokens.
    pub fn kubeconfig(&self) -> String {
        let token = self
            .context
            .tokens
            .as_ref()
            .and_then(|tokens| tokens.main());
        // Clients that find no credentials for HTTPS ask a person for them; without tokens any will do.
        let token = token.or(self.tls.is_some().then_some("anybody"));
        kubeconfig(&self.url(), self.ca_pem(), token)
    }

    /// The certificate of the authority that signed the server's, in PEM, if the server speaks HTTPS.
    pub fn ca_pem(&self) -> Option<&str> {
        self.tls.as_ref().map(Tls::ca_pem)
    }

    /// Lets something go wrong with the next requests, after the faults that are still to happen.
    pub fn inject(&self, fault: Fault) {
        self.context.faults.add(fault);
    }

    /// How many requests are still to meet a fault: 0 when all have happened.
    pub fn pending_faults(&self) -> usize {
        self.context.faults.pending()
    }

    /// Forgets the faults that are still to happen.
    pub fn clear_faults(&self) {
        self.context.faults.clear();
    }

    /// The requests that arrived so far, if the server [records](Builder::record_requests) them.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.context.state.recorded()
    }

    /// Forgets all past states, as a real server does after some minutes: older resource versions and
    /// `continue` tokens are expired from then on.
    pub fn expire_history(&self) {
        self.context.state.write(|store| store.expire_history());
    }

    /// Looks after the built-in objects now, as the server does by itself once a minute: makes those
    /// that are missing, mends those that it is to keep, and deletes strangers that carry the annotation.
    pub fn run_bootstrap_pass(&self) {
        let state = &self.context.state;
        state.write(|store| bootstrap::run_pass(store, &state.scheme));
    }

    /// Stops the server and waits until its connections are closed.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        // It only fails when the task was aborted, and then it has stopped as well.
        let _ended = (&mut self.task).await;
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        // The connections are tasks of that task and go with it.
        self.task.abort();
    }
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer")
            .field("url", &self.url())
            .field("kubernetes", &self.context.state.scheme.release())
            .finish_non_exhaustive()
    }
}

/// Accepts connections until the server stops.
async fn run(
    mut context: Context,
    listener: TcpListener,
    tls: Option<Tls>,
    passes: Option<Duration>,
) {
    let service = TowerToHyperService::new(router(context.clone()));
    let mut connections = JoinSet::new();
    if let Some(every) = passes {
        connections.spawn(run_passes(context.clone(), every));
    }
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A connection that failed before it began is nobody's; the next may be fine. When the
                // process is out of file descriptors it takes a moment.
                let Ok((stream, _)) = accepted else {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let service = service.clone();
                let stopping = context.stopping.clone();
                connections.spawn(accept(stream, tls.clone(), service, stopping));
            }
            Some(_) = connections.join_next() => {}
            () = stopped(&mut context.stopping) => break,
        }
    }
    // Watches end by themselves; a client that does not read is not waited for.
    let finished = async { while connections.join_next().await.is_some() {} };
    let _in_time = timeout(GRACE, finished).await;
    connections.shutdown().await;
}

/// Secures a connection, if it is to be, and serves it.
async fn accept(
    stream: TcpStream,
    tls: Option<Tls>,
    service: TowerToHyperService<Router>,
    stopping: watch::Receiver<bool>,
) {
    let Some(tls) = tls else {
        return serve(stream, service, stopping).await;
    };
    // A handshake that fails or takes for ever is the client's affair.
    if let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await {
        serve(stream, service, stopping).await;
    }
}

/// Answers the requests of one connection until it ends or the server stops.
async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    service: TowerToHyperService<Router>,
    mut stopping: watch::Receiver<bool>,
) {
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // How a connection ends is the client's affair.
    tokio::select! {
        _ended = connection.as_mut() => {}
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            let _ended = connection.await;
        }
    }
}

async fn run_passes(mut context: Context, every: Duration) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick comes at once, and the first pass was made at the start.
    ticks.tick().await;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stopped(&mut context.stopping) => return,
        }
        let state = &context.state;
        state.write(|store| bootstrap::run_pass(store, &state.scheme));
    }
}
