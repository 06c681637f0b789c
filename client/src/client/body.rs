//! The body of an answer, read to its end.

use super::error::{Error, Kind};
use super::transport::{Body, TransportError};
use http_body::Body as _;
use std::pin::Pin;

/// Reads a body to its end, within a size in bytes.
pub(super) async fn collect(mut body: Body, limit: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(data) = frame.map_err(TransportError::within_answer)?.into_data() else {
            continue;
        };
        if data.len() > limit - bytes.len() {
            let setting = "Config::with_max_response_size";
            return Err(Error::new(Kind::TooLong {
                what: "the answer",
                limit,
                setting,
            }));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}
