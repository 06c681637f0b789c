//! From a URL to a connection: directly or through a proxy, and secure where it is to be.

use super::error::ConnectError;
use super::stream::{Io, Stream};
use crate::client::error::Error;
use crate::client::tls::TlsSetup;
use crate::config::{KeepAlive, Proxy, ProxyKind};
use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio_rustls::TlsConnector;
use tower_service::Service;

/// How often TCP asks whether the other side is still there.
const TCP_PROBES: u32 = 3;

type BoxFuture<T> = Pin<Box<dyn Future<Output = Result<T, ConnectError>> + Send>>;

/// Makes connections.
#[derive(Clone)]
pub(super) struct Connector(Arc<Shared>);

struct Shared {
    tcp: HttpConnector,
    tls: Arc<ClientConfig>,
    /// The name to ask for and to check, where it is another than the URL's.
    server_name: Option<ServerName<'static>>,
    proxy: Option<Via>,
    timeout: Duration,
}

/// The way through a proxy.
struct Via {
    kind: ProxyKind,
    /// For errors: without credentials.
    url: String,
    address: Uri,
    authorization: Option<HeaderValue>,
    credentials: Option<(String, String)>,
    tls: Arc<ClientConfig>,
}

impl Connector {
    pub(super) fn new(
        setup: TlsSetup,
        proxy: Option<&Proxy>,
        timeout: Duration,
        keep_alive: KeepAlive,
    ) -> Result<Self, Error> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // HTTP/1.1 has no pings; a dead connection is for TCP to notice.
        tcp.set_keepalive(Some(keep_alive.after));
        tcp.set_keepalive_interval(Some(keep_alive.timeout / TCP_PROBES));
        tcp.set_keepalive_retries(Some(TCP_PROBES));
        let tls_to_proxy = Arc::new(setup.to_proxy);
        let via = |proxy: &Proxy| -> Result<Via, Error> {
            let address = format!("http://{}:{}", proxy.host(), proxy.port());
            let credentials = proxy.credentials.as_ref();
            Ok(Via {
                kind: proxy.kind,
                url: proxy.url().to_owned(),
                address: address.parse().map_err(Error::setup)?,
                authorization: proxy.authorization()?,
                credentials: credentials.map(|(name, word)| (name.clone(), word.expose().into())),
                tls: tls_to_proxy.clone(),
            })
        };
        Ok(Self(Arc::new(Shared {
            tcp,
            tls: Arc::new(setup.to_server),
            server_name: setup.server_name,
            proxy: proxy.map(via).transpose()?,
            timeout,
        })))
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = ConnectError;
    type Future = BoxFuture<Stream>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        let shared = self.0.clone();
        Box::pin(async move {
            let connection = tokio::time::timeout(shared.timeout, shared.connect(server));
            connection.await.unwrap_or_else(|_| {
                let error = io::Error::from(io::ErrorKind::TimedOut);
                Err(ConnectError::new("no connection came about in time", error))
            })
        })
    }
}

impl Shared {
    async fn connect(&self, server: Uri) -> Result<Stream, ConnectError> {
        let secure = server.scheme_str() == Some("https");
        let plain = match &self.proxy {
            None => dial(self.tcp.clone(), server.clone()).await?,
            Some(via) if !secure && via.kind != ProxyKind::Socks5 => {
                let io = via.dialer(&self.tcp).call(via.address.clone()).await?;
                return Ok(Stream {
                    io,
                    http2: false,
                    forwarded: true,
                });
            }
            Some(via) => via.tunnel(&self.tcp, with_port(&server, secure)?).await?,
        };
        if !secure {
            return Ok(Stream {
                io: plain,
                http2: false,
                forwarded: false,
            });
        }
        let name = match &self.server_name {
            Some(name) => name.clone(),
            None => name_of(&server)?,
        };
        let (io, http2) = secured(self.tls.clone(), name, plain).await?;
        Ok(Stream {
            io,
            http2,
            forwarded: false,
        })
    }
}

impl Via {
    /// A way through the proxy to the server.
    async fn tunnel(&self, tcp: &HttpConnector, server: Uri) -> Result<Box<dyn Io>, ConnectError> {
        let dialer = self.dialer(tcp);
        let proxy = self.address.clone();
        let refused = |error: Box<dyn std::error::Error + Send + Sync>| {
            ConnectError::new(format!("no way through the proxy {}", self.url), error)
        };
        if self.kind == ProxyKind::Socks5 {
            let mut socks = SocksV5::new(proxy, dialer);
            if let Some((username, password)) = self.credentials.clone() {
                socks = socks.with_auth(username, password);
            }
            return socks
                .call(server)
                .await
                .map_err(|error| refused(error.into()));
        }
        let mut tunnel = Tunnel::new(proxy, dialer);
        if let Some(value) = self.authorization.clone() {
            tunnel = tunnel.with_auth(value);
        }
        tunnel
            .call(server)
            .await
            .map_err(|error| refused(error.into()))
    }

    fn dialer(&self, tcp: &HttpConnector) -> Dialer {
        Dialer {
            tcp: tcp.clone(),
            tls: (self.kind == ProxyKind::Https).then(|| self.tls.clone()),
        }
    }
}

/// Connects to the proxy itself.
struct Dialer {
    tcp: HttpConnector,
    tls: Option<Arc<ClientConfig>>,
}

impl Service<Uri> for Dialer {
    type Response = Box<dyn Io>;
    type Error = ConnectError;
    type Future = BoxFuture<Box<dyn Io>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, proxy: Uri) -> Self::Future {
        let (tcp, tls) = (self.tcp.clone(), self.tls.clone());
        Box::pin(async move {
            let plain = dial(tcp, proxy.clone()).await?;
            match tls {
                None => Ok(plain),
                Some(tls) => Ok(secured(tls, name_of(&proxy)?, plain).await?.0),
            }
        })
    }
}

async fn dial(mut tcp: HttpConnector, address: Uri) -> Result<Box<dyn Io>, ConnectError> {
    let tried = format!(
        "no connection to {}",
        address.authority().map_or("", |a| a.as_str())
    );
    match tcp.call(address).await {
        Ok(io) => Ok(Box::new(io)),
        Err(error) => Err(ConnectError::new(tried, error)),
    }
}

/// Speaks TLS over a connection; also says whether both sides agreed on HTTP/2.
async fn secured(
    tls: Arc<ClientConfig>,
    name: ServerName<'static>,
    plain: Box<dyn Io>,
) -> Result<(Box<dyn Io>, bool), ConnectError> {
    let stream = TlsConnector::from(tls)
        .connect(name, TokioIo::new(plain))
        .await
        .map_err(|error| ConnectError::new("the TLS handshake failed", error))?;
    let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok((Box::new(TokioIo::new(stream)), http2))
}

fn name_of(url: &Uri) -> Result<ServerName<'static>, ConnectError> {
    let host = url.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    ServerName::try_from(host.to_owned())
        .map_err(|error| ConnectError::new(format!("`{host}` is no name for TLS"), error))
}

/// The address with its port, without which a proxy would be asked for another one.
fn with_port(url: &Uri, secure: bool) -> Result<Uri, ConnectError> {
    let port = url.port_u16().unwrap_or(if secure { 443 } else { 80 });
    let text = format!("http://{}:{port}/", url.host().unwrap_or_default());
    text.parse()
        .map_err(|error: http::uri::InvalidUri| ConnectError::new("no address", error))
}
