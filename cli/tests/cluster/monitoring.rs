//! `monitoring --live`: the rules beside the metrics of a server.

use crate::cluster::Cluster;
use crate::cluster::made_up::{Answer, LEVELS, METRICS, MadeUp, level, slice};
use crate::common::{stderr, stdout};
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;

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
    assert!(!error.contains("rbac"), "{error}");
}

/// A server that stops between the two samples is missing, and the others are compared.
#[test]
fn a_server_that_stops_is_a_warning() {
    let [server, other] = [(); 2].map(|()| {
        let server = MadeUp::start();
        server.set_levels(&[level("low", 1, 3, 20)]);
        server
    });
    let group = "flowcontrol.apiserver.k8s.io";
    let version = json!({"groupVersion": format!("{group}/v1"), "version": "v1"});
    let found = json!({"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": [version], "preferredVersion": version});
    server.set(&format!("/apis/{group}/"), Answer::json(&found));
    for (resource, kind) in [
        ("flowschemas", "FlowSchemaList"),
        (
            "prioritylevelconfigurations",
            "PriorityLevelConfigurationList",
        ),
    ] {
        let list = json!({"kind": kind, "apiVersion": format!("{group}/v1"), "metadata": {"resourceVersion": "1"}, "items": []});
        server.set(&format!("/apis/{group}/v1/{resource}"), Answer::json(&list));
    }
    let metrics = "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"low\"} 20\n";
    other.set_each(
        METRICS,
        vec![Answer::text(metrics), Answer::error(503, "it stops")],
    );
    server.set_slices(&[
        slice("IPv4", &["127.0.0.1"], server.port()),
        slice("IPv4", &["127.0.0.1"], other.port()),
    ]);
    let output = server.run(&[
        "monitoring",
        "--live",
        "--interval",
        "1",
        "--kubernetes",
        "1.36",
    ]);
    let (text, warnings) = (stdout(&output), stderr(&output));
    let warning = format!("warning: the metrics of 127.0.0.1:{}: ", other.port());
    assert!(warnings.contains(&warning), "{warnings}");
    let read = format!("1 API server: 127.0.0.1:{};", server.port());
    assert!(text.contains(&read), "{text}{warnings}");
    // A role helps if a server forbids the request.
    for server in [&server, &other] {
        server.set(LEVELS, Answer::error(404, "no"));
    }
    let monitoring = ["monitoring", "--live", "--kubernetes", "1.36"];
    for (command, role) in [
        (&monitoring[..], "monitoring"),
        (&["top", "--once"], "top"),
        (
            &["diagnose", "--interval", "0", "--kubernetes", "1.36"],
            "diagnose",
        ),
        (&["seats", "--live", "--kubernetes", "1.36"], "seats"),
    ] {
        for (answers, is_hinted) in [([503, 404], false), ([404, 403], true), ([403, 404], true)] {
            for (server, answer) in [&server, &other].into_iter().zip(answers) {
                server.set(METRICS, Answer::error(answer, "no"));
            }
            let output = server.run(command);
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(5), "{command:?}: {said}");
            let hint = format!("`kubectl flowcontrol rbac {role}` prints the role");
            assert_eq!(said.contains(&hint), is_hinted, "{command:?}: {said}");
            assert_eq!(said.contains("rbac"), is_hinted, "{command:?}: {said}");
        }
    }
}
