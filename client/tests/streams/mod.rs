//! Open responses: watches, their lines and events, and bodies that are read ahead.

mod events;
mod lines;

use crate::script::{Reply, Script};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::Frame;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::http;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::watch::{WatchEvent, WatchStream};
use k8s_flowcontrol::{Client, Error};
use std::convert::Infallible;
use std::io::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

const LINE: &str =
    r#"{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"7"},"spec":{}}}"#;

async fn watch(reply: Reply, max_event_size: usize) -> WatchStream<FlowSchema> {
    let schemas = Script::of([reply]).client().flow_schemas();
    let watch = schemas.watch().max_event_size(max_event_size);
    watch.await.unwrap()
}

/// The only result of a watch, an error.
async fn error_of(mut stream: WatchStream<FlowSchema>) -> Error {
    let error = stream.next().await.unwrap().unwrap_err();
    assert!(stream.next().await.is_none());
    error
}

fn is_added(event: Option<Result<WatchEvent<FlowSchema>, Error>>) -> bool {
    matches!(event, Some(Ok(WatchEvent::Added { .. })))
}

#[tokio::test]
async fn events_then_the_end() {
    for end in ["", "\n", "\r\n\n"] {
        let mut stream = watch(Reply::ok(format!("{LINE}\n\n{LINE}{end}")), 1000).await;
        assert!(is_added(stream.next().await));
        assert_eq!(stream.resource_version(), Some("7"));
        assert!(is_added(stream.next().await));
        assert!(stream.next().await.is_none());
        assert!(stream.next().await.is_none());
    }
}

#[tokio::test]
async fn cut_in_the_middle_of_an_event() {
    for length in 1..LINE.len() {
        let error = error_of(watch(Reply::ok(&LINE[..length]), 1000).await).await;
        assert!(error.is_retryable(), "{length}: {error}");
    }
}

#[tokio::test]
async fn an_error_event_ends_it() {
    let status =
        r#"{"kind":"Status","status":"Failure","message":"too old","reason":"Expired","code":410}"#;
    let text = format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n{LINE}\n");
    let error = error_of(watch(Reply::ok(text), 1000).await).await;
    assert!(error.is_expired() && !error.is_retryable());
    assert_eq!(error.status().unwrap().message.as_deref(), Some("too old"));
    let text =
        "GET /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas: 410 Expired: too old; list again";
    assert_eq!(error.to_string(), text);
}

#[tokio::test]
async fn an_undecodable_line_ends_it() {
    let error = error_of(watch(Reply::ok(format!("<html>\n{LINE}\n")), 1000).await).await;
    assert!(error.is_decode() && !error.is_retryable());
    assert!(error.to_string().contains("`<html>`"), "{error}");
}

#[tokio::test]
async fn a_line_too_long_ends_it() {
    let error = error_of(watch(Reply::ok(format!("{LINE}\n")), 10).await).await;
    let text = error.to_string();
    assert!(text.contains("longer than 10 bytes"), "{text}");
}

fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A stream of a gzip body that comes in chunks of this size: the bytes, and whether it ended well.
async fn unpacked(packed: &[u8], chunk: usize) -> (Vec<u8>, bool) {
    let chunks = packed.chunks(chunk).map(Bytes::copy_from_slice);
    let reply = Reply::chunks(chunks).header("content-encoding", "gzip");
    let client = Script::of([reply]).client();
    let mut stream = client.get_raw("/").stream().await.unwrap().into_inner();
    let mut text = Vec::new();
    loop {
        match stream.next().await {
            Some(Ok(piece)) => {
                // A packed chunk is not unpacked at once, however much comes out of it.
                assert!(piece.len() <= 5 << 20);
                text.extend_from_slice(&piece);
            }
            Some(Err(error)) => {
                assert!(error.is_retryable(), "{error}");
                return (text, false);
            }
            None => return (text, true),
        }
    }
}

#[tokio::test]
async fn gzip_members_and_chunks_may_end_anywhere() {
    let text = b"{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n";
    for split in 0..text.len() {
        let packed = [member(&text[..split]), member(&text[split..])].concat();
        for chunk in [1, 7, 1000] {
            assert_eq!(unpacked(&packed, chunk).await, (text.to_vec(), true));
        }
    }
}

#[tokio::test]
async fn everything_before_a_flush_comes_out_at_once() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"{\"a\":1}\n").unwrap();
    encoder.flush().unwrap();
    let reply = Reply::ok(encoder.get_ref().clone());
    let reply = reply.header("content-encoding", "gzip").stays_open();
    let client = Script::of([reply]).client();
    let mut stream = client.get_raw("/").stream().await.unwrap().into_inner();
    assert_eq!(stream.next().await.unwrap().unwrap(), &b"{\"a\":1}\n"[..]);
    assert!(!unpacked(encoder.get_ref(), 1000).await.1);
}

#[tokio::test]
async fn a_gzip_member_that_is_cut_off_is_an_error() {
    let packed = member(b"some text that is long enough");
    for end in 1..packed.len() {
        assert!(!unpacked(&packed[..end], 1000).await.1, "{end}");
    }
    assert!(!unpacked(b"no gzip at all", 1000).await.1);
}

#[tokio::test]
async fn a_bomb_comes_out_in_bounded_pieces() {
    let bomb = member(&vec![b' '; 50_000_000]);
    let (text, is_whole) = unpacked(&bomb, bomb.len()).await;
    assert!(text.len() == 50_000_000 && is_whole);
}

const CHUNK: usize = 1024;

/// An endless body that counts its chunks. Every second chunk is empty.
struct Endless(Arc<AtomicUsize>);

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let taken = self.0.fetch_add(1, Ordering::SeqCst);
        let length = if taken % 2 == 1 { 0 } else { CHUNK };
        let chunk = Bytes::from(vec![b'x'; length]);
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }
}

/// A client whose responses do not end, and the chunks that were taken from them.
fn endless() -> (Client, Arc<AtomicUsize>) {
    let taken = Arc::new(AtomicUsize::new(0));
    let counter = taken.clone();
    let config = Config::new("http://127.0.0.1:1").unwrap();
    let client = Client::with_transport(config, move |_| {
        let body = Endless(counter.clone());
        async { Ok::<_, Infallible>(http::Response::new(body)) }
    });
    (client, taken)
}

#[tokio::test]
async fn a_body_is_not_read_further_ahead_than_documented() {
    let (client, taken) = endless();
    let mut stream = client.get_raw("/").stream().await.unwrap().into_inner();
    // The client holds the other one.
    let holders = Arc::strong_count(&taken);
    // The chunks that fill the buffer, another chunk that waits for space, and the empty chunks in between.
    for given in 0..3 {
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        let full = 2 * (256 * 1024 / CHUNK + given) + 1;
        assert_eq!(taken.load(Ordering::SeqCst), full);
        assert_eq!(stream.next().await.unwrap().unwrap().len(), CHUNK);
    }
    drop(stream);
    tokio::task::yield_now().await;
    assert_eq!(Arc::strong_count(&taken), holders - 1, "the body is gone");
}

#[tokio::test]
async fn an_endless_line_is_stopped() {
    let (client, taken) = endless();
    let mut stream = client
        .flow_schemas()
        .watch()
        .max_event_size(5000)
        .await
        .unwrap();
    let error = stream.next().await.unwrap().unwrap_err();
    let text = error.to_string();
    assert!(text.contains("longer than 5000 bytes"), "{text}");
    assert!(
        text.contains("a watcher or store has no such setting"),
        "{text}"
    );
    assert!(taken.load(Ordering::SeqCst) <= 2 * (256 + 6) + 1);
}
