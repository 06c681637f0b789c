//! The open body of a raw response.

use super::read_ahead::ReadAhead;
use crate::error::{Error, RequestLine};
use crate::transport::{Body, TransportError};
use bytes::Bytes;
use futures_core::Stream;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The body of a raw response as it arrives, returned by [`RawRequest::stream`](crate::client::RawRequest::stream).
///
/// The stream ends (`None`) with the body. It also ends after an error. Dropping it closes the connection.
///
/// A task of the tokio runtime reads the body, at most 256 KiB ahead.
#[must_use = "a stream does nothing until it is polled"]
pub struct ByteStream {
    line: RequestLine,
    /// `None` after the end.
    body: Option<ReadAhead>,
}

impl ByteStream {
    pub(crate) fn new(line: RequestLine, body: Body) -> Self {
        Self {
            line,
            body: Some(ReadAhead::new(body)),
        }
    }

    /// The next bytes, never empty. The boundaries between chunks do not mean anything.
    ///
    /// Cancel safe: no bytes are lost when the future is dropped.
    ///
    /// # Errors
    /// [`is_retryable`](Error::is_retryable) when the connection broke.
    pub async fn next(&mut self) -> Option<Result<Bytes, Error>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let chunk = ready!(body.poll_chunk(cx));
        if !matches!(chunk, Some(Ok(_))) {
            self.body = None;
        }
        let fail = |error| TransportError::into_body_error(error).at(&self.line);
        Poll::Ready(chunk.map(|chunk| chunk.map_err(fail)))
    }
}

impl Stream for ByteStream {
    type Item = Result<Bytes, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteStream")
            .field("path", &self.line.path)
            .finish_non_exhaustive()
    }
}
