//! `diagnose`, on servers that really queue and reject.

mod access;
mod load;
mod logs;
mod saved;

use crate::cluster::Cluster;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::{Config, Impersonation};
use k8s_flowcontrol_analysis::dumps::parse_priority_levels;
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::task::JoinSet;

/// Longer than any test: such a request executes until its connection is closed.
const FOR_EVER: Duration = Duration::from_secs(3600);

/// A server whose level `narrow` has one seat, for all users.
async fn narrow(response: Value, peers: Vec<std::net::SocketAddr>) -> Cluster {
    let level = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": "narrow"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 1, "borrowingLimitPercent": 0, "limitResponse": response}},
    });
    let schema = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "broad"},
        "spec": {
            "matchingPrecedence": 100,
            "priorityLevelConfiguration": {"name": "narrow"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{"subjects": [{"kind": "Group", "group": {"name": "system:authenticated"}}],
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true, "namespaces": ["*"]}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}],
        },
    });
    let builder = ApiServer::builder().flow_control(true).server_seats(20);
    Cluster::start(builder.objects([level, schema]).peers(peers)).await
}

fn queue(length: u32) -> Value {
    json!({"type": "Queue", "queuing": {"queues": 2, "handSize": 1, "queueLengthLimit": length}})
}

fn client(cluster: &Cluster, user: &str) -> Client {
    let config = Config::new(cluster.server.url()).unwrap();
    // The group may do anything, and unlike system:masters it is not exempt.
    let user = Impersonation::new(user).group("kubeadm:cluster-admins");
    let config = config.with_impersonation(user).unwrap();
    Client::new(config.with_timeout(None)).unwrap()
}

/// Requests that do not end.
struct Load(JoinSet<()>);

impl Load {
    fn send(&mut self, cluster: &Cluster, user: &str, requests: usize) {
        cluster.server.inject(
            Fault::delay(FOR_EVER)
                .on_path("/openapi/v3")
                .times(requests),
        );
        for _ in 0..requests {
            let client = client(cluster, user);
            self.0.spawn(async move {
                // The test ends the request.
                let _response = client.get_raw("/openapi/v3").await;
            });
        }
    }
}

/// A server whose level executes one of four requests of bob, and lets the others and one of carol wait.
async fn busy() -> (Cluster, Load) {
    let cluster = narrow(queue(50), Vec::new()).await;
    let mut load = Load(JoinSet::new());
    load.send(&cluster, "bob", 4);
    until(&cluster, 1, 3).await;
    load.send(&cluster, "carol", 1);
    until(&cluster, 1, 4).await;
    (cluster, load)
}

/// Waits until so many requests of the level execute and wait.
async fn until(cluster: &Cluster, executing: i64, waiting: i64) {
    let admin = cluster.client();
    loop {
        let dump = admin.get_raw("/debug/api_priority_and_fairness/dump_priority_levels");
        let levels =
            parse_priority_levels(&String::from_utf8(dump.await.unwrap()).unwrap()).unwrap();
        let narrow = levels.rows.iter().find(|row| row.name == "narrow").unwrap();
        let state = narrow.state.as_ref().unwrap();
        if (state.executing_requests, state.waiting_requests) == (executing, waiting) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

fn findings<'a>(report: &'a Value, check: &str) -> Vec<&'a Value> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["check"] == check)
        .collect()
}
