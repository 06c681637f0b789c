//! The body of a response: read to its end, or streamed.

use super::gunzip::{Gunzip, GunzipError};
use crate::error::{Error, ErrorKind};
use crate::transport::{Body, TransportError};
use flate2::write::MultiGzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body::Body as _;
use std::future::Future;
use std::io::{self, Write};
use std::pin::Pin;

/// The form of a successful response's body.
pub(crate) trait Content: Sized + Send {
    fn read(
        body: Body,
        encoding: Encoding,
        limit: usize,
    ) -> impl Future<Output = Result<Self, Error>> + Send;
}

/// The whole body.
impl Content for Vec<u8> {
    async fn read(body: Body, encoding: Encoding, limit: usize) -> Result<Self, Error> {
        collect(body, encoding, limit).await
    }
}

/// The body as a stream. The request asks for an uncompressed body, but not every server or proxy respects that.
impl Content for Body {
    async fn read(body: Body, encoding: Encoding, _: usize) -> Result<Self, Error> {
        match encoding {
            Encoding::Identity => Ok(body),
            Encoding::Gzip => Ok(Body::new(Gunzip::new(body))),
        }
    }
}

/// The encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Identity,
    Gzip,
}

impl Encoding {
    pub(crate) fn read(headers: &HeaderMap) -> Result<Self, Error> {
        let Some(value) = headers.get(CONTENT_ENCODING) else {
            return Ok(Self::Identity);
        };
        let text = String::from_utf8_lossy(value.as_bytes());
        match text.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Self::Identity),
            "gzip" | "x-gzip" => Ok(Self::Gzip),
            other => Err(unexpected(other)),
        }
    }
}

/// Reads a body to its end. `limit` is its maximum size in bytes after decompression.
pub(crate) async fn collect(
    mut body: Body,
    encoding: Encoding,
    limit: usize,
) -> Result<Vec<u8>, Error> {
    let mut sink = Sink::new(encoding, limit);
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        if let Ok(data) = frame.map_err(TransportError::into_body_error)?.into_data() {
            sink.push(&data)?;
        }
    }
    sink.finish()
}

/// The destination of a body.
enum Sink {
    Plain(Bounded),
    Gzip(Box<MultiGzDecoder<Bounded>>),
}

impl Sink {
    fn new(encoding: Encoding, limit: usize) -> Self {
        let bounded = Bounded {
            bytes: Vec::new(),
            limit,
        };
        match encoding {
            Encoding::Identity => Self::Plain(bounded),
            Encoding::Gzip => Self::Gzip(Box::new(MultiGzDecoder::new(bounded))),
        }
    }

    fn push(&mut self, data: &[u8]) -> Result<(), Error> {
        match self {
            Self::Plain(bounded) => bounded.write_all(data),
            Self::Gzip(decoder) => decoder.write_all(data),
        }
        .map_err(unreadable)
    }

    fn finish(self) -> Result<Vec<u8>, Error> {
        match self {
            Self::Plain(bounded) => Ok(bounded.bytes),
            Self::Gzip(decoder) => Ok(decoder.finish().map_err(unreadable)?.bytes),
        }
    }
}

/// A buffer with a maximum size.
struct Bounded {
    bytes: Vec<u8>,
    limit: usize,
}

impl Write for Bounded {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if data.len() > self.limit - self.bytes.len() {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                TooLong(self.limit),
            ));
        }
        self.bytes.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The exceeded limit.
#[derive(Debug)]
struct TooLong(usize);

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "longer than {} bytes", self.0)
    }
}

impl std::error::Error for TooLong {}

fn unreadable(error: io::Error) -> Error {
    let too_long = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<TooLong>());
    match too_long {
        Some(TooLong(limit)) => Error::new(ErrorKind::TooLong {
            what: "the response",
            limit: *limit,
            setting: "Config::with_max_response_size",
        })
        .with_source(error),
        None => Error::new(ErrorKind::Body { timeout: false }).with_source(GunzipError(error)),
    }
}

fn unexpected(encoding: &str) -> Error {
    let expected = "a body with the content encoding gzip or none";
    Error::decode(expected, format!("it is {encoding:?}"))
}
