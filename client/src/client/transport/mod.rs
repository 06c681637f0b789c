//! What carries requests to the server: connections, TLS, HTTP.
//!
//! Everything that names the HTTP library is here.

mod connector;
mod error;
mod stream;

pub(crate) use error::TransportError;

use super::error::Error;
use super::tls::TlsSetup;
use crate::config::{Config, Material, ProxyKind};
use bytes::Bytes;
use connector::Connector;
use http::header::{HeaderValue, PROXY_AUTHORIZATION};
use http_body::{Frame, SizeHint};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// How long a connection is kept that nobody needs.
const KEEP_IDLE: Duration = Duration::from_secs(90);

/// Connections to one server, kept for the next request.
pub(crate) struct Transport {
    http: legacy::Client<Connector, Full<Bytes>>,
    /// For a plain server behind an HTTP proxy, to which every request goes.
    proxy_authorization: Option<HeaderValue>,
}

impl Transport {
    /// Connects when the first request is sent.
    pub(crate) fn new(config: &Config, material: &Material) -> Result<Self, Error> {
        let tls = TlsSetup::new(config, material)?;
        let proxy = config.proxy()?;
        let forwarded = config.server().scheme() == "http"
            && proxy.is_some_and(|proxy| proxy.kind != ProxyKind::Socks5);
        let proxy_authorization = match proxy {
            Some(proxy) if forwarded => proxy.authorization()?,
            _ => None,
        };
        let keep_alive = config.keep_alive();
        let connector = Connector::new(tls, proxy, config.connect_timeout(), keep_alive)?;
        let http = legacy::Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(KEEP_IDLE)
            .http2_keep_alive_interval(keep_alive.after)
            .http2_keep_alive_timeout(keep_alive.timeout)
            .http2_keep_alive_while_idle(true)
            .build(connector);
        Ok(Self {
            http,
            proxy_authorization,
        })
    }

    /// Sends a request; returns when the answer begins.
    pub(crate) async fn send(
        &self,
        mut request: http::Request<Bytes>,
    ) -> Result<http::Response<Body>, TransportError> {
        if let Some(value) = &self.proxy_authorization {
            let headers = request.headers_mut();
            headers.insert(PROXY_AUTHORIZATION, value.clone());
        }
        let answer = self.http.request(request.map(Full::new)).await;
        let answer = answer.map_err(TransportError::before_answer_began)?;
        Ok(answer.map(|body| Body(Inner::Arriving(body))))
    }
}

/// The body of an answer that is still arriving.
pub(crate) struct Body(Inner);

enum Inner {
    Arriving(Incoming),
    #[cfg(test)]
    Given(Full<Bytes>),
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        match &mut self.0 {
            Inner::Arriving(body) => {
                let frame = Pin::new(body).poll_frame(cx);
                frame.map(|frame| frame.map(|frame| frame.map_err(TransportError::in_body)))
            }
            #[cfg(test)]
            Inner::Given(body) => {
                let frame = Pin::new(body).poll_frame(cx);
                frame.map(|frame| frame.map(|frame| frame.map_err(|never| match never {})))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Inner::Arriving(body) => body.is_end_stream(),
            #[cfg(test)]
            Inner::Given(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Inner::Arriving(body) => body.size_hint(),
            #[cfg(test)]
            Inner::Given(body) => body.size_hint(),
        }
    }
}

#[cfg(test)]
impl<T: Into<Bytes>> From<T> for Body {
    fn from(text: T) -> Self {
        Self(Inner::Given(Full::new(text.into())))
    }
}
