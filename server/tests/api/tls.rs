//! HTTPS with the server's own certificate authority.

use crate::api::support::{current_token, read_kubeconfig};
use crate::api::users::TOKENS;
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use k8s_flowcontrol_server::ApiServer;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

async fn connect(
    server: &ApiServer,
    ca_pem: &str,
    name: &str,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(ca_pem.as_bytes()).unwrap();
    roots.add(authority).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(("127.0.0.1", server.port())).await?;
    let name = ServerName::try_from(name.to_owned()).unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

async fn get(stream: TlsStream<TcpStream>, path: &str, token: &str) -> (u16, String) {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let driver = crate::spawn(connection);
    let request = hyper::Request::get(path)
        .header("host", "localhost")
        .header("authorization", format!("Bearer {token}"))
        .body(Empty::<Bytes>::new())
        .unwrap();
    let response = sender.send_request(request).await.unwrap();
    let code = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    driver.abort();
    (code, String::from_utf8(body.into()).unwrap())
}

#[tokio::test]
async fn clients_that_trust_the_authority_are_served() {
    let server = ApiServer::builder()
        .tls()
        .tokens(TOKENS)
        .start()
        .await
        .unwrap();
    assert!(server.url().starts_with("https://127.0.0.1:"));
    let ca = server.ca_pem().unwrap();
    for name in ["127.0.0.1", "localhost"] {
        let stream = connect(&server, ca, name).await.unwrap();
        assert_eq!(
            get(stream, "/healthz", "admin-token").await,
            (200, "ok".into())
        );
    }
    let stream = connect(&server, ca, "localhost").await.unwrap();
    assert_eq!(get(stream, "/healthz", "nobody").await.0, 401);
}

#[tokio::test]
async fn clients_reject_other_names_and_other_authorities() {
    let server = ApiServer::builder().tls().start().await.unwrap();
    let other = ApiServer::builder().tls().start().await.unwrap();
    let ca = server.ca_pem().unwrap();
    assert!(connect(&server, ca, "example.com").await.is_err());
    assert!(connect(&other, ca, "localhost").await.is_err());
    // A failed handshake has no effect on others.
    let stream = connect(&server, ca, "localhost").await.unwrap();
    assert_eq!(get(stream, "/version", "anybody").await.0, 200);
}

#[tokio::test]
async fn the_kubeconfig_has_what_a_client_needs() {
    let server = ApiServer::builder()
        .tls()
        .tokens(TOKENS)
        .start()
        .await
        .unwrap();
    let text = server.kubeconfig();
    let cluster = &read_kubeconfig(&text)["clusters"][0]["cluster"];
    assert_eq!(cluster["server"], server.url());
    assert!(cluster["certificate-authority-data"].is_string());
    assert_eq!(current_token(&text), "admin-token");
    assert_eq!(ApiServer::start().await.unwrap().ca_pem(), None);
}
