//! The server under test, and the objects of the tests.

use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::{Client, Negotiated};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{GROUP, Resource};
use k8s_flowcontrol_server::ApiServer;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A server under test: an embedded server, or the cluster of FLOWCONTROL_TEST_KUBECONFIG, which is a kubeconfig file or
/// a list of them as in KUBECONFIG.
///
/// Tests create objects with unique names and delete them, so that the suite can share a cluster.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    _embedded: Option<ApiServer>,
}

/// The releases of the embedded servers: each serves other versions than the release before it.
const RELEASES: [&str; 4] = ["1.25", "1.26", "1.29", "1.34"];

impl Cluster {
    /// The cluster of the environment, or one embedded server for each release.
    pub(crate) async fn each() -> Vec<Self> {
        if let Some(list) = std::env::var_os("FLOWCONTROL_TEST_KUBECONFIG") {
            let files: Vec<_> = std::env::split_paths(&list).collect();
            let config = Config::builder().files(&files).build().unwrap();
            return vec![Self {
                client: Client::new(config).unwrap(),
                _embedded: None,
            }];
        }
        let mut clusters = Vec::new();
        for name in RELEASES {
            let (server, client) = release(name).await;
            clusters.push(Self {
                client,
                _embedded: Some(server),
            });
        }
        clusters
    }

    /// The clusters that serve a version, for tests of that version alone.
    pub(crate) async fn serving(version: &str) -> Vec<Self> {
        let mut clusters = Vec::new();
        for cluster in Self::each().await {
            if cluster.serves(version).await {
                clusters.push(cluster);
            } else {
                let release = cluster.client.release().await.unwrap();
                println!("skipped: Kubernetes {release} does not serve {version}");
            }
        }
        clusters
    }

    pub(crate) async fn serves(&self, version: &str) -> bool {
        let group = self.client.api_group(GROUP).await.unwrap();
        group
            .versions
            .iter()
            .any(|served| served.version == version)
    }

    /// The levels in the best version of the server.
    pub(crate) async fn levels(&self) -> Negotiated<v1::PriorityLevelConfiguration> {
        self.client.negotiated().await.unwrap()
    }

    /// The schemas in the best version of the server.
    pub(crate) async fn schemas(&self) -> Negotiated<v1::FlowSchema> {
        self.client.negotiated().await.unwrap()
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
