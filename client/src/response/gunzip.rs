//! A gzip body, decompressed as it arrives.
//!
//! Requests for streams ask for an uncompressed response, but a server, a proxy or a custom transport may compress it
//! nevertheless. Kubernetes 1.37 sends one gzip member per flush, with the end of an event anywhere in it.

use crate::transport::{Body, TransportError};
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use http_body::Frame;
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
    ///
    /// # Errors
    /// If a gzip member is cut off.
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
                    return Poll::Ready(Some(Err(TransportError::new(error))));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use http_body::Body as _;
    use std::future::poll_fn;

    fn member(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// The bytes, and whether the body ended well. No frame is larger than the result of one piece.
    async fn read(packed: &[u8], chunk: usize) -> (Vec<u8>, bool) {
        let chunks: Vec<Bytes> = packed.chunks(chunk).map(Bytes::copy_from_slice).collect();
        let mut body = Gunzip::new(Body::new(Chunks(chunks.into_iter())));
        let mut text = Vec::new();
        loop {
            match poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
                Some(Ok(frame)) => {
                    let data = frame.into_data().unwrap();
                    assert!(data.len() <= 5 << 20);
                    text.extend_from_slice(&data);
                }
                Some(Err(_)) => return (text, false),
                None => return (text, true),
            }
        }
    }

    struct Chunks(std::vec::IntoIter<Bytes>);

    impl http_body::Body for Chunks {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            Poll::Ready(self.0.next().map(|chunk| Ok(Frame::data(chunk))))
        }
    }

    #[tokio::test]
    async fn members_and_chunks_may_end_anywhere() {
        let text = b"{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n";
        for split in 0..text.len() {
            let packed = [member(&text[..split]), member(&text[split..])].concat();
            for chunk in [1, 7, 1000] {
                assert_eq!(read(&packed, chunk).await, (text.to_vec(), true));
            }
        }
    }

    #[tokio::test]
    async fn everything_before_a_flush_comes_out_at_once() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"{\"a\":1}\n").unwrap();
        encoder.flush().unwrap();
        let (text, is_whole) = read(encoder.get_ref(), 1000).await;
        assert_eq!((text.as_slice(), is_whole), (&b"{\"a\":1}\n"[..], false));
    }

    #[tokio::test]
    async fn a_member_that_is_cut_off_is_an_error() {
        let packed = member(b"some text that is long enough");
        for end in 1..packed.len() {
            assert!(!read(&packed[..end], 1000).await.1, "{end}");
        }
        assert!(!read(b"no gzip at all", 1000).await.1);
    }

    #[tokio::test]
    async fn a_bomb_comes_out_in_bounded_pieces() {
        let bomb = member(&vec![b' '; 50_000_000]);
        let (text, is_whole) = read(&bomb, bomb.len()).await;
        assert!(text.len() == 50_000_000 && is_whole);
    }
}
