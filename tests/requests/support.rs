//! Servers, clients with short pauses, and objects.

use crate::requests::script::Script;
use k8s_flowcontrol::Error;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::{Client, RetryPolicy};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use std::time::Duration;

/// The default number of attempts, without pauses.
pub(crate) fn hasty() -> RetryPolicy {
    RetryPolicy::default().with_initial_backoff(Duration::ZERO)
}

/// A client that retries immediately.
pub(crate) fn client(url: impl AsRef<str>) -> Client {
    Client::new(Config::new(url).unwrap().with_retry_policy(hasty())).unwrap()
}

/// The error of a list.
pub(crate) async fn list(client: &Client) -> Error {
    client.flow_schemas().list().await.unwrap_err()
}

/// The client of a script, without retries.
pub(crate) fn single(script: &Script) -> Client {
    let client = script.client.clone();
    client.with_retry_policy(RetryPolicy::none())
}

/// A configuration without retries.
pub(crate) fn once(url: &str) -> Config {
    Config::new(url)
        .unwrap()
        .with_retry_policy(RetryPolicy::none())
}

/// A configuration for a server with TLS.
pub(crate) fn config(server: &ApiServer) -> Config {
    let config = Config::new(server.url()).unwrap();
    config.with_certificate_authority(server.ca_pem().unwrap())
}

/// A server that records its requests, and a client that retries immediately.
pub(crate) async fn embedded() -> (ApiServer, Client) {
    let server = ApiServer::builder()
        .record_requests()
        .start()
        .await
        .unwrap();
    let client = client(server.url());
    (server, client)
}

/// The number of received requests of a method.
pub(crate) fn arrived(server: &ApiServer, method: &str) -> usize {
    let requests = server.requests();
    requests
        .iter()
        .filter(|request| request.method == method)
        .count()
}

/// A flow schema for the existing level `global-default`.
pub(crate) fn schema(name: &str) -> FlowSchema {
    schema_of_level(name, "global-default")
}

pub(crate) fn schema_of_level(name: &str, level: &str) -> FlowSchema {
    serde_json::from_value(json!({
        "metadata": {"name": name},
        "spec": {
            "priorityLevelConfiguration": {"name": level},
            "matchingPrecedence": 9000,
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": "somebody"}}],
                "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/somewhere"]}],
            }],
        },
    }))
    .unwrap()
}
