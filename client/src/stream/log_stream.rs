//! The open log of a container.

use super::line::LineDecoder;
use super::read_ahead::ReadAhead;
use crate::error::{Error, RequestLine};
use crate::transport::{Body, TransportError};
use futures_core::Stream;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The lines of a container's log as they arrive, returned by [`LogRequest`](crate::client::LogRequest).
///
/// The stream ends (`None`) with the log; when it follows the log, with the container. It also ends after an error. Dropping it
/// closes the connection.
///
/// A task of the tokio runtime reads the body, at most 256 KiB ahead of the lines.
#[must_use = "a stream does nothing until it is polled"]
pub struct LogStream {
    line: RequestLine,
    /// `None` after the end.
    body: Option<ReadAhead>,
    lines: LineDecoder,
}

impl LogStream {
    pub(crate) fn new(line: RequestLine, body: Body, max_line: usize) -> Self {
        Self {
            line,
            body: Some(ReadAhead::new(body)),
            lines: LineDecoder::keeping_empty(max_line),
        }
    }

    /// The next line, without its end. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// Cancel safe: no line is lost when the future is dropped.
    ///
    /// # Errors
    /// [`is_retryable`](Error::is_retryable) when the connection broke: read again, with
    /// [`since_time`](crate::client::LogRequest::since_time). A line longer than
    /// [`max_line_size`](crate::client::LogRequest::max_line_size) is an error, too.
    pub async fn next(&mut self) -> Option<Result<String, Error>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// The next line as bytes, see [`next`](Self::next).
    ///
    /// # Errors
    /// The same as for [`next`](Self::next).
    pub async fn next_bytes(&mut self) -> Option<Result<Vec<u8>, Error>> {
        std::future::poll_fn(|cx| self.poll_bytes(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<String, Error>>> {
        let line = ready!(self.poll_bytes(cx));
        Poll::Ready(line.map(|line| line.map(text)))
    }

    fn poll_bytes(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Vec<u8>, Error>>> {
        loop {
            let Some(body) = &mut self.body else {
                return Poll::Ready(None);
            };
            let error = match self.lines.next_line() {
                Ok(Some(line)) => return Poll::Ready(Some(Ok(line.to_vec()))),
                Ok(None) => match ready!(body.poll_chunk(cx)) {
                    Some(Ok(chunk)) => {
                        self.lines.push_chunk(chunk);
                        continue;
                    }
                    Some(Err(error)) => TransportError::into_body_error(error),
                    None => {
                        self.body = None;
                        let last = self.lines.finish();
                        return Poll::Ready(last.map(|line| Ok(line.to_vec())));
                    }
                },
                Err(error) => error.into_error("a line of the log", "LogRequest::max_line_size"),
            };
            self.body = None;
            return Poll::Ready(Some(Err(error.at(&self.line))));
        }
    }
}

fn text(line: Vec<u8>) -> String {
    match String::from_utf8(line) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

impl Stream for LogStream {
    type Item = Result<String, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl fmt::Debug for LogStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogStream")
            .field("request", &self.line)
            .field("open", &self.body.is_some())
            .finish_non_exhaustive()
    }
}
