//! Bodies, compressed or not.

use crate::script::{Reply, Script};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Error};
use std::io;
use std::io::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The body of a response, which comes in pieces of this size.
async fn read(
    encoding: Option<&str>,
    data: &[u8],
    piece: usize,
    limit: usize,
) -> Result<Vec<u8>, Error> {
    let mut reply = Reply::chunks(data.chunks(piece).map(Bytes::copy_from_slice));
    if let Some(encoding) = encoding {
        reply = reply.header("content-encoding", encoding);
    }
    let config = Config::new("http://127.0.0.1:1").unwrap();
    let client = Script::of([reply]).client_of(config.with_max_response_size(limit));
    client.get_raw("/").retry_policy(RetryPolicy::none()).await
}

#[tokio::test]
async fn pieces_of_any_size() {
    let text = "flow control, ".repeat(1000).into_bytes();
    let (packed, size) = (gzip(&text), text.len());
    for piece in [1, 2, 17, 1000, usize::MAX] {
        for (encoding, data) in [(Some("gzip"), &packed), (None, &text)] {
            assert_eq!(read(encoding, data, piece, size).await.unwrap(), text);
        }
    }
    let two = [packed.clone(), packed].concat();
    let both = read(Some("gzip"), &two, 100, 2 * size).await.unwrap();
    assert_eq!(both, [text.clone(), text].concat());
}

#[tokio::test]
async fn the_limit_holds_for_what_comes_out() {
    let bomb = gzip(&vec![b' '; 10_000_000]);
    for (encoding, data) in [(Some("gzip"), &bomb[..]), (None, &[0; 1001])] {
        let error = read(encoding, data, 1000, 1000).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("longer than 1000 bytes"), "{text}");
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn truncated_and_damaged_bodies_are_errors() {
    let packed = gzip(b"some text that is long enough");
    let read = |data: Vec<u8>| async move { read(Some("gzip"), &data, 7, 1000).await };
    for end in 1..packed.len() {
        let error = read(packed[..end].to_vec()).await.unwrap_err();
        assert!(error.is_retryable(), "{end}: {error}");
    }
    let mut damaged = packed.clone();
    damaged[packed.len() / 2] ^= 0x55;
    for data in [damaged, b"not compressed at all".to_vec()] {
        let text = read(data).await.unwrap_err().to_string();
        assert!(text.contains("cannot be decompressed: "), "{text}");
    }
}

#[tokio::test]
async fn encodings() {
    let packed = gzip(b"text");
    for (encoding, data) in [
        (None, &b"text"[..]),
        (Some("identity"), b"text"),
        (Some("GZIP"), &packed),
        (Some("x-gzip"), &packed),
    ] {
        let read = read(encoding, data, 1000, 1000).await.unwrap();
        assert_eq!(read, b"text", "{encoding:?}");
    }
    let error = read(Some("br"), b"text", 1000, 1000).await.unwrap_err();
    assert!(error.is_decode(), "{error}");
    assert!(error.to_string().contains("\"br\""), "{error}");
}

/// The body of a program's transport, which fails.
struct Failing;

impl http_body::Body for Failing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, io::Error>>> {
        let error = io::Error::new(io::ErrorKind::InvalidData, "no such recording");
        Poll::Ready(Some(Err(error)))
    }
}

#[tokio::test]
async fn another_fault_of_a_body_is_not_one_of_its_compression() {
    let config = Config::new("http://127.0.0.1:1").unwrap();
    let client = Client::with_transport(config, |_| async {
        Ok::<_, io::Error>(http::Response::new(Failing))
    });
    let request = client.get_raw("/").retry_policy(RetryPolicy::none());
    let text = request.await.unwrap_err().to_string();
    assert!(
        text.ends_with("the response ended early: no such recording"),
        "{text}"
    );
}
