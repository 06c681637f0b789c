//! A server that records requests and sends prepared responses.

use super::Identity;
use super::certificates::Authority;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use k8s_flowcontrol::config::Config;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

/// The authority of the servers that get credentials.
static TRUSTED: LazyLock<Authority> = LazyLock::new(|| Authority::new("trusted"));

/// A status line's code with its reason, and a body.
pub(crate) type Answer = (&'static str, String);

/// One request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) head: String,
    /// The number of its connection, from 0.
    pub(crate) connection: usize,
    /// The server name in the TLS handshake (SNI).
    pub(crate) sni: Option<String>,
    /// The client certificate, if there was one.
    pub(crate) certificate: Option<Vec<u8>>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers(name).into_iter().next()
    }

    pub(crate) fn headers(&self, name: &str) -> Vec<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .filter(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .collect()
    }
}

type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

/// Stops when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    secure: bool,
    seen: Arc<Mutex<Vec<Request>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Speaks plain HTTP and responds to every request with an object.
    pub(crate) async fn plain() -> Self {
        Self::start("127.0.0.1:0", Vec::new(), found).await
    }

    /// Speaks TLS, so that it gets credentials from clients with [`config`](Self::config) or [`cluster`](Self::cluster).
    pub(crate) async fn secure() -> Self {
        Self::answering(found).await
    }

    /// As [`secure`](Self::secure), with other responses.
    pub(crate) async fn answering(
        handler: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let identity = TRUSTED.sign(&["127.0.0.1"]);
        Self::start("127.0.0.1:0", vec![identity.server(None)], handler).await
    }

    /// A configuration that trusts the server.
    pub(crate) fn config(&self) -> Config {
        let config = Config::new(self.url()).unwrap();
        config.with_certificate_authority(TRUSTED.pem.clone())
    }

    /// The server as a cluster of a kubeconfig.
    pub(crate) fn cluster(&self) -> Value {
        let authority = BASE64_STANDARD.encode(&TRUSTED.pem);
        json!({"server": self.url(), "certificate-authority-data": authority})
    }

    /// Speaks TLS with a certificate.
    pub(crate) async fn tls(identity: &Identity) -> Self {
        Self::start("127.0.0.1:0", vec![identity.server(None)], found).await
    }

    /// Requires a client certificate of the authority.
    pub(crate) async fn mutual(identity: &Identity, clients: &Authority) -> Self {
        Self::start("127.0.0.1:0", vec![identity.server(Some(clients))], found).await
    }

    /// Each connection takes the next TLS configuration; further ones take the last. Without any, the server speaks plain
    /// HTTP.
    pub(crate) async fn start(
        address: &str,
        tls: Vec<Arc<ServerConfig>>,
        handler: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::start_boxed(address, tls, Arc::new(handler)).await
    }

    /// Compiled once, and not for each test.
    async fn start_boxed(address: &str, tls: Vec<Arc<ServerConfig>>, handler: Handler) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (secure, sink) = (!tls.is_empty(), seen.clone());
        let task = crate::spawn(async move {
            for connection in 0.. {
                let Ok((stream, _)) = listener.accept().await else {
                    continue;
                };
                let last = tls.len().saturating_sub(1);
                let tls = tls.get(connection.min(last)).cloned();
                let start = Request {
                    connection,
                    ..Request::default()
                };
                let (sink, handler) = (sink.clone(), handler.clone());
                crate::spawn(accept(stream, tls, start, sink, handler));
            }
        });
        Self {
            address,
            secure,
            seen,
            task,
        }
    }

    pub(crate) fn url(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The received requests.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    /// A header of the last request.
    pub(crate) fn last_header(&self, name: &str) -> Option<String> {
        let requests = self.requests();
        Some(requests.last()?.header(name)?.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An object.
pub(crate) fn found(_request: &Request) -> Answer {
    ("200 OK", r#"{"metadata":{"name":"a"}}"#.to_owned())
}

async fn accept(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    mut start: Request,
    seen: Arc<Mutex<Vec<Request>>>,
    handler: Handler,
) {
    let Some(tls) = tls else {
        return serve(stream, start, seen, handler).await;
    };
    let Ok(stream) = TlsAcceptor::from(tls).accept(stream).await else {
        return;
    };
    let connection = stream.get_ref().1;
    start.sni = connection.server_name().map(str::to_owned);
    let chain = connection.peer_certificates();
    start.certificate = chain.and_then(|chain| Some(chain.first()?.to_vec()));
    serve(stream, start, seen, handler).await;
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    start: Request,
    seen: Arc<Mutex<Vec<Request>>>,
    handler: Handler,
) {
    while let Some(head) = read_head(&mut stream).await {
        let mut request = start.clone();
        request.head = head;
        seen.lock().unwrap().push(request.clone());
        let (status, body) = handler(&request);
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A request's head, up to the empty line. Requests with bodies are not supported.
pub(crate) async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

/// A listener that sends this after the first bytes of each connection, and closes it.
pub(crate) async fn saying(bytes: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    crate::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _received = stream.read(&mut [0; 2048]).await;
            let _sent = stream.write_all(bytes).await;
        }
    });
    address
}
