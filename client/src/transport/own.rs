//! A transport of the program's own.

use super::BoxFuture;
use super::{Body, TransportError};
use bytes::Bytes;
use std::error::Error as StdError;

/// Sends a request and returns when the response begins.
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
