//! The receiver of batches: tokens, hosts, TLS, limits and back-pressure.

use k8s_flowcontrol_server::{Answer, Post, Receiver, ReceiverBuilder};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedReceiver;

/// A receiver, and its requests.
async fn start(builder: ReceiverBuilder) -> (Receiver, UnboundedReceiver<Post>) {
    builder.start().await.unwrap()
}

async fn connect(receiver: &Receiver) -> TcpStream {
    let url = receiver.url();
    let (_, address) = url.split_once("://").unwrap();
    TcpStream::connect(address).await.unwrap()
}

/// Sends a request, and returns the response with its headers.
async fn send(receiver: &Receiver, method: &str, headers: &str, body: &str) -> String {
    let mut stream = connect(receiver).await;
    exchange(&mut stream, method, headers, body).await
}

async fn exchange(
    stream: &mut (impl AsyncReadExt + AsyncWrite + Unpin),
    method: &str,
    headers: &str,
    body: &str,
) -> String {
    let length = body.len();
    let request = format!(
        "{method} /k8s-audit?timeout=30s HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    );
    // The receiver may close the connection before it has read everything.
    let _sent = stream.write_all(request.as_bytes()).await;
    let mut received = Vec::new();
    let _closed = stream.read_to_end(&mut received).await;
    String::from_utf8_lossy(&received).into_owned()
}

fn status(response: &str) -> u16 {
    let status = response.split(' ').nth(1).unwrap_or_default();
    status.parse().unwrap_or_default()
}

/// Answers all requests with their path and the length of their body.
fn echo(mut posts: UnboundedReceiver<Post>) {
    crate::spawn(async move {
        while let Some(post) = posts.recv().await {
            let length = post.body.as_ref().map(|body| body.len());
            let text = format!("{} {length:?}", post.path);
            post.answer(Answer::new(200, "text/plain", text));
        }
    });
}

#[tokio::test]
async fn requests_need_a_known_host_a_token_and_a_plain_body() {
    let builder = Receiver::builder()
        .tokens("secret,apiserver,1\n")
        .largest_body(5000);
    let (receiver, posts) = start(builder).await;
    echo(posts);
    let token = "authorization: Bearer secret\r\n";
    let response = send(&receiver, "POST", token, "abc").await;
    assert_eq!(status(&response), 200, "{response}");
    assert!(response.ends_with("/k8s-audit Some(3)"), "{response}");
    let response = send(&receiver, "GET", token, "").await;
    assert!(response.ends_with("/k8s-audit None"), "{response}");
    for headers in [
        "",
        "authorization: Bearer other\r\n",
        "authorization: Basic secret\r\n",
    ] {
        let response = send(&receiver, "POST", headers, "abc").await;
        assert_eq!(status(&response), 401, "{response}");
        assert!(!response.contains("secret"), "{response}");
    }
    for (method, headers, length, code) in [
        ("DELETE", "", 0, 405),
        ("POST", "content-encoding: gzip\r\n", 3, 415),
        ("POST", "origin: http://evil.example\r\n", 3, 403),
        ("POST", "", 5000, 200),
        ("POST", "", 5001, 413),
        ("POST", "", 5_000_000, 413),
    ] {
        let body = "x".repeat(length);
        let headers = format!("{token}{headers}");
        let response = send(&receiver, method, &headers, &body).await;
        assert_eq!(
            status(&response),
            code,
            "{method} {headers} {length}: {response}"
        );
    }
    let mut stream = connect(&receiver).await;
    let rebound = "GET / HTTP/1.1\r\nhost: rebound.example\r\nconnection: close\r\n\r\n";
    stream.write_all(rebound.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    assert_eq!(status(&response), 403, "{response}");
}

#[tokio::test]
async fn a_full_memory_is_back_pressure_and_a_dropped_request_comes_again() {
    let builder = Receiver::builder().largest_body(1000).memory(1000);
    let (receiver, mut posts) = start(builder).await;
    let first = async { send(&receiver, "POST", "", &"x".repeat(900)).await };
    let others = async {
        let held = posts.recv().await.unwrap();
        // As long as the first batch does not have an answer, another one does not fit.
        let rejected = send(&receiver, "POST", "", &"y".repeat(900)).await;
        assert_eq!(status(&rejected), 429, "{rejected}");
        assert!(rejected.contains("retry-after: 1\r\n"), "{rejected}");
        // Pages do not need memory.
        let page = async { send(&receiver, "GET", "", "").await };
        let answer = async {
            let post = posts.recv().await.unwrap();
            post.answer(Answer::new(200, "text/plain", "page"));
        };
        assert!(tokio::join!(page, answer).0.ends_with("page"));
        held.answer(Answer::error(503, "the disk is full"));
    };
    let (first, ()) = tokio::join!(first, others);
    assert_eq!(status(&first), 503, "{first}");
    assert!(first.contains("the disk is full"), "{first}");
    let again = async { send(&receiver, "POST", "", &"y".repeat(900)).await };
    let dropped = async { drop(posts.recv().await) };
    assert_eq!(status(&tokio::join!(again, dropped).0), 503);
    // A receiver whose program has gone answers, too.
    drop(posts);
    assert_eq!(status(&send(&receiver, "POST", "", "z").await), 503);
}

#[tokio::test]
async fn other_hosts_reach_only_a_protected_receiver() {
    let everywhere = || Receiver::builder().address([0, 0, 0, 0].into());
    for builder in [everywhere(), everywhere().tokens("a,b,c\n")] {
        let error = builder.start().await.unwrap_err();
        assert!(error.is_unprotected(), "{error}");
    }
    let (receiver, posts) = start(everywhere().unprotected()).await;
    echo(posts);
    assert_eq!(status(&send(&receiver, "GET", "", "").await), 200);
    let error = Receiver::builder().tokens("a,b\n").start().await;
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("at least 3 columns")
    );
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_certificate_of_the_user_is_served() {
    use std::sync::Arc;
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::{ClientConfig, RootCertStore};

    let key = rcgen::KeyPair::generate().unwrap();
    let names = vec!["localhost".to_owned()];
    let certificate = rcgen::CertificateParams::new(names).unwrap();
    let certificate = certificate.self_signed(&key).unwrap();
    let builder = Receiver::builder()
        .certificate(certificate.pem(), key.serialize_pem())
        .tokens("secret,apiserver,1\n");
    let (receiver, posts) = start(builder).await;
    assert!(receiver.url().starts_with("https://127.0.0.1:"));
    echo(posts);
    let mut roots = RootCertStore::empty();
    roots.add(certificate.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(config));
    let name = "localhost".try_into().unwrap();
    let stream = connect(&receiver).await;
    let mut stream = connector.connect(name, stream).await.unwrap();
    let response = exchange(
        &mut stream,
        "POST",
        "authorization: Bearer secret\r\n",
        "abc",
    )
    .await;
    assert_eq!(status(&response), 200, "{response}");
    for (chain, key) in [
        ("", key.serialize_pem()),
        (&certificate.pem(), String::new()),
    ] {
        let builder = Receiver::builder().certificate(chain, key);
        let error = builder.start().await.unwrap_err().to_string();
        assert!(
            error.starts_with("the certificate or its private key cannot be used"),
            "{error}"
        );
    }
}

/// The file descriptors of both ends fit into the usual limit of 1,024.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_connection_above_the_limit_waits_until_another_ends() {
    const LIMIT: usize = 256;
    const ALL: usize = 300;
    let (receiver, mut posts) = start(Receiver::builder()).await;
    let mut clients = Vec::new();
    for number in 0..ALL {
        let mut client = connect(&receiver).await;
        ask(&mut client, number).await;
        clients.push(client);
    }
    let mut held = BTreeMap::new();
    for _ in 0..LIMIT {
        let (number, post) = next(&mut posts).await;
        held.insert(number, post);
    }
    assert!(held.keys().copied().eq(0..LIMIT), "{:?}", held.keys());

    // A response does not make room: the same connection goes on, and the others wait.
    for _ in 0..3 {
        respond(held.remove(&0).unwrap(), &mut clients[0]).await;
        ask(&mut clients[0], 0).await;
        let (number, post) = next(&mut posts).await;
        assert_eq!(number, 0);
        held.insert(number, post);
    }

    // Each connection that ends makes room for the one that has waited longest.
    for number in 0..ALL - LIMIT {
        clients[number].shutdown().await.unwrap();
        respond(held.remove(&number).unwrap(), &mut clients[number]).await;
        let (waiting, post) = next(&mut posts).await;
        assert_eq!(waiting, LIMIT + number);
        respond(post, &mut clients[waiting]).await;
    }
    assert!(posts.try_recv().is_err());
}

/// Sends the request of a client, and keeps the connection.
async fn ask(client: &mut TcpStream, number: usize) {
    let request =
        format!("POST /{number} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\n\r\nx");
    client.write_all(request.as_bytes()).await.unwrap();
}

/// The next request, and the number of its client.
async fn next(posts: &mut UnboundedReceiver<Post>) -> (usize, Post) {
    let received = tokio::time::timeout(Duration::from_secs(20), posts.recv()).await;
    let post = received.expect("no request in time").unwrap();
    (post.path[1..].parse().unwrap(), post)
}

/// Answers a request, and reads the response.
async fn respond(post: Post, client: &mut TcpStream) {
    post.answer(Answer::new(200, "text/plain", "the end\n"));
    let mut response = Vec::new();
    while !response.ends_with(b"the end\n") {
        assert_ne!(client.read_buf(&mut response).await.unwrap(), 0);
    }
}
