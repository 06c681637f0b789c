//! The server behind the torture.

use crate::http::{Body, Context, respond};
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{self, HeaderValue};
use hyper::{Request, Response};
use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

type Exchange =
    dyn Fn(Request<Bytes>) -> BoxFuture<'static, io::Result<Response<Body>>> + Send + Sync;

/// The server behind a [`TortureServer`](crate::TortureServer): an embedded server, or any other one that the program can send
/// requests to.
#[derive(Clone)]
pub struct Upstream(Arc<Exchange>);

impl Upstream {
    /// Sends requests with a function. A request has the client's path, headers and body; the function replaces the headers of the
    /// client's connection, such as `Host` and `Connection`, adds the address and the credentials, and returns when the response begins, as
    /// `Client::forward` does.
    pub fn new<F, B>(exchange: impl Fn(Request<Bytes>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<Response<B>>> + Send + 'static,
        B: hyper::body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        Self(Arc::new(move |request| {
            let response = exchange(request);
            Box::pin(async move {
                let response = response.await?;
                Ok(response.map(|body| body.map_err(io::Error::other).boxed_unsync()))
            })
        }))
    }

    /// The server of this context, which is gone after its end.
    pub(crate) fn embedded(context: impl Fn() -> Option<Context> + Send + Sync + 'static) -> Self {
        Self(Arc::new(move |request| {
            let Some(context) = context() else {
                let stopped = io::Error::new(io::ErrorKind::ConnectionRefused, "it has stopped");
                return Box::pin(async move { Err(stopped) });
            };
            let mut request: Request<Bytes> = request;
            // Without tokens at the front, every client has the rights of the server's first user.
            if let Some(tokens) = context.tokens.get()
                && let Some(token) = tokens.main()
                && let Ok(value) = HeaderValue::try_from(format!("Bearer {token}"))
            {
                request
                    .headers_mut()
                    .entry(header::AUTHORIZATION)
                    .or_insert(value);
            }
            Box::pin(async move { Ok(respond(context, request.map(Full::new)).await) })
        }))
    }

    pub(super) async fn send(&self, request: Request<Bytes>) -> io::Result<Response<Body>> {
        (self.0)(request).await
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").finish_non_exhaustive()
    }
}
