//! Custom transports below the client.

use crate::requests::layers::{BoxError, Notes, sent};
use crate::requests::script::deaf;
use crate::requests::support::{hasty, schema};
use bytes::Bytes;
use http_body_util::Full;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::http;
use k8s_flowcontrol::config::{Config, Secret};
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::sync::Arc;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tower::ServiceExt as _;

/// A client with the program's own `reqwest::Client`.
fn with_own_client(config: Config, authority: Option<&str>) -> Client {
    let own = reqwest::Client::builder()
        .tls_backend_preconfigured(rustls_with(authority))
        .no_proxy()
        .build()
        .unwrap();
    Client::with_transport(config, move |request| {
        let own = own.clone();
        async move {
            let response = own.execute(request.try_into()?).await?;
            Ok::<_, BoxError>(http::Response::<reqwest::Body>::from(response))
        }
    })
}

fn rustls_with(authority: Option<&str>) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    let authority = authority.map(|pem| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap());
    roots.add_parsable_certificates(authority);
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

#[tokio::test]
async fn an_own_reqwest_client_is_a_transport() {
    let builder = ApiServer::builder().tls().record_requests();
    let server = builder.start().await.unwrap();
    let client = with_own_client(
        Config::new(server.url())
            .unwrap()
            .with_retry_policy(hasty())
            .with_token(Secret::new("some-token"))
            .with_certificate_authority("not read"),
        server.ca_pem(),
    );
    let schemas = client.flow_schemas();
    let mut events = schemas.watch().await.unwrap();
    server.inject(Fault::rejected(0).times(2).on_method("POST"));
    let created = schemas.create(&schema("mine")).send().await.unwrap();
    assert_eq!((created.code(), created.attempts()), (201, 3));
    while !format!("{:?}", events.next().await.unwrap().unwrap()).contains("\"mine\"") {}
    assert!(!schemas.list().await.unwrap().items.is_empty());
    assert_eq!(
        sent(&server, "authorization")[0].as_deref(),
        Some("Bearer some-token")
    );

    // A failed connection is recognized: also a write is sent again.
    let (_socket, url) = deaf();
    let config = Config::new(url).unwrap().with_retry_policy(hasty());
    let error = with_own_client(config, None)
        .flow_schemas()
        .create(&schema("mine"))
        .await
        .unwrap_err();
    assert!(
        error.is_connect() && !error.may_have_taken_effect(),
        "{error}"
    );
    assert_eq!(error.attempts(), 5);
}

#[tokio::test]
async fn a_tower_service_is_a_transport() {
    let notes = Notes::default();
    let log = notes.clone();
    let service = tower::service_fn(move |request: http::Request<Bytes>| {
        log.add(format!("{} {}", request.method(), request.uri()));
        async move {
            let body = serde_json::to_vec(&schema("mine"))?;
            Ok::<_, BoxError>(http::Response::new(Full::new(Bytes::from(body))))
        }
    });
    let config = Config::new("https://cluster.example/prefix").unwrap();
    let client = Client::with_transport(config, move |request| service.clone().oneshot(request));
    let found = client.flow_schemas().get("mine").await.unwrap();
    assert_eq!(found.metadata.name.as_deref(), Some("mine"));
    assert_eq!(
        notes.take(),
        [
            "GET https://cluster.example/prefix/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/mine"
        ]
    );
}
