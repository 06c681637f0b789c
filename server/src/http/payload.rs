//! The bodies of responses: whole, empty, or streamed at the client's pace, and the compression of large ones.

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{Stream, TryStreamExt};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full, StreamBody};
use hyper::Response;
use hyper::body::{Body as _, Bytes, Frame};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use std::io::{self, Write};

pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

pub(crate) fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

pub(crate) fn streamed(pieces: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Body {
    StreamBody::new(pieces.map_ok(Frame::data)).boxed_unsync()
}

/// The largest size that is sent uncompressed.
const THRESHOLD: usize = 128 * 1024;
/// The same for the Swagger 2 document, which a real server compresses by another library.
const SWAGGER_THRESHOLD: usize = 1400;

/// The largest size of an uncompressed response, or `None` if the client does not accept gzip.
pub(super) fn threshold(request: &Parts) -> Option<usize> {
    is_wanted(&request.headers).then(|| match request.uri.path() {
        "/openapi/v2" => SWAGGER_THRESHOLD,
        _ => THRESHOLD,
    })
}

/// Whether the client accepts gzip. Like a real server, this ignores clauses with a quality.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let wanted = headers.get(header::ACCEPT_ENCODING);
    wanted
        .and_then(|value| value.to_str().ok())
        .is_some_and(|text| text.split(',').any(|token| token.trim() == "gzip"))
}

/// Compresses a response with objects that is larger than `threshold`. Watches compress themselves.
pub(super) async fn compress(response: Response<Body>, threshold: usize) -> Response<Body> {
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let has_objects =
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/"));
    let size = response.body().size_hint().exact();
    if !has_objects || size.is_none_or(|size| size <= threshold as u64) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // The body is in memory, so neither step can fail.
    let plain = body.collect().await.unwrap_or_default().to_bytes();
    let packed = member(&plain);
    let headers = &mut parts.headers;
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    Response::from_parts(parts, whole(packed))
}

/// A complete gzip member.
pub(super) fn member(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let packed = encoder.write_all(plain).and_then(|()| encoder.finish());
    packed.unwrap_or_default()
}
