//! A server that offers HTTP/2 and HTTP/1.1, and rejects requests with wrong names.

use super::Identity;
use super::server::read_head;
use bytes::Bytes;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const OBJECT: &str = r#"{"metadata":{"name":"a"}}"#;

/// Responds to every request with an object, and records the names in it.
pub(crate) struct StrictServer {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Names>>>,
    task: JoinHandle<()>,
}

/// The names in a request and its handshake.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Names {
    pub(crate) protocol: &'static str,
    pub(crate) sni: Option<String>,
    /// `:authority` or `Host`; if both are there and differ, the request is rejected.
    pub(crate) server: String,
}

impl StrictServer {
    pub(crate) async fn start(identity: &Identity) -> Self {
        let mut tls = (*identity.server(None)).clone();
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let tls = TlsAcceptor::from(Arc::new(tls));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = seen.clone();
        let task = crate::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                crate::spawn(accept(stream, tls.clone(), sink.clone()));
            }
        });
        Self {
            address,
            seen,
            task,
        }
    }

    /// The names of the last request.
    pub(crate) fn last(&self) -> Names {
        self.seen.lock().unwrap().last().unwrap().clone()
    }
}

impl Drop for StrictServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(stream: TcpStream, tls: TlsAcceptor, seen: Arc<Mutex<Vec<Names>>>) -> Option<()> {
    let stream = tls.accept(stream).await.ok()?;
    let session = stream.get_ref().1;
    let sni = session.server_name().map(str::to_owned);
    let http2 = session.alpn_protocol() == Some(b"h2");
    let record = move |server: String| {
        let protocol = if http2 { "HTTP/2" } else { "HTTP/1.1" };
        seen.lock().unwrap().push(Names {
            protocol,
            sni: sni.clone(),
            server,
        });
    };
    match http2 {
        true => serve_http2(stream, record).await,
        false => serve_http1(stream, record).await,
    }
}

async fn serve_http2(stream: TlsStream<TcpStream>, record: impl Fn(String)) -> Option<()> {
    let mut connection = h2::server::handshake(stream).await.ok()?;
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let authority = request.uri().authority()?.to_string();
        // RFC 9113, section 8.3.1: a request whose two names differ is malformed.
        let host = request.headers().get("host");
        let differ = host.is_some_and(|host| *host != *authority);
        record(authority);
        let code = if differ { 400 } else { 200 };
        let head = http::Response::builder().status(code).body(()).ok()?;
        let mut body = respond.send_response(head, false).ok()?;
        body.send_data(Bytes::from_static(OBJECT.as_bytes()), true)
            .ok()?;
    }
    Some(())
}

async fn serve_http1(mut stream: TlsStream<TcpStream>, record: impl Fn(String)) -> Option<()> {
    while let Some(head) = read_head(&mut stream).await {
        let hosts = head.lines().filter_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("host").then_some(value)
        });
        record(hosts.collect::<Vec<_>>().join(", "));
        let length = OBJECT.len();
        let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{OBJECT}");
        stream.write_all(response.as_bytes()).await.ok()?;
    }
    Some(())
}
