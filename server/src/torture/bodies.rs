//! Bodies of responses: slow, compressed, cut, and watched until their end.

use crate::http::payload::{self, Body};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use hyper::body::Bytes;
use std::io::{self, Write};
use std::time::Duration;
use tokio::time::sleep;

/// The bytes that arrive in pieces of a few.
const SLOW: usize = 256;
/// The time for sending the last piece before a connection breaks.
const LAST_PIECE: Duration = Duration::from_millis(20);

/// The error of a body that breaks off on purpose.
pub(super) fn broken() -> io::Error {
    io::ErrorKind::ConnectionReset.into()
}

/// Breaks off after this number of bytes, or after the last byte.
pub(super) fn cut(body: Body, after: usize) -> Body {
    let state = Some((body.into_data_stream(), after));
    payload::streamed(stream::unfold(state, |state| async move {
        let Some((mut pieces, left)) = state else {
            sleep(LAST_PIECE).await;
            return Some((Err(broken()), None));
        };
        Some(match pieces.next().await {
            None => return Some((Err(broken()), None)),
            Some(Err(error)) => (Err(error), None),
            Some(Ok(piece)) if piece.len() >= left => (Ok(piece.slice(..left)), None),
            Some(Ok(piece)) => {
                let left = left - piece.len();
                (Ok(piece), Some((pieces, left)))
            }
        })
    }))
}

/// Sends the first bytes a few at a time, and then pieces with pauses.
pub(super) fn slow(body: Body, random: u64) -> Body {
    let size = usize::try_from(random % 13 + 1).unwrap_or(1);
    let state = (body.into_data_stream(), Bytes::new(), 0_usize);
    payload::streamed(stream::unfold(
        state,
        move |(mut pieces, mut rest, sent)| async move {
            if rest.is_empty() {
                rest = match pieces.next().await? {
                    Ok(piece) => piece,
                    Err(error) => return Some((Err(error), (pieces, rest, sent))),
                };
            }
            let size = if sent < SLOW { size } else { 16 * 1024 };
            let piece = rest.split_to(size.min(rest.len()));
            sleep(Duration::from_millis(1)).await;
            let sent = sent + piece.len();
            Some((Ok(piece), (pieces, rest, sent)))
        },
    ))
}

/// Compresses a stream, and flushes after each piece.
pub(super) fn compressed(body: Body) -> Body {
    let encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let state = Some((body.into_data_stream(), encoder));
    payload::streamed(stream::unfold(state, |state| async move {
        let (mut pieces, mut encoder) = state?;
        Some(match pieces.next().await {
            Some(Err(error)) => (Err(error), None),
            Some(Ok(piece)) => {
                // Writing to memory does not fail.
                let flushed = encoder.write_all(&piece).and_then(|()| encoder.flush());
                let packed = std::mem::take(encoder.get_mut());
                (flushed.map(|()| packed.into()), Some((pieces, encoder)))
            }
            None => (encoder.finish().map(Bytes::from), None),
        })
    }))
}

/// Calls a function once: with true after the last byte, or with false when the body fails or is dropped before.
pub(super) fn tracked(body: Body, ended: impl FnOnce(bool) + Send + 'static) -> Body {
    let state = (body.into_data_stream(), Guard(Some(ended)));
    payload::streamed(stream::unfold(
        state,
        |(mut pieces, mut guard)| async move {
            match pieces.next().await {
                Some(piece) => Some((piece, (pieces, guard))),
                None => {
                    guard.call(true);
                    None
                }
            }
        },
    ))
}

struct Guard<F: FnOnce(bool)>(Option<F>);

impl<F: FnOnce(bool)> Guard<F> {
    fn call(&mut self, whole: bool) {
        if let Some(ended) = self.0.take() {
            ended(whole);
        }
    }
}

impl<F: FnOnce(bool)> Drop for Guard<F> {
    fn drop(&mut self) {
        self.call(false);
    }
}
