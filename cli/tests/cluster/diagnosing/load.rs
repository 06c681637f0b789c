//! Requests that wait and are rejected now, and a quiet cluster.

use super::{Load, busy, client, findings, narrow, until};
use crate::cluster::Cluster;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread")]
async fn a_level_that_queues_and_the_flow_that_fills_it() {
    let (cluster, _load) = busy().await;

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
        "one flow fills priority level narrow: user bob of FlowSchema broad has 4 of the 5 requests that wait or execute"
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
    // The embedded server does not have metrics of its processor.
    let gaps = report["notLookedAt"].as_array().unwrap();
    let gaps: Vec<_> = gaps.iter().filter_map(|gap| gap["what"].as_str()).collect();
    assert!(gaps[0].starts_with("the processor of "), "{gaps:?}");
    assert_eq!(gaps[1..], ["past requests"]);

    let text = cluster.run(&["diagnose", "--interval", "0"]).expect(1).out;
    assert!(
        text.starts_with(
            "misconfigured: The configuration limits requests of priority level narrow"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "\nproblem[idle-seats]: 4 requests of priority level narrow wait for its 1 seat, while"
        ),
        "{text}"
    );
    assert!(
        text.contains("\n  past requests: no audit log was given\n"),
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
