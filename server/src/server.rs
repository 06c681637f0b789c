//! A running server and its connections.

use crate::bootstrap;
use crate::builder::{Builder, StartError};
use crate::http::{Context, router, stopped};
use crate::state::RecordedRequest;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::fmt;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How long a server that stops waits for answers under way.
const GRACE: Duration = Duration::from_secs(1);

/// A running API server. Dropping it stops it and closes its connections.
pub struct ApiServer {
    context: Context,
    address: SocketAddr,
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
        stop: watch::Sender<bool>,
        passes: Option<Duration>,
    ) -> Self {
        let task = tokio::spawn(run(context.clone(), listener, passes));
        let server = Self {
            context,
            address,
            stop,
            task,
        };
        if passes.is_some() {
            server.run_bootstrap_pass();
        }
        server
    }

    /// Where the server is, such as `http://127.0.0.1:41234`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port of 127.0.0.1 on which the server listens.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A kubeconfig in YAML whose only context is this server.
    pub fn kubeconfig(&self) -> String {
        format!(
            "apiVersion: v1\n\
             kind: Config\n\
             clusters:\n\
             - name: embedded\n\
             \x20 cluster:\n\
             \x20   server: {}\n\
             users:\n\
             - name: embedded\n\
             \x20 user: {{}}\n\
             contexts:\n\
             - name: embedded\n\
             \x20 context:\n\
             \x20   cluster: embedded\n\
             \x20   user: embedded\n\
             current-context: embedded\n",
            self.url()
        )
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
async fn run(mut context: Context, listener: TcpListener, passes: Option<Duration>) {
    let service = TowerToHyperService::new(router(context.clone()));
    let mut connections = JoinSet::new();
    if let Some(every) = passes {
        connections.spawn(run_passes(context.clone(), every));
    }
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A connection that failed before it began is nobody's; the next may be fine.
                let Ok((stream, _)) = accepted else { continue };
                let service = service.clone();
                connections.spawn(serve(stream, service, context.stopping.clone()));
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

/// Answers the requests of one connection until it ends or the server stops.
async fn serve(
    stream: TcpStream,
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
