//! The permissions of a diagnosis, and the names that it may show.

use super::{Load, narrow, queue, until};
use crate::cluster::Cluster;
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread")]
async fn missing_permissions_are_named() {
    let tokens = "bob,bob,2,\nadmin,admin,1,system:masters\n";
    let cluster = Cluster::start(ApiServer::builder().tls().tokens(tokens)).await;
    let ran = cluster
        .run(&["diagnose", "--interval", "0", "--token", "bob"])
        .expect(5);
    assert!(ran.err.contains("rbac diagnose"), "{}", ran.err);
    let faults = [
        Fault::unavailable().on_path("/metrics").times(20),
        Fault::unavailable().on_path("/debug/").times(20),
    ];
    for fault in faults {
        let builder = ApiServer::builder().flow_control(true);
        let cluster = Cluster::start(builder.fault(fault)).await;
        cluster.run(&["diagnose", "--interval", "0"]).expect(0);
    }
}

/// The text of a file or of all outputs has none of these.
#[track_caller]
fn has_none(text: &str, private: &[String]) {
    for name in private {
        assert!(!text.contains(name.as_str()), "{name} in {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redacted_diagnosis_has_no_original_value() {
    let unreachable = crate::common::closed_address();
    let cluster = narrow(queue(50), vec![unreachable]).await;
    let users = [
        "carol",
        "system:acme-bot",
        "system:serviceaccount:acme-ns:acme-account",
    ];
    let mut load = Load(JoinSet::new());
    for (index, user) in users.into_iter().enumerate() {
        load.send(&cluster, user, 1);
        until(&cluster, 1, index as i64).await;
    }
    let event = |user: &str, code: u16| {
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": format!("{user}{code}"), "stage": "ResponseComplete",
            "requestURI": "/api/v1/namespaces/acme-ns/pods/acme-pod", "verb": "get", "userAgent": "acme-agent",
            "user": {"username": user, "groups": ["acme-group", "system:authenticated"]},
            "objectRef": {"resource": "pods", "namespace": "acme-ns", "name": "acme-pod", "apiVersion": "v1"},
            "responseStatus": {"code": code},
            "requestReceivedTimestamp": "2026-11-20T15:57:05.000000Z", "stageTimestamp": "2026-11-20T15:57:06.000000Z",
        })
        .to_string()
    };
    let events = users.map(|user| [event(user, 200), event(user, 429)].join("\n"));
    let log = cluster.file("audit.log", &events.join("\n"));
    let mut private: Vec<String> = ["carol", "acme"].map(str::to_owned).to_vec();
    for port in [cluster.server.port(), unreachable.port()] {
        private.push(format!("127.0.0.1:{port}"));
    }
    let base = ["diagnose", "--interval", "0", "--audit-log", &log];
    for more in [
        ["--redact", "-o", "json"].as_slice(),
        &["--redact", "--verbose"],
        &["--redact=key", "--user", "carol", "-o", "json"],
        &["--redact", "--user", users[2], "--verbose"],
    ] {
        // The metrics of one run are missing, with an error that names the server.
        cluster
            .server
            .inject(Fault::unavailable().on_path("/metrics").times(1));
        let ran = cluster.run(&[base.as_slice(), more].concat()).expect(1);
        cluster.server.clear_faults();
        has_none(&(ran.out + &ran.err), &private);
    }
    // The names are there without the option.
    let open = cluster
        .run(&[base.as_slice(), &["--verbose"]].concat())
        .expect(1);
    for name in ["carol", "acme-account", &private[2], &private[3]] {
        assert!(open.out.contains(name), "{name}: {}", open.out);
    }
}
