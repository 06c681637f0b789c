//! Compression of large answers, as API servers do it since 1.16.

use axum::body::{Body, HttpBody, to_bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Answers of up to so many bytes are sent as they are.
const THRESHOLD: usize = 128 * 1024;

/// Whether the client takes gzip. As in a server, only the bare word counts, without a quality.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let wanted = headers.get(header::ACCEPT_ENCODING);
    wanted
        .and_then(|value| value.to_str().ok())
        .is_some_and(|text| text.split(',').any(|token| token.trim() == "gzip"))
}

/// Compresses an answer with objects in it if it is large; what arrives bit by bit, such as a watch, is not.
pub(super) async fn compress(response: Response) -> Response {
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let has_objects =
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/"));
    let size = response.body().size_hint().exact();
    if !has_objects || size.is_none_or(|size| size <= THRESHOLD as u64) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // The body is in memory already: neither step can fail, and an empty answer would be noticed.
    let plain = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let packed = encoder.write_all(&plain).and_then(|()| encoder.finish());
    let headers = &mut parts.headers;
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    Response::from_parts(parts, Body::from(packed.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_alone_counts() {
        let wanted = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            is_wanted(&headers)
        };
        assert!(wanted("gzip") && wanted("br, gzip , deflate"));
        assert!(!wanted("gzip;q=1.0") && !wanted("br") && !wanted(""));
        assert!(!is_wanted(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn only_large_objects_are_compressed() {
        for (content_type, size, compressed) in [
            ("application/json", THRESHOLD, false),
            ("application/json", THRESHOLD + 1, true),
            ("application/yaml", THRESHOLD + 1, true),
            ("text/plain", THRESHOLD + 1, false),
        ] {
            let mut response = Response::new(Body::from(vec![b' '; size]));
            let value = HeaderValue::from_static(content_type);
            response.headers_mut().insert(header::CONTENT_TYPE, value);
            let response = compress(response).await;
            let encoding = response.headers().get(header::CONTENT_ENCODING);
            assert_eq!(encoding.is_some(), compressed, "{content_type} {size}");
            let left = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            assert_eq!(left.len() < size, compressed);
        }
    }
}
