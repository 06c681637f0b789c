//! Servers that misbehave in HTTP/2: frames as bytes, over TLS.

use super::behaviours::{BROKEN, Behaviour, EARLY, End, LATE, UNEXPECTED, behaviour, empty};
use super::listener::{drip, flood};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

/// The length of the head of a frame.
const HEAD: usize = 9;
/// The bytes of thousands of small frames.
const MAX_FRAMES: usize = 64 << 10;
/// The length of the text with which a client begins.
const PREFACE: usize = 24;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

const PROTOCOL_ERROR: u32 = 1;
const INTERNAL_ERROR: u32 = 2;
const REFUSED_STREAM: u32 = 7;
const CANCEL: u32 = 8;
const ENHANCE_YOUR_CALM: u32 = 11;

/// The stream of the request, in a table; the server puts its number there.
const REQUEST: u32 = 1;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

fn settings() -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[])
}

/// The head of a response with status 200 and JSON.
fn ok(flags: u8) -> Vec<u8> {
    let mut fields = vec![0x88, 0x0f, 0x10, 16];
    fields.extend(b"application/json");
    frame(HEADERS, flags, REQUEST, &fields)
}

fn reset(code: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, REQUEST, &code.to_be_bytes())
}

fn goaway(last: u32, code: u32) -> Vec<u8> {
    frame(
        GOAWAY,
        0,
        0,
        &[last.to_be_bytes(), code.to_be_bytes()].concat(),
    )
}

/// The settings, which are sent first, and then the reaction to a request.
fn after_settings(frames: &[Vec<u8>]) -> Vec<u8> {
    [settings(), frames.concat()].concat()
}

const fn http2(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        http2: true,
        ..behaviour
    }
}

/// The server says that it did not process the request, which is sent again then.
const fn unprocessed(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        is_unprocessed: true,
        ..http2(behaviour)
    }
}

pub(crate) static BEHAVIOURS: &[Behaviour] = &[
    http2(behaviour(
        "answers nothing in HTTP/2",
        || after_settings(&[]),
        End::Wait,
        LATE,
    )),
    http2(behaviour(
        "closes an HTTP/2 connection",
        || after_settings(&[]),
        End::Close,
        BROKEN,
    )),
    unprocessed(behaviour(
        "goes away without the request",
        || after_settings(&[goaway(0, 0)]),
        End::Close,
        "did not process the request: it closes the connection (GOAWAY)",
    )),
    http2(behaviour(
        "goes away with the request",
        || after_settings(&[goaway(REQUEST, ENHANCE_YOUR_CALM)]),
        End::Close,
        BROKEN,
    )),
    http2(behaviour(
        "goes away again and again",
        || after_settings(&[goaway(u32::MAX >> 1, 0).repeat(100)]),
        End::Repeat,
        "",
    )),
    unprocessed(behaviour(
        "refuses the stream",
        || after_settings(&[reset(REFUSED_STREAM)]),
        End::Wait,
        "did not process the request: ",
    )),
    http2(behaviour(
        "resets the stream",
        || after_settings(&[reset(INTERNAL_ERROR)]),
        End::Wait,
        BROKEN,
    )),
    http2(behaviour(
        "cancels the stream",
        || after_settings(&[reset(CANCEL)]),
        End::Wait,
        BROKEN,
    )),
    http2(behaviour(
        "resets without an end",
        || after_settings(&[reset(PROTOCOL_ERROR).repeat(1000)]),
        End::Repeat,
        "",
    )),
    http2(behaviour(
        "resets the body",
        || {
            after_settings(&[
                ok(END_HEADERS),
                frame(DATA, 0, REQUEST, b"{"),
                reset(INTERNAL_ERROR),
            ])
        },
        End::Wait,
        EARLY,
    )),
    http2(behaviour(
        "sends pings without an end",
        || after_settings(&[frame(PING, 0, 0, &[7; 8]).repeat(1000)]),
        End::Repeat,
        "",
    )),
    http2(behaviour(
        "sends settings without an end",
        || after_settings(&[settings().repeat(1000)]),
        End::Repeat,
        "",
    )),
    http2(behaviour(
        "sends empty frames without an end",
        || after_settings(&[ok(END_HEADERS), frame(DATA, 0, REQUEST, b"").repeat(1000)]),
        End::Repeat,
        "",
    )),
    http2(behaviour(
        "continues its headers without an end",
        || {
            // Literal fields with new names.
            let fields = b"\x00\x03x-a\x01b".repeat(1000);
            let more = frame(CONTINUATION, 0, REQUEST, &fields).repeat(100);
            after_settings(&[ok(0), more])
        },
        End::Repeat,
        "",
    )),
    http2(behaviour(
        "never ends an HTTP/2 body",
        || after_settings(&[ok(END_HEADERS), frame(DATA, 0, REQUEST, b"{")]),
        End::Wait,
        LATE,
    )),
    http2(behaviour(
        "drips pings instead of an answer",
        || after_settings(&[frame(PING, 0, 0, &[7; 8])]),
        End::Drip(HEAD + 8),
        LATE,
    )),
    http2(behaviour(
        "drips the fields of its headers",
        || after_settings(&[ok(0), frame(CONTINUATION, 0, REQUEST, b"\x00\x03x-a\x01b")]),
        End::Drip(HEAD + 7),
        LATE,
    )),
    http2(behaviour(
        "drips an HTTP/2 body",
        || {
            after_settings(&[
                ok(END_HEADERS),
                frame(DATA, 0, REQUEST, b"{"),
                frame(DATA, 0, REQUEST, b" "),
            ])
        },
        End::Drip(HEAD + 1),
        LATE,
    )),
    http2(behaviour(
        "drips empty frames",
        || after_settings(&[ok(END_HEADERS), frame(DATA, 0, REQUEST, b"")]),
        End::Drip(HEAD),
        LATE,
    )),
    http2(behaviour(
        "never opens its window",
        || frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]),
        End::Wait,
        LATE,
    )),
    http2(behaviour(
        "allows no stream",
        || frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 0]),
        End::Wait,
        LATE,
    )),
    http2(behaviour(
        "overflows the window",
        || {
            let most = frame(WINDOW_UPDATE, 0, 0, &(u32::MAX >> 1).to_be_bytes());
            after_settings(&[most.clone(), most])
        },
        End::Wait,
        BROKEN,
    )),
    http2(behaviour(
        "sends a frame that is too large",
        || {
            after_settings(&[
                ok(END_HEADERS),
                frame(DATA, 0, REQUEST, &vec![b' '; 1 << 23]),
            ])
        },
        End::Wait,
        EARLY,
    )),
    http2(behaviour(
        "pushes responses",
        || {
            after_settings(&[frame(
                PUSH_PROMISE,
                END_HEADERS,
                REQUEST,
                &[0, 0, 0, 2, 0x82],
            )])
        },
        End::Wait,
        BROKEN,
    )),
    http2(behaviour(
        "sends broken compression of headers",
        || after_settings(&[frame(HEADERS, END_HEADERS, REQUEST, &[0xff; 8])]),
        End::Wait,
        BROKEN,
    )),
    http2(behaviour(
        "responds on a stream that nobody opened",
        || after_settings(&[frame(DATA, END_STREAM, 99, b"{}")]),
        End::Wait,
        BROKEN,
    )),
    http2(behaviour(
        "speaks HTTP/1.1 after choosing HTTP/2",
        || b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_vec(),
        End::Wait,
        BROKEN,
    )),
    http2(empty(behaviour(
        "ends an HTTP/2 response without a body",
        || after_settings(&[ok(END_HEADERS | END_STREAM)]),
        End::Close,
        UNEXPECTED,
    ))),
];

