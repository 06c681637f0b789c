//! The layer around a `tower::Service`.

use crate::body::PacedBody;
use crate::handle::Pace;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::Mutex;
use tower_layer::Layer;
use tower_service::Service;

/// A service whose requests wait for a place in the limits of a [`Pace`].
///
/// It is always ready: requests wait in the futures of [`call`](Service::call), so that requests of a level do not delay others.
/// Clones share the inner service, which need not be `Clone`.
pub struct Paced<S> {
    pace: Pace,
    inner: Arc<Mutex<S>>,
}

impl<S> Layer<S> for Pace {
    type Service = Paced<S>;

    fn layer(&self, inner: S) -> Paced<S> {
        Paced {
            pace: self.clone(),
            inner: Arc::new(Mutex::new(inner)),
        }
    }
}

impl<S, B, C> Service<http::Request<B>> for Paced<S>
where
    S: Service<http::Request<B>, Response = http::Response<C>> + Send + 'static,
    S::Future: Send,
    S::Error: Send,
    B: Send + 'static,
    C: Send + 'static,
{
    type Response = http::Response<PacedBody<C>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let Self { pace, inner } = self.clone();
        Box::pin(async move {
            let exchange = async move |request| {
                let response = {
                    let mut service = inner.lock().await;
                    poll_fn(|cx| service.poll_ready(cx)).await?;
                    service.call(request)
                };
                response.await
            };
            pace.send(request, exchange).await
        })
    }
}

impl<S> Clone for Paced<S> {
    fn clone(&self) -> Self {
        Self {
            pace: self.pace.clone(),
            inner: self.inner.clone(),
        }
    }
}

impl<S> fmt::Debug for Paced<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paced")
            .field("pace", &self.pace)
            .finish_non_exhaustive()
    }
}
