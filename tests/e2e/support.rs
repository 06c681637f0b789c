//! The server under test, and the objects of the tests.

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_server::ApiServer;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The server under test: an embedded server, or the cluster of FLOWCONTROL_TEST_KUBECONFIG, which is a kubeconfig file or
/// a list of them as in KUBECONFIG.
///
/// Tests create objects with unique names and delete them, so that the suite can share a cluster.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    _embedded: Option<ApiServer>,
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        match std::env::var_os("FLOWCONTROL_TEST_KUBECONFIG") {
            Some(list) => {
                let files: Vec<_> = std::env::split_paths(&list).collect();
                let config = Config::builder().files(&files).build().unwrap();
                Self {
                    client: Client::new(config).unwrap(),
                    _embedded: None,
                }
            }
            None => {
                let server = ApiServer::start().await.unwrap();
                let client = Client::from_url(server.url()).unwrap();
                Self {
                    client,
                    _embedded: Some(server),
                }
            }
        }
    }
}

/// An embedded server of one release.
pub(crate) async fn release(release: &str) -> (ApiServer, Client) {
    let server = ApiServer::builder()
        .kubernetes(release)
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    (server, client)
}

/// A name that no other test uses.
pub(crate) fn unique(what: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!(
        "e2e-{what}-{}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

/// A small valid object: a level that rejects, or a schema that matches requests of one user for `/e2e`.
pub(crate) fn sample<K: Resource>(name: &str) -> K {
    let shares = match K::VERSION {
        "v1beta1" | "v1beta2" => "assuredConcurrencyShares",
        _ => "nominalConcurrencyShares",
    };
    let spec = match K::KIND {
        "FlowSchema" => json!({
            "priorityLevelConfiguration": {"name": "global-default"},
            "matchingPrecedence": 9000,
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": "e2e"}}],
                "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/e2e"]}],
            }],
        }),
        _ => {
            json!({"type": "Limited", "limited": {shares: 5, "limitResponse": {"type": "Reject"}}})
        }
    };
    object(json!({"metadata": {"name": name, "labels": {"suite": "e2e"}}, "spec": spec}))
}

/// Reads a JSON value as a type.
pub(crate) fn object<K: Resource>(tree: Value) -> K {
    serde_json::from_value(tree).unwrap()
}

/// Writes an object as a JSON value.
pub(crate) fn tree<K: Resource>(object: &K) -> Value {
    serde_json::to_value(object).unwrap()
}

/// The text at a raw path, for the user of a token.
pub(crate) async fn text(server: &ApiServer, path: &str, token: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port()))
        .await
        .unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{path}: {head}");
    body.to_owned()
}
