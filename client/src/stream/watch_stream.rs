//! An open watch.

use super::event;
use super::event::WatchEvent;
use super::line::LineDecoder;
use super::read_ahead::ReadAhead;
use crate::Resource;
use crate::error::{Error, RequestLine};
use crate::json::FieldPredictor;
use crate::negotiate::codec::Codec;
use crate::transport::{Body, TransportError};
use futures_core::Stream;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The [events](WatchEvent) of one watch as they arrive, returned by [`WatchRequest`](crate::client::WatchRequest).
///
/// The stream ends (`None`) when the server closes the watch, which every server does sooner or later, and after an
/// error. Continue with another watch from [`resource_version`](Self::resource_version), or use a
/// [`Watcher`](crate::watch::Watcher), which does so automatically. Dropping the stream closes the watch.
///
/// A task of the tokio runtime reads the body, at most 256 KiB ahead of the events.
#[must_use = "a stream does nothing until it is polled"]
pub struct WatchStream<K: Resource> {
    codec: Codec<K>,
    line: RequestLine,
    /// `None` after the end.
    body: Option<ReadAhead>,
    lines: LineDecoder,
    /// The fields of the lines so far.
    predictor: Box<FieldPredictor>,
    resource_version: Option<String>,
}

type Event<K> = Result<WatchEvent<K>, Error>;

impl<K: Resource> WatchStream<K> {
    pub(crate) fn new(codec: Codec<K>, line: RequestLine, body: Body, max_line: usize) -> Self {
        Self {
            codec,
            line,
            body: Some(ReadAhead::new(body)),
            lines: LineDecoder::new(max_line),
            predictor: Box::default(),
            resource_version: None,
        }
    }

    /// The next event; `None` after the server has closed the watch, and after an error.
    ///
    /// Cancel safe: no event is lost when the future is dropped.
    ///
    /// # Errors
    /// [`is_expired`](Error::is_expired) when the resource version is too old: list again.
    /// [`is_retryable`](Error::is_retryable) when the connection broke: watch again. [`is_decode`](Error::is_decode) when
    /// a line is not an event of `K`.
    pub async fn next(&mut self) -> Option<Result<WatchEvent<K>, Error>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// The resource version of the last event; `None` before the first event.
    pub fn resource_version(&self) -> Option<&str> {
        self.resource_version.as_deref()
    }

    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<WatchEvent<K>, Error>>> {
        let mut next = ready!(self.poll_line(cx));
        match &mut next {
            Some(Ok(event)) => {
                let version = event.resource_version();
                if let Some(version) = version.filter(|version| !version.is_empty()) {
                    // Reuses the buffer of the previous version.
                    let last = self.resource_version.get_or_insert_default();
                    last.clear();
                    last.push_str(version);
                }
                return Poll::Ready(next);
            }
            Some(Err(error)) => error.set_line(&self.line),
            None => {}
        }
        // Closes the connection, or returns it to the pool.
        self.body = None;
        Poll::Ready(next)
    }

    fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        loop {
            let Some(body) = &mut self.body else {
                return Poll::Ready(None);
            };
            match self.lines.next_line() {
                Ok(Some(line)) => {
                    let predictor = &mut self.predictor;
                    let event = event::decode(&self.codec, line, predictor, false);
                    return Poll::Ready(Some(event));
                }
                Ok(None) => {}
                Err(error) => {
                    let setting =
                        "WatchRequest::max_event_size (a watcher or store has no such setting)";
                    let error = error.into_error("an event of the watch", setting);
                    return Poll::Ready(Some(Err(error)));
                }
            }
            match ready!(body.poll_chunk(cx)) {
                Some(Ok(chunk)) => self.lines.push_chunk(chunk),
                Some(Err(error)) => {
                    let error = TransportError::into_body_error(error);
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    self.body = None;
                    // The last line may lack its newline.
                    return Poll::Ready(
                        self.lines.finish().map(|line| {
                            event::decode(&self.codec, line, &mut self.predictor, true)
                        }),
                    );
                }
            }
        }
    }
}

impl<K: Resource> Stream for WatchStream<K> {
    type Item = Result<WatchEvent<K>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl<K: Resource> fmt::Debug for WatchStream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchStream")
            .field("request", &self.line)
            .field("open", &self.body.is_some())
            .field("lines", &self.lines)
            .field("resource_version", &self.resource_version)
            .finish_non_exhaustive()
    }
}
