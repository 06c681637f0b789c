//! One connection: TLS, the version of HTTP, and the requests until it ends or the server stops.

use crate::http::{Body, stopped};
use crate::tls::Tls;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

/// The beginning of an HTTP/2 connection, and of no HTTP/1.1 request.
pub(crate) const HTTP2: &[u8] = b"PRI";
/// The maximum size of the headers of a request, in bytes.
pub(crate) const MAX_HEADERS: usize = 64 * 1024;
/// The interval of the pings to a silent HTTP/2 client, and the maximum time of the response to one.
const PING: Duration = Duration::from_secs(30);
/// The maximum duration of a TLS handshake.
pub(crate) const HANDSHAKE: Duration = Duration::from_secs(10);

/// The response to a request, once it is there.
type Responding = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// The parts of a server that its connections use.
#[derive(Clone)]
pub(crate) struct Connection {
    /// Responds to a request. It is one function of one type, so that the code of HTTP exists once.
    pub(crate) respond: Arc<dyn Fn(Request<Incoming>) -> Responding + Send + Sync>,
    /// True once the server stops.
    pub(crate) stopping: watch::Receiver<bool>,
    /// The maximum time between the start of a request's headers, or the previous response, and their end.
    pub(crate) header_timeout: Duration,
}

impl Connection {
    /// Serves a connection, with TLS if the server has it.
    pub(crate) async fn accept(self, stream: TcpStream, tls: Option<Tls>) {
        // Without this, the first response waits for the client's delayed acknowledgement of the TLS tickets, about 40
        // ms. It fails only on a connection that has ended.
        let _set = stream.set_nodelay(true);
        let Some(tls) = tls else {
            return self.serve_plain(stream).await;
        };
        // A failed handshake affects only its client.
        if let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await {
            self.serve(stream).await;
        }
    }

    /// Serves HTTP/1.1, or HTTP/2 to clients that know that the server speaks it, such as a proxy that ends TLS.
    async fn serve_plain(mut self, stream: TcpStream) {
        let mut start = [0; HTTP2.len()];
        let peeked = tokio::select! {
            peeked = timeout(self.header_timeout, stream.peek(&mut start)) => peeked,
            () = stopped(&mut self.stopping) => return,
        };
        match peeked {
            Ok(Ok(_)) if start == HTTP2 => self.serve_http2(stream).await,
            Ok(Ok(_)) => self.serve(stream).await,
            // The client has sent nothing.
            Ok(Err(_)) | Err(_) => {}
        }
    }

    /// Serves the requests of one HTTP/2 connection until it ends or the server stops.
    async fn serve_http2(self, stream: TcpStream) {
        let respond = self.respond;
        let service = service_fn(|request| always(respond(request)));
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_header_list_size(MAX_HEADERS as u32)
            .keep_alive_interval(PING)
            .keep_alive_timeout(PING)
            .serve_connection(TokioIo::new(stream), service);
        until_stopped(connection, self.stopping).await;
    }

    /// Serves the requests of one HTTP/1.1 connection until it ends or the server stops.
    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + 'static) {
        let respond = self.respond;
        let service = service_fn(|request| always(respond(request)));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.header_timeout)
            .max_buf_size(MAX_HEADERS)
            .serve_connection(TokioIo::new(stream), service);
        until_stopped(connection, self.stopping).await;
    }
}

/// Serves a connection until it ends, or until the server stops and the last response is sent. The error of a connection affects only its
/// client.
async fn until_stopped(connection: impl GracefulConnection, mut stopping: watch::Receiver<bool>) {
    let mut connection = pin!(connection);
    tokio::select! {
        _ended = connection.as_mut() => {}
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            let _ended = connection.await;
        }
    }
}

async fn always(responding: Responding) -> Result<Response<Body>, Infallible> {
    Ok(responding.await)
}
