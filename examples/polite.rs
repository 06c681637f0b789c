//! A controller that behaves well when API Priority and Fairness rejects its requests: the client waits for `Retry-After`
//! and sends them again, and the controller limits the requests that it has in flight.
//!
//! `cargo run --example polite` starts a server that throttles: the controller's level has one seat and no queue.

mod support;

use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The objects that the controller writes.
const OBJECTS: usize = 4;
/// The requests that it has in flight.
const IN_FLIGHT: usize = 2;

#[tokio::main]
async fn main() -> support::Outcome {
    let server = throttling_server().await?;
    let rejected = Arc::new(AtomicUsize::new(0));
    let client = Client::new(Config::builder().text(server.kubeconfig()).build()?)?;
    let counter = rejected.clone();
    let client = client.on_request(move |attempt| {
        if attempt.code() == Some(429) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });

    let permits = Arc::new(Semaphore::new(IN_FLIGHT));
    let mut writes = JoinSet::new();
    for number in 0..OBJECTS {
        let (client, permits) = (client.clone(), permits.clone());
        writes.spawn(async move {
            let _permit = permits.acquire().await;
            let schema: v1::FlowSchema = serde_json::from_value(json!({
                "metadata": {"name": format!("polite-{number}")},
                "spec": {"priorityLevelConfiguration": {"name": "workload-low"}},
            }))?;
            client
                .flow_schemas()
                .apply(&schema)
                .field_manager("polite")
                .await?;
            Ok::<_, support::Failure>(())
        });
    }
    while let Some(written) = writes.join_next().await {
        written??;
    }
    println!("{OBJECTS} objects are written.");
    match rejected.load(Ordering::Relaxed) {
        0 => println!("No request was rejected."),
        _ => println!("Rejected requests were sent again after a second."),
    }
    Ok(())
}

/// A server on which the controller has one seat, and every write takes some time.
async fn throttling_server() -> Result<ApiServer, support::Failure> {
    let level = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "controllers"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 1,
            "borrowingLimitPercent": 0,
            "limitResponse": {"type": "Reject"},
        }},
    });
    let schema = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {"name": "controllers"},
        "spec": {
            "matchingPrecedence": 100,
            "priorityLevelConfiguration": {"name": "controllers"},
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": "controller"}}],
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true}],
            }],
        },
    });
    let delay = Fault::delay(Duration::from_millis(300)).times(OBJECTS);
    let server = ApiServer::builder()
        // Tokens are sent over TLS only.
        .tls()
        .flow_control(true)
        .server_seats(20)
        // The group may do anything, and unlike system:masters it is not exempt.
        .tokens("controller-token,controller,1,kubeadm:cluster-admins")
        .objects([level, schema])
        .fault(delay.on_method("PATCH"));
    Ok(server.start().await?)
}
