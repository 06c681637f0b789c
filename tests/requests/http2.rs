//! HTTP/2: many requests on one connection, dead connections, and requests rejected without processing.

use crate::requests::support::{hasty, schema};
use bytes::Bytes;
use h2::server::{Connection, SendResponse};
use h2::{Reason, RecvStream};
use http::{Request, Response};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

/// A certificate for 127.0.0.1, and a side of TLS that offers only HTTP/2.
#[derive(Clone)]
pub(crate) struct Tls {
    pub(crate) acceptor: TlsAcceptor,
    /// In PEM.
    pub(crate) authority: String,
}

impl Tls {
    pub(crate) fn new() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let chain = CertificateDer::from_pem_slice(cert.pem().as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(signing_key.serialize_pem().as_bytes()).unwrap();
        let mut tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![chain], key)
            .unwrap();
        tls.alpn_protocols = vec![b"h2".to_vec()];
        Self {
            acceptor: TlsAcceptor::from(Arc::new(tls)),
            authority: cert.pem(),
        }
    }
}

/// A listener that speaks only HTTP/2 over TLS.
pub(crate) struct Listener {
    tcp: TcpListener,
    tls: TlsAcceptor,
}

pub(crate) type Http2 = Connection<TlsStream<TcpStream>, Bytes>;
pub(crate) type Asked = (Request<RecvStream>, SendResponse<Bytes>);

impl Listener {
    pub(crate) async fn start() -> (Self, Config) {
        let tls = Tls::new();
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", tcp.local_addr().unwrap());
        let config = Config::new(url)
            .unwrap()
            .with_certificate_authority(tls.authority.as_str());
        let tls = tls.acceptor;
        (Self { tcp, tls }, config.with_retry_policy(hasty()))
    }

    pub(crate) async fn accept(&self) -> Http2 {
        let (stream, _) = self.tcp.accept().await.unwrap();
        let stream = self.tls.accept(stream).await.unwrap();
        h2::server::handshake(stream).await.unwrap()
    }
}

pub(crate) async fn next(connection: &mut Http2) -> Asked {
    connection.accept().await.unwrap().unwrap()
}

fn answer(asked: Asked, code: u16) {
    answer_with(asked, code, []);
}

/// A response with headers.
pub(crate) fn answer_with(
    (_, mut answer): Asked,
    code: u16,
    headers: impl IntoIterator<Item = (&'static str, String)>,
) {
    let head = headers
        .into_iter()
        .fold(Response::builder().status(code), |head, (name, value)| {
            head.header(name, value)
        });
    let head = head.body(()).unwrap();
    let body = serde_json::to_vec(&schema("mine")).unwrap();
    let mut stream = answer.send_response(head, false).unwrap();
    stream.send_data(body.into(), true).unwrap();
}

/// Drives the connection until the client closes it.
pub(crate) async fn drain(mut connection: Http2) {
    while let Some(Ok(asked)) = connection.accept().await {
        answer(asked, 200);
    }
}

#[tokio::test]
async fn requests_share_a_connection_at_the_same_time() {
    let (listener, config) = Listener::start().await;
    let serving = crate::spawn(async move {
        // The only connection gets its first response after all requests have arrived.
        let mut connection = listener.accept().await;
        let mut asked = vec![next(&mut connection).await];
        answer(asked.remove(0), 200);
        for _ in 0..3 {
            asked.push(next(&mut connection).await);
        }
        for asked in asked {
            answer(asked, 200);
        }
        drain(connection).await;
    });
    let client = Client::new(config).unwrap();
    let get = || client.flow_schemas().get("mine").into_future();
    // The first request opens the connection.
    get().await.unwrap();
    let (first, second, third) = tokio::join!(get(), get(), get());
    assert!(first.is_ok() && second.is_ok() && third.is_ok());
    drop(client);
    serving.await.unwrap();
}

#[tokio::test]
async fn a_dead_connection_is_noticed_and_the_read_repeated() {
    let (listener, config) = Listener::start().await;
    let serving = crate::spawn(async move {
        let mut dead = listener.accept().await;
        let ignored = next(&mut dead).await;
        // From now on nothing reads from the first connection, not even its pings.
        let _dead = (dead, ignored);
        loop {
            // On a slow machine another connection can be taken for dead, too.
            crate::spawn(drain(listener.accept().await));
        }
    });
    let (idle, patience) = (Duration::from_millis(50), Duration::from_millis(500));
    let client = Client::new(config.with_keep_alive(idle, patience)).unwrap();
    let got = client.flow_schemas().get("mine").send().await.unwrap();
    assert!(got.attempts() > 1);
    serving.abort();
}

#[tokio::test]
async fn a_create_that_was_refused_unseen_is_sent_again() {
    let (listener, config) = Listener::start().await;
    let serving = crate::spawn(async move {
        let mut connection = listener.accept().await;
        next(&mut connection)
            .await
            .1
            .send_reset(Reason::REFUSED_STREAM);
        answer(next(&mut connection).await, 201);
        // A request that fails in any other way may have been carried out.
        next(&mut connection)
            .await
            .1
            .send_reset(Reason::INTERNAL_ERROR);
        drain(connection).await;
    });
    let client = Client::new(config).unwrap();
    let created = client
        .flow_schemas()
        .create(&schema("mine"))
        .send()
        .await
        .unwrap();
    assert_eq!((created.code(), created.attempts()), (201, 2));
    let error = client
        .flow_schemas()
        .create(&schema("mine"))
        .await
        .unwrap_err();
    assert_eq!(error.attempts(), 1);
    assert!(error.is_retryable() && !error.is_connect(), "{error}");
    drop(client);
    serving.await.unwrap();
}

#[tokio::test]
async fn a_connection_that_is_cut_has_a_plain_text() {
    let (listener, config) = Listener::start().await;
    let serving = crate::spawn(async move {
        // Without TLS' close_notify: before the head of a response, and after it.
        let mut connection = listener.accept().await;
        let asked = next(&mut connection).await;
        drop((asked, connection));
        let mut connection = listener.accept().await;
        let (_request, mut answer) = next(&mut connection).await;
        let head = Response::builder().body(()).unwrap();
        let body = answer.send_response(head, false).unwrap();
        let idle = tokio::time::timeout(Duration::from_millis(50), connection.accept());
        assert!(idle.await.is_err());
        drop((body, connection));
    });
    let client = Client::new(config.with_retry_policy(RetryPolicy::none())).unwrap();
    for expected in ["sent no usable response: ", "the response ended early: "] {
        let error = client.flow_schemas().get("mine").await.unwrap_err();
        let text = error.to_string();
        let (_, cause) = text.split_once(expected).unwrap();
        // With bytes on the way, the system may report a reset.
        let plain = ["the connection was closed", "connection reset"];
        assert!(plain.contains(&cause), "{text}");
        assert!(error.is_retryable(), "{text}");
    }
    serving.await.unwrap();
}
