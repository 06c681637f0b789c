//! Layers: middleware around every HTTP exchange with the server.

use super::options::Chain;
use crate::transport::{Body, BoxFuture, Transport, TransportError};
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;

/// The response to a request, or the error of the transport.
pub(crate) type Exchange = BoxFuture<Result<http::Response<Body>, TransportError>>;
pub(crate) type Layer = dyn Fn(http::Request<Bytes>, Next) -> Exchange + Send + Sync;

/// The remaining layers and the transport, for the layers of
/// [`Client::layer`](crate::Client::layer).
#[derive(Clone)]
pub struct Next {
    layers: Chain<Layer>,
    /// The number of layers below.
    below: usize,
    transport: Arc<Transport>,
}

impl Next {
    pub(crate) fn new(layers: Chain<Layer>, transport: Arc<Transport>) -> Self {
        Self {
            below: layers.as_slice().len(),
            layers,
            transport,
        }
    }

    /// Sends the request and returns when the response begins.
    ///
    /// # Errors
    /// If the request does not get a response. The client decides by the error whether it sends the request again.
    pub async fn run(
        mut self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Body>, TransportError> {
        let below = self.below.checked_sub(1);
        match below.and_then(|index| self.layers.as_slice().get(index).cloned()) {
            None => self.transport.send(request).await,
            Some(layer) => {
                self.below -= 1;
                layer(request, self).await
            }
        }
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("layers", &self.below)
            .finish_non_exhaustive()
    }
}
