//! The body of a response, as a stream.

use super::TransportError;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use std::error::Error as StdError;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The body of a response, as a stream of bytes.
///
/// Layers and custom transports receive and return it.
#[derive(Debug)]
pub struct Body(UnsyncBoxBody<Bytes, TransportError>);

impl Body {
    /// A body of any kind, such as a `String` or the body of another HTTP library.
    pub fn new<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn StdError + Send + Sync>>,
    {
        Self(body.map_err(TransportError::new).boxed_unsync())
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        Pin::new(&mut self.0).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
