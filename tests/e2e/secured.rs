//! A client and a server with TLS, users and faults.

use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::config::{Config, Secret};
use k8s_flowcontrol_server::{ApiServer, Fault};

const TOKENS: &str = "admin-token,admin,admin-uid,\"system:masters\"\nbob-token,bob,bob-uid\n";

async fn secured() -> (ApiServer, Config) {
    let builder = ApiServer::builder().tls().tokens(TOKENS);
    let server = builder.start().await.unwrap();
    let config = Config::builder().text(server.kubeconfig()).build().unwrap();
    (server, config)
}

#[tokio::test]
async fn the_kubeconfig_is_all_that_a_client_needs() {
    let (server, config) = secured().await;
    let client = Client::new(config).unwrap();
    let schema = client.flow_schemas().get("exempt").await.unwrap();
    assert_eq!(schema.metadata.name.as_deref(), Some("exempt"));

    let stranger = Client::new(Config::new(server.url()).unwrap()).unwrap();
    let error = stranger.flow_schemas().get("exempt").await.unwrap_err();
    assert_eq!(error.code(), None, "no such authority: {error}");
}

#[tokio::test]
async fn the_user_decides() {
    let (_server, config) = secured().await;
    let as_user = |token: &str| Client::new(config.clone().with_token(Secret::new(token))).unwrap();
    let error = as_user("bob-token").flow_schemas().get("exempt").await;
    assert!(error.unwrap_err().is_forbidden());
    let error = as_user("nobody").flow_schemas().get("exempt").await;
    assert!(error.unwrap_err().is_unauthorized());
}

#[tokio::test]
async fn a_fault_is_seen_for_what_it_is() {
    let (server, config) = secured().await;
    let client = Client::new(config).unwrap();
    server.inject(Fault::garbage());
    let error = client.flow_schemas().get("exempt").await.unwrap_err();
    assert!(error.is_decode(), "{error}");
    assert_eq!(server.pending_faults(), 0);
    assert!(client.flow_schemas().get("exempt").await.is_ok());
}
