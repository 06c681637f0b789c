//! Responses of faults.

use super::payload::{self, Body};
use super::response::ApiResponse;
use crate::faults::Effect;
use crate::status::{Cause, Details, failure};
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use hyper::body::Bytes;
use std::io;
use std::time::Duration;
use tokio::time::sleep;

/// Neither JSON nor UTF-8.
const GARBAGE: &[u8] = b"\xff\xfe{\"kind\":<html>\x00";
/// The time for sending the last piece before the connection breaks.
const LAST_PIECE: Duration = Duration::from_millis(20);

/// The response of flow control to a request that it rejects.
pub(crate) fn rejected(retry_after: u32) -> ApiResponse {
    let text = "Too many requests, please try again later.\n";
    ApiResponse::text(429, text).with_retry_after(retry_after)
}

/// The response of a fault that has one.
pub(super) fn response(effect: &Effect) -> Option<ApiResponse> {
    let details = |retry_after_seconds| Details {
        retry_after_seconds: Some(retry_after_seconds),
        ..Details::default()
    };
    Some(match effect {
        Effect::Rejected(seconds) => rejected(*seconds),
        Effect::TooManyRequests(seconds) => {
            let message = "storage is (re)initializing";
            failure(429, "TooManyRequests", message)
                .with_details(details(*seconds))
                .into()
        }
        Effect::InternalError => {
            let why = "a fault on request";
            let message = format!("Internal error occurred: {why}");
            failure(500, "InternalError", message)
                .with_details(Details {
                    causes: vec![Cause::new("", "", why)],
                    ..Details::default()
                })
                .into()
        }
        Effect::Unavailable => failure(
            503,
            "ServiceUnavailable",
            "the server is currently unable to handle the request",
        )
        .with_details(Details::default())
        .into(),
        Effect::Garbage => ApiResponse::lines(payload::whole(GARBAGE)),
        Effect::Status(code, status) => {
            let response = ApiResponse::json(*code, status);
            let seconds = status
                .details
                .as_ref()
                .and_then(|details| details.retry_after_seconds);
            match seconds.and_then(|seconds| u32::try_from(seconds).ok()) {
                Some(seconds) => response.with_retry_after(seconds),
                None => response,
            }
        }
        Effect::Cut | Effect::CutWatch(_) | Effect::Delay(_) | Effect::ExpireHistory => {
            return None;
        }
    })
}

/// Forwards this number of lines and half of the next, and then breaks the connection.
pub(super) fn cut(body: Body, lines: usize) -> Body {
    let state = Some((body.into_data_stream(), lines));
    payload::streamed(stream::unfold(state, |state| async move {
        let Some((mut pieces, left)) = state else {
            sleep(LAST_PIECE).await;
            let broken = io::Error::from(io::ErrorKind::ConnectionReset);
            // The stream is not polled again after an error.
            return Some((Err(broken), None));
        };
        let piece = match pieces.next().await? {
            Ok(piece) => piece,
            Err(error) => return Some((Err(error), None)),
        };
        Some(match piece_before_cut(&piece, left) {
            Ok(left) => (Ok(piece), Some((pieces, left))),
            Err(end) => (Ok(piece.slice(..end)), None),
        })
    }))
}

/// The number of lines to forward after this piece, or the position of the cut in it.
fn piece_before_cut(piece: &Bytes, mut left: usize) -> Result<usize, usize> {
    let mut start = 0;
    while start < piece.len() {
        let line = piece
            .iter()
            .skip(start)
            .position(|byte| *byte == b'\n')
            .map_or(piece.len() - start, |end| end + 1);
        if left == 0 {
            return Err(start + line / 2);
        }
        left -= 1;
        start += line;
    }
    Ok(left)
}