/// A side of TLS that offers one protocol only, HTTP/2 or HTTP/1.1, and its authority in PEM.
pub(crate) fn tls(is_http2: bool) -> (TlsAcceptor, String) {
    static CERTIFICATE: LazyLock<CertifiedKey<KeyPair>> =
        LazyLock::new(|| generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap());
    let CertifiedKey { cert, signing_key } = &*CERTIFICATE;
    let chain = CertificateDer::from_pem_slice(cert.pem().as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(signing_key.serialize_pem().as_bytes()).unwrap();
    let mut tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![chain], key)
        .unwrap();
    let protocol: &[u8] = if is_http2 { b"h2" } else { b"http/1.1" };
    tls.alpn_protocols = vec![protocol.to_vec()];
    (TlsAcceptor::from(Arc::new(tls)), cert.pem())
}

/// Reacts to each request on a connection. The client may close it at any time.
pub(crate) async fn play(
    mut stream: TlsStream<TcpStream>,
    bytes: Arc<[u8]>,
    then: End,
    requests: Arc<AtomicUsize>,
) {
    let begins_with_settings = bytes.get(3) == Some(&SETTINGS);
    let first = match begins_with_settings {
        true => HEAD + usize::from(bytes[2]),
        false => 0,
    };
    let (first, reaction) = bytes.split_at(first);
    if stream.write_all(first).await.is_err() {
        return;
    }
    let mut received = Vec::new();
    let mut at = PREFACE;
    while stream
        .read_buf(&mut received)
        .await
        .is_ok_and(|read| read > 0)
    {
        while let Some(head) = received.get(at..at + HEAD) {
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
            let kind = head[3];
            let number = [head[5], head[6], head[7], head[8]];
            at += HEAD + length;
            if kind != HEADERS {
                continue;
            }
            requests.fetch_add(1, Ordering::SeqCst);
            let reaction = match begins_with_settings {
                true => for_stream(reaction, number),
                false => reaction.to_vec(),
            };
            if stream.write_all(&reaction).await.is_err() || then == End::Close {
                let _closed = stream.shutdown().await;
                return;
            }
            match then {
                End::Repeat => return flood(&mut stream, &reaction, MAX_FRAMES).await,
                End::Drip(last) => return drip(&mut stream, &reaction, last).await,
                End::Close | End::Wait => {}
            }
        }
    }
}

/// The frames, with the number of the request's stream.
fn for_stream(frames: &[u8], number: [u8; 4]) -> Vec<u8> {
    let mut frames = frames.to_vec();
    let mut at = 0;
    while at + HEAD <= frames.len() {
        let length = u32::from_be_bytes([0, frames[at], frames[at + 1], frames[at + 2]]) as usize;
        let stream = at + 5..at + HEAD;
        if frames[stream.clone()] == REQUEST.to_be_bytes() {
            frames[stream].copy_from_slice(&number);
        }
        at += HEAD + length;
    }
    frames
}
