//! Servers that other hosts can reach, and clients that send what no client should.

use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, level};
use k8s_flowcontrol_server::ApiServer;
use std::net::IpAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const TOKENS: &str = "secret,admin,1,system:masters\n";
const EVERYWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);

#[tokio::test]
async fn an_address_that_others_reach_needs_tls_and_tokens() {
    let builder = || ApiServer::builder().address(EVERYWHERE);
    for unprotected in [builder(), builder().tls(), builder().tokens(TOKENS)] {
        let error = unprotected.start().await.unwrap_err().to_string();
        assert!(
            error.contains("cannot listen on 0.0.0.0 without TLS and tokens"),
            "{error}"
        );
    }
    for allowed in [builder().tls().tokens(TOKENS), builder().unprotected()] {
        let server = allowed.start().await.unwrap();
        // The address under which this host reaches it.
        assert!(server.url().contains("://127.0.0.1:"), "{}", server.url());
        server.stop().await;
    }
    let loopback = ApiServer::builder().address("127.0.0.2".parse().unwrap());
    let server = loopback.start().await.unwrap();
    assert!(server.url().starts_with("http://127.0.0.2:"));
}

/// The status of the response to a request with these headers.
async fn status(api: &Api, headers: &[(&str, &str)]) -> u16 {
    let mut request = api.request("GET", "/version");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.send().await.code()
}

#[tokio::test]
async fn a_page_of_another_site_reaches_no_server() {
    for api in [
        Api::start().await,
        Api::with(|builder| builder.address(EVERYWHERE).unprotected()).await,
    ] {
        // A name that resolves to the address, and a request of another page.
        assert_eq!(status(&api, &[("host", "rebound.example")]).await, 403);
        let origin = ("origin", "http://evil.example");
        assert_eq!(status(&api, &[origin]).await, 403);
        // Nothing of a response allows a page of another site to read it, not even to ask.
        let preflight = api
            .request("OPTIONS", &format!("/apis/{GROUP}/{LEVELS}"))
            .header("origin", "http://localhost:8080")
            .header("access-control-request-method", "POST");
        let response = preflight.send().await;
        let allowed = response.headers().keys();
        let allowed: Vec<_> = allowed
            .filter(|name| name.as_str().starts_with("access-control-"))
            .collect();
        assert!(allowed.is_empty(), "{allowed:?}");
    }
    let everywhere = Api::with(|builder| builder.address(EVERYWHERE).unprotected()).await;
    assert_eq!(
        status(&everywhere, &[("host", "192.0.2.7:8080")]).await,
        200
    );
    assert_eq!(status(&everywhere, &[("host", "[2001:db8::1]")]).await, 200);
}

/// Sends bytes, and returns all that the server sends until it closes the connection.
async fn exchange(api: &Api, bytes: &[u8]) -> String {
    let address = ("127.0.0.1", api.server.port());
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may close the connection before it has read everything.
    let _sent = stream.write_all(bytes).await;
    let mut received = Vec::new();
    let _closed = stream.read_to_end(&mut received).await;
    String::from_utf8_lossy(&received).into_owned()
}

/// A second request in the body of a first one, for a proxy that reads the length in another way than the server.
#[tokio::test]
async fn ambiguous_requests_are_errors_and_end_the_connection() {
    let api = Api::with(|builder| builder.header_timeout(Duration::from_millis(300))).await;
    let object = level("smuggled", 5).to_string();
    let smuggled = format!(
        "POST /apis/{GROUP}/{LEVELS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{object}",
        object.len()
    );
    let length = smuggled.len();
    for headers in [
        // Two lengths.
        format!("content-length: 0\r\ncontent-length: {length}\r\n"),
        format!("content-length: 0, {length}\r\n"),
        // No lengths.
        format!("content-length: +{length}\r\n"),
        "content-length: -1\r\n".to_owned(),
        format!("content-length: {length}x\r\n"),
        "content-length: 99999999999999999999999\r\n".to_owned(),
        // Transfer encodings that are not "chunked", or not at the end.
        "transfer-encoding: xchunked\r\n".to_owned(),
        "transfer-encoding: chunked, identity\r\n".to_owned(),
        "transfer-encoding: identity\r\n".to_owned(),
        "transfer-encoding: chunked\x0b\r\n".to_owned(),
        // Names that a lenient reader reads as another one.
        format!("content-length : {length}\r\n"),
        "transfer-encoding : chunked\r\n".to_owned(),
        " transfer-encoding: chunked\r\n".to_owned(),
        "x: y\r\n transfer-encoding: chunked\r\n".to_owned(),
        "transfer\u{1}encoding: chunked\r\n".to_owned(),
    ] {
        let request =
            format!("POST /version HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n{smuggled}");
        let received = exchange(&api, request.as_bytes()).await;
        assert_eq!(
            received.matches("HTTP/1.1 ").count(),
            1,
            "{headers:?}: {received}"
        );
        assert!(
            received.starts_with("HTTP/1.1 400"),
            "{headers:?}: {received}"
        );
    }
    // Malformed chunks.
    for chunk in ["+5", "-1", "0x5", "5 5", "ffffffffffffffff1", "", "g"] {
        let request = format!(
            "POST /apis/{GROUP}/{LEVELS} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n{chunk}\r\n{smuggled}"
        );
        let received = exchange(&api, request.as_bytes()).await;
        assert_eq!(
            received.matches("HTTP/1.1 ").count(),
            1,
            "{chunk:?}: {received}"
        );
        assert!(!received.starts_with("HTTP/1.1 2"), "{chunk:?}: {received}");
    }
    assert_eq!(api.get(&format!("{LEVELS}/smuggled")).await.code, 404);
}

