//! A small HTTP client without TLS.

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderMap;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// Connections to one server.
#[derive(Clone)]
pub(crate) struct Http(Client<HttpConnector, Full<Bytes>>);

impl Http {
    pub(crate) fn new() -> Self {
        Self(Client::builder(TokioExecutor::new()).build_http())
    }

    /// HTTP/2 without negotiation.
    pub(crate) fn http2() -> Self {
        let mut builder = Client::builder(TokioExecutor::new());
        Self(builder.http2_only(true).build_http())
    }

    pub(crate) fn request(&self, method: &str, url: String) -> Request {
        let head = hyper::Request::builder().method(method).uri(url);
        Request {
            client: self.0.clone(),
            head,
            body: Bytes::new(),
        }
    }
}

/// A request under construction.
pub(crate) struct Request {
    client: Client<HttpConnector, Full<Bytes>>,
    head: hyper::http::request::Builder,
    body: Bytes,
}

impl Request {
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        let head = self.head.header(name, value.as_bytes());
        Self { head, ..self }
    }

    pub(crate) fn body(self, body: impl Into<Bytes>) -> Self {
        Self {
            body: body.into(),
            ..self
        }
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json")
            .body(body.to_string())
    }

    pub(crate) async fn send(self) -> Response {
        let request = self.head.body(Full::new(self.body)).unwrap();
        Response(self.client.request(request).await.unwrap())
    }
}

/// A response whose body is not read yet.
pub(crate) struct Response(hyper::Response<Incoming>);

impl Response {
    pub(crate) fn code(&self) -> u16 {
        self.0.status().as_u16()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.0.headers()
    }

    /// The next piece of the body, or `None` at the end.
    pub(crate) async fn chunk(&mut self) -> Option<Bytes> {
        self.try_chunk().await.map(Result::unwrap)
    }

    /// The next piece of a body that may break off.
    pub(crate) async fn try_chunk(&mut self) -> Option<hyper::Result<Bytes>> {
        loop {
            match self.0.frame().await? {
                Ok(frame) => {
                    if let Ok(data) = frame.into_data() {
                        return Some(Ok(data));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    pub(crate) async fn bytes(self) -> Bytes {
        self.0.into_body().collect().await.unwrap().to_bytes()
    }

    pub(crate) async fn text(self) -> String {
        String::from_utf8(self.bytes().await.into()).unwrap()
    }
}
