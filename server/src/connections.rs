//! The task that accepts connections, and restarts when the release changes.

use crate::http::{Body, Context, respond, stopped};
use crate::tls::Tls;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use k8s_flowcontrol_types::Release;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// The time that a stopping server waits for responses.
const GRACE: Duration = Duration::from_secs(1);
/// The beginning of an HTTP/2 connection, and of no HTTP/1.1 request.
const HTTP2: &[u8] = b"PRI";
/// The maximum number of connections at the same time. More wait until one of them ends.
const MAX_CONNECTIONS: usize = 4096;
/// The maximum size of the headers of a request, in bytes.
const MAX_HEADERS: usize = 64 * 1024;
/// The interval of the pings to a silent HTTP/2 client, and the maximum time of the response to one.
const PING: Duration = Duration::from_secs(30);
/// The maximum duration of a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// A command to the task.
pub(crate) enum Command {
    Restart(Release, oneshot::Sender<()>),
    Stop,
}

/// The task that accepts connections.
pub(crate) struct Listening {
    pub(crate) context: Arc<RwLock<Context>>,
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<Tls>,
    /// Ends the present connections.
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) passes: Option<Duration>,
    /// The maximum time between the start of a request's headers, or the previous response, and their end.
    pub(crate) header_timeout: Duration,
}

impl Listening {
    /// Serves until the command to stop. Between two releases new connections wait.
    pub(crate) async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        loop {
            match self.serve(&mut commands).await {
                Command::Stop => return,
                Command::Restart(release, done) => {
                    self.restart(release);
                    // The receiver is gone if the caller gave up.
                    let _heard = done.send(());
                }
            }
        }
    }

    /// Serves until the next command, and returns after all connections have ended.
    async fn serve(&self, commands: &mut mpsc::Receiver<Command>) -> Command {
        let context = present(&self.context);
        let mut connections = JoinSet::new();
        if let Some(every) = self.passes {
            connections.spawn(run_passes(context.clone(), every));
        }
        let command = loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < MAX_CONNECTIONS => {
                    // A connection that failed before it began affects only its client. Without free file
                    // descriptors, accepting fails until one is free.
                    let Ok((stream, _)) = accepted else {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    };
                    let (tls, timeout) = (self.tls.clone(), self.header_timeout);
                    connections.spawn(accept(stream, tls, context.clone(), timeout));
                }
                Some(_) = connections.join_next() => {}
                // Without a handle the server is not needed any more.
                command = commands.recv() => break command.unwrap_or(Command::Stop),
            }
        };
        self.stop.send_replace(true);
        // Watches end by themselves. Clients that do not read are disconnected after the grace period.
        let finished = async { while connections.join_next().await.is_some() {} };
        let _in_time = timeout(GRACE, finished).await;
        connections.shutdown().await;
        command
    }

    fn restart(&mut self, release: Release) {
        let old = present(&self.context);
        let state = old.state.restarted(release);
        if self.passes.is_some() {
            state.run_bootstrap_pass();
        }
        let (stop, stopping) = watch::channel(false);
        self.stop = stop;
        let context = Context {
            state: Arc::new(state),
            stopping,
            ..old
        };
        *self.context.write().unwrap_or_else(PoisonError::into_inner) = context;
    }
}

pub(crate) fn present(context: &RwLock<Context>) -> Context {
    let context = context.read().unwrap_or_else(PoisonError::into_inner);
    context.clone()
}

/// Serves a connection, with TLS if the server has it.
async fn accept(stream: TcpStream, tls: Option<Tls>, context: Context, header_timeout: Duration) {
    // Without this, the first response waits for the client's delayed acknowledgement of the TLS tickets, about 40
    // ms. It fails only on a connection that has ended.
    let _set = stream.set_nodelay(true);
    let Some(tls) = tls else {
        return serve_plain(stream, context, header_timeout).await;
    };
    // A failed handshake affects only its client.
    if let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await {
        serve(stream, context, header_timeout).await;
    }
}

/// Serves HTTP/1.1, or HTTP/2 to clients that know that the server speaks it, such as a proxy that ends TLS.
async fn serve_plain(stream: TcpStream, context: Context, header_timeout: Duration) {
    let mut stopping = context.stopping.clone();
    let mut start = [0; HTTP2.len()];
    let peeked = tokio::select! {
        peeked = timeout(header_timeout, stream.peek(&mut start)) => peeked,
        () = stopped(&mut stopping) => return,
    };
    match peeked {
        Ok(Ok(_)) if start == HTTP2 => serve_http2(stream, context).await,
        Ok(Ok(_)) => serve(stream, context, header_timeout).await,
        // The client has sent nothing.
        Ok(Err(_)) | Err(_) => {}
    }
}

/// Serves the requests of one HTTP/2 connection until it ends or the server stops.
async fn serve_http2(stream: TcpStream, context: Context) {
    let mut stopping = context.stopping.clone();
    let service = service_fn(|request| respond_always(context.clone(), request));
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEADERS as u32)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // The error of a connection affects only its client.
    tokio::select! {
        _ended = connection.as_mut() => {}
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            let _ended = connection.await;
        }
    }
}

/// Serves the requests of one HTTP/1.1 connection until it ends or the server stops.
async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    context: Context,
    header_timeout: Duration,
) {
    let mut stopping = context.stopping.clone();
    let service = service_fn(|request| respond_always(context.clone(), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_buf_size(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // The error of a connection affects only its client.
    tokio::select! {
        _ended = connection.as_mut() => {}
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            let _ended = connection.await;
        }
    }
}

async fn respond_always(
    context: Context,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    Ok(respond(context, request).await)
}

async fn run_passes(mut context: Context, every: Duration) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick fires immediately, and the first pass already ran at the start.
    ticks.tick().await;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stopped(&mut context.stopping) => return,
        }
        context.state.run_bootstrap_pass();
    }
}