#[tokio::test]
async fn headers_are_bounded_in_number_and_size() {
    let api = Api::start().await;
    let start = "GET /version HTTP/1.1\r\nhost: localhost\r\n";
    for headers in [
        "x: y\r\n".repeat(200),
        "x: y\r\n".repeat(1_000_000),
        format!("x: {}\r\n", "y".repeat(200_000)),
        format!("x: {}\r\n", "y".repeat(10_000_000)),
    ] {
        let received = exchange(&api, format!("{start}{headers}\r\n").as_bytes()).await;
        // A client that is still sending may see only the end of the connection.
        assert!(
            received.is_empty() || received.starts_with("HTTP/1.1 431"),
            "{received}"
        );
    }
    let path = "/".repeat(100_000);
    let received = exchange(&api, format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes()).await;
    assert!(
        received.is_empty() || received.starts_with("HTTP/1.1 4"),
        "{received}"
    );
    assert_eq!(status(&api, &[("x", &"y".repeat(30_000))]).await, 200);
}

#[tokio::test]
async fn bodies_that_do_not_go_on_are_errors() {
    let api = Api::with(|builder| builder.header_timeout(Duration::from_millis(100))).await;
    let request = format!(
        "POST /apis/{GROUP}/{SCHEMAS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{"
    );
    let received = exchange(&api, request.as_bytes()).await;
    assert!(received.starts_with("HTTP/1.1 408"), "{received}");
    assert!(
        received.contains("did not continue for 100ms"),
        "{received}"
    );
}

/// Connections that send nothing, many more than a process may have open, do not keep their places for ever.
#[tokio::test]
async fn silent_connections_end() {
    let api = Api::with(|builder| builder.header_timeout(Duration::from_millis(200))).await;
    let address = ("127.0.0.1", api.server.port());
    for _ in 0..20 {
        let mut silent = Vec::new();
        for _ in 0..50 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        for mut stream in silent {
            assert_eq!(stream.read(&mut [0]).await.unwrap_or(0), 0);
        }
    }
    assert_eq!(status(&api, &[]).await, 200);
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// `GET / HTTP/2` for localhost, without the end of its headers.
const REQUEST: &[u8] = b"\x82\x86\x84\x41\x09localhost";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const CONTINUATION: u8 = 9;

#[tokio::test]
async fn floods_of_http2_frames_end_their_connection_only() {
    let api = Api::start().await;
    let streams = || (0..20_000_u32).map(|number| 2 * number + 1);
    let resets = streams().flat_map(|stream| {
        [
            frame(HEADERS, 5, stream, REQUEST),
            frame(RST_STREAM, 0, stream, &[0, 0, 0, 8]),
        ]
    });
    let continued = std::iter::once(frame(HEADERS, 1, 1, REQUEST)).chain(
        // One field of 16,000 bytes in each, whose name and value are not compressed.
        (0..2000).map(|_| {
            let field = [b"\x00\x01x\x7f\x81\x7c".as_slice(), &[b'y'; 16_000]].concat();
            frame(CONTINUATION, 0, 1, &field)
        }),
    );
    let pings = (0..50_000).map(|_| frame(PING, 0, 0, &[0; 8]));
    let settings = (0..50_000).map(|_| frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 1]));
    let open = streams().map(|stream| frame(HEADERS, 4, stream, REQUEST));
    let floods: [(&str, Vec<u8>); 5] = [
        ("resets", resets.flatten().collect()),
        ("continuations", continued.flatten().collect()),
        ("pings", pings.flatten().collect()),
        ("settings", settings.flatten().collect()),
        ("open streams", open.flatten().collect()),
    ];
    for (name, flood) in floods {
        let address = ("127.0.0.1", api.server.port());
        let mut stream = TcpStream::connect(address).await.unwrap();
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        stream.write_all(preface).await.unwrap();
        stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.unwrap();
        // Nobody reads the responses; a server that waits for them stops reading, and another may close the connection.
        let sent = tokio::time::timeout(Duration::from_secs(2), stream.write_all(&flood)).await;
        // The server works for others.
        assert_eq!(status(&api, &[]).await, 200, "{name}: {sent:?}");
        let mut received = [0; 1 << 16];
        let mut total = 0;
        // The bytes that it has sent meanwhile are bounded, though nobody asked for less.
        let drained = tokio::time::timeout(Duration::from_secs(2), async {
            while let Ok(count @ 1..) = stream.read(&mut received).await {
                total += count;
            }
        });
        let _closed = drained.await;
        assert!(total < 64 << 20, "{name}: {total} bytes");
    }
}
