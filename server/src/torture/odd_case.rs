//! A connection that changes the case of the names of HTTP/1.1 response headers. Own code: HTTP libraries write them in lower case.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The start of the head of a response.
const START: &[u8] = b"HTTP/1.1 ";

/// A connection whose responses have odd names.
///
/// The HTTP library begins the head of a response at the start of a write. Changing the case does not change lengths, so a write that
/// was accepted in part continues where it stopped.
pub(super) struct OddCase<S> {
    stream: S,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Body,
    Status,
    /// Inside a name, with the number of its letters so far.
    Name(usize),
    Value,
}

impl<S> OddCase<S> {
    pub(super) fn new(stream: S) -> Self {
        Self {
            stream,
            place: Place::Body,
        }
    }
}

impl Place {
    /// The byte to send, and the place after it.
    fn step(self, byte: u8) -> (u8, Self) {
        match (self, byte) {
            (Self::Body, _) => (byte, Self::Body),
            (Self::Status | Self::Value, b'\n') => (byte, Self::Name(0)),
            (Self::Name(0), b'\r') => (byte, Self::Name(0)),
            (Self::Name(0), b'\n') => (byte, Self::Body),
            (Self::Name(_), b':') => (byte, Self::Value),
            (Self::Name(letters), _) if letters % 3 != 1 => {
                (byte.to_ascii_uppercase(), Self::Name(letters + 1))
            }
            (Self::Name(letters), _) => (byte.to_ascii_lowercase(), Self::Name(letters + 1)),
            (place, _) => (byte, place),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for OddCase<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut start = self.place;
        if start == Place::Body && bytes.starts_with(START) {
            start = Place::Status;
        }
        let (mut place, mut changed) = (start, Vec::with_capacity(bytes.len()));
        for byte in bytes {
            let (byte, next) = place.step(*byte);
            changed.push(byte);
            place = next;
        }
        let accepted = ready!(Pin::new(&mut self.stream).poll_write(cx, &changed))?;
        let accepted_bytes = bytes.iter().take(accepted);
        self.place = accepted_bytes.fold(start, |place, byte| place.step(*byte).1);
        Poll::Ready(Ok(accepted))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for OddCase<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}
