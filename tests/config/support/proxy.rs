//! An HTTP proxy.

use super::Identity;
use super::server::read_head;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// Forwards every connection to one server and records the heads of the requests.
pub(crate) struct HttpProxy {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl HttpProxy {
    pub(crate) async fn to(server: SocketAddr) -> Self {
        Self::start("127.0.0.1:0", server, None, None).await
    }

    /// With `authorization`, requires that value in `Proxy-Authorization`.
    pub(crate) async fn start(
        address: &str,
        server: SocketAddr,
        identity: Option<&Identity>,
        authorization: Option<&'static str>,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = seen.clone();
        let tls = identity.map(|identity| TlsAcceptor::from(identity.server(None)));
        let task = crate::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (sink, tls) = (sink.clone(), tls.clone());
                crate::spawn(async move {
                    match tls {
                        None => pass(stream, server, authorization, sink).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                pass(stream, server, authorization, sink).await;
                            }
                        }
                    }
                });
            }
        });
        Self {
            address,
            seen,
            task,
        }
    }

    /// The first lines of the received requests.
    pub(crate) fn asked(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let lines = seen.iter().map(|head| head.lines().next().unwrap());
        lines.map(str::to_owned).collect()
    }

    /// The heads of the received requests.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for HttpProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    server: SocketAddr,
    authorization: Option<&str>,
    seen: Arc<Mutex<Vec<String>>>,
) {
    let Some(head) = read_head(&mut stream).await else {
        return;
    };
    seen.lock().unwrap().push(head.clone());
    let let_in = authorization.is_none_or(|expected| {
        let line = format!("proxy-authorization: {expected}");
        head.lines().any(|found| {
            let (name, value) = found.split_once(": ").unwrap_or_default();
            format!("{}: {value}", name.to_lowercase()) == line
        })
    });
    if !let_in {
        let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n";
        let _ = stream.write_all(refusal.as_bytes()).await;
        return;
    }
    let Ok(mut upstream) = TcpStream::connect(server).await else {
        return;
    };
    if head.starts_with("CONNECT ") {
        let _ = stream
            .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            .await;
    } else {
        let _ = upstream.write_all(head.as_bytes()).await;
    }
    let _ = copy_bidirectional(&mut stream, &mut upstream).await;
}
