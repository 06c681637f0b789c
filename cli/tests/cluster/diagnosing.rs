//! `diagnose`, on servers that really queue and reject.

use crate::Cluster;
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

#[tokio::test(flavor = "multi_thread")]
async fn a_level_that_queues_and_the_flow_that_fills_it() {
    let cluster = narrow(queue(50), Vec::new()).await;
    let mut load = Load(JoinSet::new());
    load.send(&cluster, "bob", 4);
    until(&cluster, 1, 3).await;
    load.send(&cluster, "carol", 1);
    until(&cluster, 1, 4).await;

    let report = cluster
        .run(&["diagnose", "--interval", "0", "-o", "json"])
        .expect(1)
        .json();
    assert_eq!(report["verdict"], "misconfigured", "{report:#}");
    let idle = findings(&report, "idle-seats");
    assert_eq!(idle[0]["priorityLevel"], "narrow");
    assert_eq!(idle[0]["evidence"][0]["value"], 4, "{report:#}");
    let flow = findings(&report, "busiest-flow")[0];
    assert_eq!(
        flow["message"],
        "one flow fills priority level narrow: user bob of FlowSchema broad has 3 of the 4 waiting requests"
    );
    let borrowing = findings(&report, "borrowing")[0];
    assert_eq!(
        borrowing["evidence"][0]["text"],
        "PriorityLevelConfiguration narrow: spec.limited.borrowingLimitPercent is 0"
    );
    // The exempt administrator is not slowed down, but nodes would be.
    let system = findings(&report, "system-traffic")[0];
    assert!(
        system["message"]
            .as_str()
            .unwrap()
            .starts_with("FlowSchema broad takes requests of node heartbeats"),
        "{report:#}"
    );
    assert!(!findings(&report, "starvation").is_empty(), "{report:#}");
    assert_eq!(report["notLookedAt"][0]["what"], "past requests");

    let text = cluster.run(&["diagnose", "--interval", "0"]).expect(1).out;
    assert!(text.starts_with("misconfigured: The configuration, and not the server, limits requests of priority level narrow"), "{text}");
    assert!(
        text.contains(
            "\nproblem[idle-seats]: 4 requests of priority level narrow wait for its 1 seat, while"
        ),
        "{text}"
    );
    assert!(
        text.contains("\nNot looked at:\n  past requests: no audit log was given\n"),
        "{text}"
    );

    let own = cluster
        .run(&["diagnose", "--interval", "0", "--user", "carol", "--redact"])
        .expect(1)
        .out;
    assert!(!own.contains("carol") && !own.contains("bob"), "{own}");
    assert!(
        own.contains("problem[user-requests]: 1 request of user user-"),
        "{own}"
    );
    let other = cluster.run(&[
        "diagnose",
        "--interval",
        "0",
        "--level",
        "workload-low",
        "-o",
        "json",
    ]);
    assert_eq!(other.expect(0).json()["verdict"], "healthy");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejections_since_the_start_and_in_the_interval() {
    let peer = ApiServer::builder().start().await.unwrap();
    let cluster = narrow(
        json!({"type": "Reject"}),
        vec![([127, 0, 0, 1], peer.port()).into()],
    )
    .await;
    let mut load = Load(JoinSet::new());
    load.send(&cluster, "bob", 1);
    until(&cluster, 1, 0).await;
    let rejected = client(&cluster, "bob").get_raw("/version").await;
    assert!(rejected.is_err());

    let report = cluster
        .run(&["diagnose", "--interval", "0", "-o", "json"])
        .expect(1)
        .json();
    assert_eq!(report["verdict"], "rejecting", "{report:#}");
    assert_eq!(report["servers"].as_array().unwrap().len(), 2);
    let rejections = findings(&report, "rejections")[0];
    assert_eq!(rejections["severity"], "risk");
    assert_eq!(
        rejections["server"],
        format!("127.0.0.1:{}", cluster.server.port())
    );
    let text = rejections["evidence"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("reason=\"concurrency-limit\"") && text.ends_with("since the server started"),
        "{text}"
    );

    let report = cluster
        .run(&["diagnose", "--interval", "1", "-o", "json"])
        .expect(1)
        .json();
    let rejections = findings(&report, "rejections")[0];
    assert_eq!(rejections["severity"], "note", "{report:#}");
    assert!(report["servers"][0]["intervalSeconds"].as_f64().unwrap() >= 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quiet_cluster_is_healthy() {
    let cluster = Cluster::start(ApiServer::builder().flow_control(true)).await;
    let text = cluster.run(&["diagnose", "--interval", "0"]).expect(0).out;
    assert!(
        text.starts_with("healthy: No request waits or is rejected now.\n"),
        "{text}"
    );
    assert!(text.contains("1 API server: http://127.0.0.1:"), "{text}");

    // Of a user, the groups decide, and of a level the name.
    let text = cluster
        .run(&["diagnose", "--interval", "0", "--user", "alice"])
        .expect(0)
        .out;
    assert!(text.contains("the groups of user alice"), "{text}");
    let text = cluster
        .run(&[
            "diagnose",
            "--interval",
            "0",
            "--user",
            "alice",
            "--group",
            "dev",
        ])
        .expect(0)
        .out;
    assert!(!text.contains("the groups of"), "{text}");
    let error = cluster
        .run(&["diagnose", "--level", "workload-lo"])
        .expect(3)
        .err;
    assert!(
        error.contains("no priority level \"workload-lo\"")
            && error.contains("did you mean `workload-low`?"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_logs_are_part_of_the_evidence() {
    let cluster = narrow(queue(1), Vec::new()).await;
    let event = |id: u32, code: u16| {
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": id.to_string(), "stage": "ResponseComplete",
            "requestURI": "/version", "verb": "get", "user": {"username": "bob", "groups": ["system:authenticated"]},
            "responseStatus": {"code": code},
            "requestReceivedTimestamp": "2026-11-20T15:57:05.000000Z", "stageTimestamp": "2026-11-20T15:57:06.000000Z",
        })
        .to_string()
    };
    let log = cluster.file("audit.log", &[event(1, 200), event(2, 429)].join("\n"));
    let report = cluster
        .run(&[
            "diagnose",
            "--interval",
            "0",
            "--user",
            "bob",
            "-o",
            "json",
            "--audit-log",
            &log,
        ])
        .expect(1)
        .json();
    let own = findings(&report, "user-requests");
    assert!(
        own.iter().any(|finding| finding["message"]
            == "in the audit logs, FlowSchema broad took 2 requests of user bob into priority level narrow, of which 1 was rejected"),
        "{report:#}"
    );
    assert_eq!(
        findings(&report, "rejections")[0]["evidence"][0]["requests"],
        1
    );
    assert_eq!(report["notLookedAt"], json!([]));
}

/// The requests of bob, one every 100 ms, as a server with one seat served them: each executes for 300 ms.
fn waiting(number: u64) -> String {
    let time = |ms: u64| format!("2026-11-20T15:57:{:02}.{:03}000Z", ms / 1000, ms % 1000);
    let (received, wait) = (number * 100, number * 200);
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": number.to_string(), "stage": "ResponseComplete",
        "requestURI": "/version", "verb": "get", "user": {"username": "bob", "groups": ["system:authenticated"]},
        "responseStatus": {"code": 200},
        "requestReceivedTimestamp": time(received), "stageTimestamp": time(received + wait + 300),
        "annotations": {"authorization.k8s.io/decision": "allow", "apiserver.latency.k8s.io/apf-queue-wait": format!("{wait}ms")},
    })
    .to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_simulated_before_it_is_advised() {
    let cluster = narrow(queue(50), Vec::new()).await;
    let events: Vec<_> = (0..60).map(waiting).collect();
    let log = cluster.file("audit.log", &events.join("\n"));
    let diagnose = |more: &[&str]| {
        let all = [
            "diagnose",
            "--interval",
            "0",
            "-o",
            "json",
            "--audit-log",
            &log,
        ];
        cluster.run(&[&all[..], more].concat()).expect(1).json()
    };
    let report = diagnose(&[]);
    let found = findings(&report, "simulated-change");
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("simulated over the log, ")
            && message.ends_with(" shares instead of 1 help priority level narrow"),
        "{report:#}"
    );
    let evidence = found[0]["evidence"].to_string();
    assert!(
        evidence.contains("user bob of FlowSchema broad gains"),
        "{evidence}"
    );
    assert!(
        evidence.contains("error of the simulation for priority level narrow"),
        "{evidence}"
    );
    // Names are private, and another level does not get this advice.
    assert!(
        !diagnose(&["--redact"])["findings"]
            .to_string()
            .contains("bob")
    );
    let other = cluster
        .run(&[
            "diagnose",
            "--interval",
            "0",
            "-o",
            "json",
            "--audit-log",
            &log,
            "--level",
            "workload-low",
        ])
        .json();
    assert!(findings(&other, "simulated-change").is_empty());
}

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
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let unreachable = gone.local_addr().unwrap();
    drop(gone);
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
