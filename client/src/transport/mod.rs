//! Connections: TLS, HTTP, proxies. Only this module uses the HTTP library.

mod body;
mod causes;
mod error;
mod explanation;
mod plain;
mod route;
pub(crate) mod tls;

pub use body::Body;
pub(crate) use causes::{causes, find};
pub use error::TransportError;
pub(crate) use error::{ConnectError, Properties};
pub(crate) use explanation::cause_in_words;

use crate::config::{Certificates, Config, check_tls};
use crate::error::Error;
use bytes::Bytes;
use plain::Plain;
use route::{Resolver, Route};
use std::error::Error as StdError;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// The future returned by an awaited request builder.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The maximum time of an idle connection.
const KEEP_IDLE: Duration = Duration::from_secs(90);
/// The number of TCP probes before a connection is closed.
const TCP_PROBES: u32 = 3;

/// The maximum number of response headers over HTTP/1.1.
///
/// The library fills two tables of this length for each response, 32 bytes an entry, and limits the bytes of headers to about 400 KiB.
/// A fourfold length costs a sixth of the processor time of a small `GET`. The warnings of an API server, the only headers that
/// can be many, have 4,096 characters together.
const HTTP1_MAX_HEADERS: usize = 1024;
/// The maximum bytes of response headers over HTTP/2: 10 MiB, as in Go.
#[cfg(feature = "http2")]
const HTTP2_MAX_HEADER_BYTES: u32 = 10 * 1024 * 1024;

/// A transport of the program: sends a request and returns when the response begins.
pub(crate) type OwnTransport = dyn Fn(http::Request<Bytes>) -> BoxFuture<Result<http::Response<Body>, TransportError>>
    + Send
    + Sync;

/// The response of the program's code, in the types of this crate.
pub(crate) async fn exchange<B, E>(
    response: impl Future<Output = Result<http::Response<B>, E>> + Send,
) -> Result<http::Response<Body>, TransportError>
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
    E: Into<Box<dyn StdError + Send + Sync>>,
{
    match response.await {
        Ok(response) => Ok(response.map(Body::new)),
        Err(error) => Err(TransportError::of_program(error)),
    }
}

/// The way to the server.
pub(crate) enum Transport {
    Connections(Box<Connections>),
    Own(Arc<OwnTransport>),
}

impl Transport {
    /// Sends a request and returns when the response begins.
    pub(crate) async fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Body>, TransportError> {
        // After hooks and layers, so that none of them can send a secret in clear text.
        check_tls(request.uri(), request.headers()).map_err(TransportError::forbidden)?;
        match self {
            Self::Connections(connections) => connections.send(request).await,
            Self::Own(transport) => transport(request).await,
        }
    }
}

enum Http {
    Library(reqwest::Client),
    Plain(Box<Plain>),
}

/// Connections to one server, kept for the next request.
pub(crate) struct Connections {
    http: Http,
    route: Route,
}

impl Connections {
    /// Prepares connections. They are opened when they are needed.
    pub(crate) fn new(config: &Config, certificates: &Certificates) -> Result<Self, Error> {
        let route = Route::of(config)?;
        let is_plain = config.server().scheme() == "http" && config.proxy()?.is_none();
        if is_plain {
            let http = Http::Plain(Box::new(Plain::new(config)));
            return Ok(Self { http, route });
        }
        let keep_alive = config.keep_alive();
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::client_config(
                config,
                certificates,
                &route.name_check(),
            )?)
            .connect_timeout(config.connect_timeout())
            .pool_idle_timeout(KEEP_IDLE)
            .http1_max_headers(HTTP1_MAX_HEADERS)
            // HTTP/1.1 does not have pings, so TCP must detect a dead connection.
            .tcp_keepalive(keep_alive.after)
            .tcp_keepalive_interval(keep_alive.timeout / TCP_PROBES)
            .tcp_keepalive_retries(TCP_PROBES)
            .redirect(reqwest::redirect::Policy::none())
            // Responses are decompressed here, regardless of the features of reqwest in the build.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            // This crate has its own retry policy and proxy settings.
            .retry(reqwest::retry::never())
            .no_proxy();
        #[cfg(feature = "http2")]
        {
            builder = builder
                .http2_max_header_list_size(HTTP2_MAX_HEADER_BYTES)
                .http2_keep_alive_interval(keep_alive.after)
                .http2_keep_alive_timeout(keep_alive.timeout)
                .http2_keep_alive_while_idle(true);
        }
        if let Some(proxy) = route.proxy()? {
            builder = builder.proxy(proxy);
        }
        if let Some((alias, host)) = route.alias() {
            builder = builder
                .dns_resolver(Arc::new(Resolver::new(alias, host)))
                .http1_only();
        }
        let http = Http::Library(builder.build().map_err(Error::setup)?);
        Ok(Self { http, route })
    }

    async fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Body>, TransportError> {
        let http = match &self.http {
            Http::Library(http) => http,
            Http::Plain(plain) => return plain.send(request).await,
        };
        let mut request = reqwest::Request::try_from(request).map_err(TransportError::new)?;
        self.route.set_alias(&mut request);
        let response = http.execute(request).await;
        let response = response.map_err(|error| self.route.explain(error))?;
        Ok(http::Response::<reqwest::Body>::from(response).map(Body::new))
    }
}
