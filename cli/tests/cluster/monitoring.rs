//! `monitoring --live`: the rules beside the metrics of a server.

use crate::cluster::Cluster;
use k8s_flowcontrol_server::{ApiServer, Fault};

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_fit_a_server_with_flow_control() {
    let builder = ApiServer::builder().flow_control(true).server_seats(40);
    let cluster = Cluster::start(builder).await;
    let report = cluster
        .run(&["monitoring", "--live", "--interval", "1", "-o", "json"])
        .expect(0)
        .json();
    assert_eq!(report["problems"], serde_json::json!([]), "{report:#}");
    assert_eq!(report["servers"][0]["seats"], 40.0);
    assert!(report["intervalSeconds"].as_f64().unwrap() >= 1.0);
    let alerts = report["alerts"].as_array().unwrap();
    assert!(
        alerts
            .iter()
            .all(|alert| alert["state"] == "quiet" || alert["state"] == "unknown"),
        "{report:#}"
    );

    let text = cluster
        .run(&["monitoring", "--live", "--interval", "0"])
        .expect(0)
        .out;
    assert!(text.contains("of the rules, with all labels."), "{text}");
    let unseen = text.split("No server has series of ").nth(1).unwrap();
    let (metrics, reason) = unseen.split_once(": ").unwrap();
    assert!(
        metrics.contains("apiserver_flowcontrol_rejected_requests_total"),
        "{text}"
    );
    // Long lines are wrapped.
    assert!(reason.starts_with("a server shows them"), "{text}");
    assert!(
        text.contains("The rules count 40 seats of http://127.0.0.1:"),
        "{text}"
    );
    assert!(text.contains("unknown: a rate needs two samples"), "{text}");
}

/// The rules of another release do not fit, and files can be written at the same time.
#[tokio::test(flavor = "multi_thread")]
async fn rules_of_another_release_are_a_problem() {
    let cluster = Cluster::start(ApiServer::builder().flow_control(true)).await;
    let out = cluster.folder.path("rules.yaml");
    let ran = cluster
        .run(&[
            "monitoring",
            "--live",
            "--interval",
            "0",
            "--kubernetes",
            "1.25",
            "--out",
            &out,
        ])
        .expect(1);
    assert!(
        ran.out.contains("does not have the metric apiserver_flowcontrol_request_concurrency_limit of FlowControlMetricsMissing"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("warning[FlowControlMetricsMissing]: Prometheus does not have metrics"),
        "{}",
        ran.out
    );
    assert!(
        std::fs::read_to_string(&out)
            .unwrap()
            .contains("for Kubernetes 1.25.")
    );

    cluster
        .server
        .inject(Fault::unavailable().on_path("/metrics").times(20));
    let error = cluster.run(&["monitoring", "--live"]).expect(5).err;
    assert!(error.contains("no API server shows its metrics"), "{error}");
}
