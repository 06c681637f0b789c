//! Connections to a server without TLS. The HTTP library for TLS and proxies needs a TLS provider also here, and reads the URL of each
//! request three times.

use super::{Body, HTTP1_MAX_HEADERS, KEEP_IDLE, TCP_PROBES, TransportError};
use crate::config::Config;
use bytes::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

/// Connections over HTTP/1.1.
pub(super) struct Plain(Client<HttpConnector, reqwest::Body>);

impl Plain {
    pub(super) fn new(config: &Config) -> Self {
        let keep_alive = config.keep_alive();
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(config.connect_timeout()));
        connector.set_nodelay(true);
        connector.set_keepalive(Some(keep_alive.after));
        connector.set_keepalive_interval(Some(keep_alive.timeout / TCP_PROBES));
        connector.set_keepalive_retries(Some(TCP_PROBES));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(KEEP_IDLE)
            .http1_max_headers(HTTP1_MAX_HEADERS)
            // This crate has its own retry policy.
            .retry_canceled_requests(false)
            .build(connector);
        Self(client)
    }

    pub(super) async fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Body>, TransportError> {
        let response = self.0.request(request.map(reqwest::Body::from)).await;
        Ok(response.map_err(TransportError::new)?.map(Body::new))
    }
}
