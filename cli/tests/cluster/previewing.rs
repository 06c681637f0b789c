//! `preview` of a cluster.

use crate::cluster::Cluster;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_of_a_cluster_begins_with_its_release() {
    let cluster = Cluster::of("1.31").await;
    cluster.level(json!({"name": "batch"}), 5, "me").await;
    let alerts = cluster.file(
        "alerts.yaml",
        "expr: apiserver_flowcontrol_request_concurrency_in_use > 0\n",
    );
    let words = [
        "preview",
        "--to-release",
        "1.34",
        "--live",
        "--monitoring",
        &alerts,
    ];
    let ran = cluster
        .run(&[&words[..], &["-o", "json"]].concat())
        .expect(0);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(
        report["from"].as_str().unwrap().starts_with("1.31"),
        "{report}"
    );
    let changes = report["changes"].as_array().unwrap();
    let has = |area: &str, words: &str| {
        changes.iter().any(|change| {
            change["area"] == area && change["summary"].as_str().unwrap().contains(words)
        })
    };
    assert!(has("versions", "v1beta3 is not served"), "{report}");
    assert!(
        has("metrics", "request_concurrency_in_use is gone"),
        "{report}"
    );
    assert!(has("built-in", "endpoint-controller"), "{report}");
    assert!(
        changes.iter().all(|change| change["source"] != ""),
        "{report}"
    );

    let older = cluster.run(&["preview", "1.29", "--live"]).expect(2);
    assert!(
        older.err.contains("1.29 is older than 1.31"),
        "{}",
        older.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_before_v1_and_its_audit_log_are_compared() {
    let cluster = Cluster::of("1.25").await;
    let log = cluster.file(
        "audit.log",
        concat!(
            r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"1","stage":"ResponseComplete","#,
            r#""requestURI":"/api/v1/pods?watch=true","verb":"watch","user":{"username":"alice","groups":["system:authenticated"]},"#,
            r#""userAgent":"own/1.0","objectRef":{"resource":"pods","apiVersion":"v1"},"responseStatus":{"code":200}}"#,
            "\n"
        ),
    );
    let words = [
        "preview",
        "--to-release",
        "1.37",
        "--live",
        "--audit-log",
        &log,
        "-o",
        "json",
    ];
    let ran = cluster.run(&words).expect(0);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let changes = report["changes"].as_array().unwrap();
    let of = |area: &str| changes.iter().find(|change| change["area"] == area);
    assert_eq!(of("encodings").unwrap()["subject"], "own/1.0", "{report}");
    // Objects of a server convert themselves.
    assert_eq!(of("validation"), None, "{report}");
    assert!(of("seats").is_some(), "{report}");
}
