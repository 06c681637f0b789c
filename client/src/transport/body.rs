//! The body of a response, as a stream.

use super::TransportError;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The body of a response, as a stream of bytes.
///
/// Layers and custom transports receive and return it.
pub struct Body(Inner);

enum Inner {
    Connection(reqwest::Body),
    Other(Pin<Box<dyn http_body::Body<Data = Bytes, Error = TransportError> + Send>>),
}

impl Body {
    /// A body of any kind, such as a `String` or the body of another HTTP library.
    pub fn new<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn StdError + Send + Sync>>,
    {
        Self(Inner::Other(Box::pin(Foreign(Box::pin(body)))))
    }

    pub(crate) fn of_connection(body: reqwest::Body) -> Self {
        Self(Inner::Connection(body))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        match &mut self.0 {
            Inner::Connection(body) => {
                let frame = Pin::new(body).poll_frame(cx);
                frame.map(|frame| frame.map(|frame| frame.map_err(TransportError::new)))
            }
            Inner::Other(body) => body.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Inner::Connection(body) => body.is_end_stream(),
            Inner::Other(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Inner::Connection(body) => body.size_hint(),
            Inner::Other(body) => body.size_hint(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").finish_non_exhaustive()
    }
}

/// A body with errors of another type.
struct Foreign<B>(Pin<Box<B>>);

impl<B> http_body::Body for Foreign<B>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
{
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let frame = self.0.as_mut().poll_frame(cx);
        frame.map(|frame| frame.map(|frame| frame.map_err(TransportError::new)))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
