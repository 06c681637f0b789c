//! A gzip body, decompressed as it arrives.
//!
//! Requests for streams ask for an uncompressed response, but a server, a proxy or a custom transport may compress it
//! nevertheless. Kubernetes 1.37 sends one gzip member per flush, with the end of an event anywhere in it.

use crate::transport::{Body, TransportError};
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use http_body::Frame;
use std::error::Error as StdError;
use std::fmt;
use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The compressed bytes that are decompressed at once: they become at most about 4 MiB, however hostile they are.
const PIECE: usize = 4096;

pub(crate) struct Gunzip {
    body: Body,
    /// Bytes that have arrived and are not decompressed yet.
    chunk: Bytes,
    decoder: Option<MultiGzDecoder<Vec<u8>>>,
}

impl Gunzip {
    pub(crate) fn new(body: Body) -> Self {
        Self {
            body,
            chunk: Bytes::new(),
            decoder: Some(MultiGzDecoder::new(Vec::new())),
        }
    }

    /// Decompresses the next piece. Everything that it contains comes out, since an event may end with it.
    fn decompress(&mut self) -> io::Result<Bytes> {
        let piece = self.chunk.split_to(self.chunk.len().min(PIECE));
        let Some(decoder) = &mut self.decoder else {
            return Ok(Bytes::new());
        };
        decoder.write_all(&piece)?;
        decoder.flush()?;
        Ok(std::mem::take(decoder.get_mut()).into())
    }

    /// The rest after the last chunk.
    /// Errors: if a gzip member is cut off.
    fn finish(&mut self) -> io::Result<Bytes> {
        match self.decoder.take() {
            Some(decoder) => decoder.finish().map(Bytes::from),
            None => Ok(Bytes::new()),
        }
    }
}

impl http_body::Body for Gunzip {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let this = &mut *self;
        loop {
            if this.decoder.is_none() {
                return Poll::Ready(None);
            }
            let data = if !this.chunk.is_empty() {
                this.decompress()
            } else {
                match ready!(Pin::new(&mut this.body).poll_frame(cx)) {
                    Some(Ok(frame)) => {
                        this.chunk = frame.into_data().unwrap_or_default();
                        continue;
                    }
                    Some(Err(error)) => {
                        this.decoder = None;
                        return Poll::Ready(Some(Err(error)));
                    }
                    None => this.finish(),
                }
            };
            match data {
                Ok(data) if data.is_empty() => {}
                Ok(data) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                Err(error) => {
                    this.decoder = None;
                    let error = TransportError::new(GunzipError(error));
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}

/// The error of a compressed body.
#[derive(Debug)]
pub(crate) struct GunzipError(pub(crate) io::Error);

impl fmt::Display for GunzipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for GunzipError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.0)
    }
}
