//! One kube client that both libraries use, with its connections, credentials and layers.

use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::{RetryPolicy, http};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::watch::WatchEvent;
use k8s_flowcontrol_kube::Kube;
use k8s_flowcontrol_server::ApiServer;
use kube::api::{Api, ListParams};
use std::time::Duration;

/// Our client on the connections of kube's client.
fn on(kube: &kube::Client, url: &str) -> Client {
    let kube = kube.clone();
    let config = Config::new(url)
        .unwrap()
        .with_retry_policy(RetryPolicy::default().with_initial_backoff(Duration::ZERO));
    Client::with_transport(config, move |request: http::Request<_>| {
        let kube = kube.clone();
        async move { kube.send(request.map(kube::client::Body::from)).await }
    })
}

async fn connected(server: &ApiServer) -> kube::Client {
    let kubeconfig = kube::config::Kubeconfig::from_yaml(&server.kubeconfig()).unwrap();
    let options = kube::config::KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options)
        .await
        .unwrap();
    kube::Client::try_from(config).unwrap()
}

#[tokio::test]
async fn one_client_for_both() {
    let server = ApiServer::builder()
        .tls()
        .tokens("secret,alice,1,system:masters\n")
        .record_requests()
        .start()
        .await
        .unwrap();
    let kube = connected(&server).await;
    let client = on(&kube, &server.url());
    let schemas = client.flow_schemas();
    let ours = schemas.list().await.unwrap();
    let theirs: Api<Kube<FlowSchema>> = Api::all(kube.clone());
    let theirs = theirs.list(&ListParams::default()).await.unwrap();
    assert_eq!(ours.items.len(), theirs.items.len());

    let mut events = schemas.watch().await.unwrap();
    for _ in &ours {
        assert!(matches!(
            events.next().await,
            Some(Ok(WatchEvent::Added { .. }))
        ));
    }
    schemas.delete("service-accounts").await.unwrap();
    assert!(matches!(
        events.next().await,
        Some(Ok(WatchEvent::Deleted { .. }))
    ));
    let missing = schemas.get("service-accounts").await.unwrap_err();
    assert!(missing.is_not_found(), "{missing}");
    let requests = server.requests();
    let tokens: Vec<_> = requests
        .iter()
        .map(|request| request.header("authorization"))
        .collect();
    assert_eq!(tokens, vec![Some("Bearer secret"); 5], "kube's credentials");
}

#[tokio::test]
async fn errors_of_kube_keep_their_meaning() {
    let server = ApiServer::builder().start().await.unwrap();
    let url = server.url().to_owned();
    let kube = connected(&server).await;
    server.stop().await;
    let error = on(&kube, &url).flow_schemas().list().await.unwrap_err();
    assert!(error.is_connect() && error.is_retryable(), "{error:?}");
    assert_eq!(error.attempts(), 5);
}
