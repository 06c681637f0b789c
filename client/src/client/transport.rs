//! What carries requests to the server: connections, TLS, HTTP.
//!
//! Everything that names the HTTP library is here.

use super::error::{Error, Kind};
use super::tls;
use crate::config::Config;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A connection over which nothing came for so long is asked whether it is still there, as by
/// Kubernetes' own clients.
const PING_AFTER: Duration = Duration::from_secs(30);
/// So long may the answer to that take, before the connection counts as dead.
const PING_TIMEOUT: Duration = Duration::from_secs(15);

/// Connections to one server, kept for the next request.
pub(crate) struct Transport {
    http: reqwest::Client,
}

impl Transport {
    /// Connects when the first request is sent.
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::client_config(config)?)
            .connect_timeout(config.connect_timeout())
            .http2_keep_alive_interval(PING_AFTER)
            .http2_keep_alive_timeout(PING_TIMEOUT)
            .http2_keep_alive_while_idle(true)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(Error::setup)?;
        Ok(Self { http })
    }

    /// Sends a request; returns when the answer begins.
    pub(crate) async fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Body>, TransportError> {
        let request = reqwest::Request::try_from(request).map_err(TransportError::new)?;
        let answer = self.http.execute(request).await;
        let answer = http::Response::<reqwest::Body>::from(answer.map_err(TransportError::new)?);
        Ok(answer.map(Body))
    }
}

/// The body of an answer that is still arriving.
pub(crate) struct Body(reqwest::Body);

impl http_body::Body for Body {
    type Data = <reqwest::Body as http_body::Body>::Data;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, TransportError>>> {
        let frame = Pin::new(&mut self.0).poll_frame(cx);
        frame.map(|frame| frame.map(|frame| frame.map_err(TransportError::new)))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

#[cfg(test)]
impl<T: Into<reqwest::Body>> From<T> for Body {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

/// A request that did not arrive, or an answer that did not come or broke off.
#[derive(Debug)]
pub(crate) struct TransportError {
    /// Time ran out.
    pub(crate) timeout: bool,
    /// The connection could not be made secure.
    pub(crate) tls: bool,
    /// No connection came about, so that nothing was sent.
    pub(crate) connect: bool,
    source: Box<dyn StdError + Send + Sync>,
}

impl TransportError {
    fn new(error: reqwest::Error) -> Self {
        Self {
            timeout: error.is_timeout(),
            tls: tls::is_tls_error(&error),
            connect: error.is_connect(),
            source: Box::new(error.without_url()),
        }
    }

    /// As the error of a request for which no answer began.
    pub(crate) fn before_answer(self, config: &Config) -> Error {
        let kind = Kind::Send {
            server: config.server_url().to_owned(),
            timeout: self.timeout,
            tls: self.tls,
            connect: self.connect,
        };
        Error::new(kind).with_source(self.source)
    }

    /// As the error of an answer that broke off.
    pub(crate) fn within_answer(self) -> Error {
        let kind = Kind::Body {
            timeout: self.timeout,
        };
        Error::new(kind).with_source(self.source)
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl StdError for TransportError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.source()
    }
}
