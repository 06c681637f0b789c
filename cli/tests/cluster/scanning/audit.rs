//! Audit logs.

use crate::cluster::Cluster;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_log_completes_the_verdict_of_its_cluster() {
    let cluster = Cluster::of("1.28").await;
    let event = |user: &str, group: &str, version: &str| {
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": user, "stage": "ResponseComplete", "verb": "list",
            "user": {"username": user}, "objectRef": {"resource": "flowschemas", "apiGroup": group, "apiVersion": version},
            "responseStatus": {"code": 200},
        })
    };
    let group = "flowcontrol.apiserver.k8s.io";
    for (events, code, verdict) in [
        (vec![event("a", "apps", "v1")], 5, "incomplete"),
        (vec![event("a", group, "v1")], 0, "clean"),
        (vec![event("a", group, "v1beta3")], 1, "outdated"),
    ] {
        let text: String = events.iter().map(|event| format!("{event}\n")).collect();
        let log = cluster.file("audit.log", &text);
        let scan = [
            "scan",
            "--no-helm",
            "--to-release",
            "1.32",
            "--audit-log",
            &log,
            "-o",
            "json",
        ];
        let found = cluster.run(&scan).expect(code).json();
        let here = &found["clusters"][0];
        assert_eq!(here["verdict"], verdict, "{here}");
        if code == 5 {
            let why = here["unread"][0]["error"].as_str().unwrap();
            let policy = "the audit log does not contain events of flowcontrol.apiserver.k8s.io, so its policy may omit them";
            assert!(why.contains(policy), "{why}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_log_names_the_callers() {
    let cluster = Cluster::of("1.31").await;
    let event = |user: &str, verb: &str, version: &str| {
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": format!("{user}-{verb}"),
            "stage": "ResponseComplete", "verb": verb, "user": {"username": user}, "userAgent": "helm/3.14",
            "objectRef": {"resource": "flowschemas", "apiGroup": "flowcontrol.apiserver.k8s.io", "apiVersion": version},
            "responseStatus": {"code": 200}, "requestReceivedTimestamp": "2026-01-02T03:04:05.000006Z",
            "annotations": {"k8s.io/deprecated": "true", "k8s.io/removed-release": "1.32"},
        })
    };
    let lines = [
        event("deployer", "patch", "v1beta3"),
        event("reader", "list", "v1beta3"),
        event("modern", "list", "v1"),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let log = cluster.file("audit.log", &format!("{text}cut off"));
    let ran = cluster
        .run(&["scan", "--no-helm", "--audit-log", &log, "-o", "json"])
        .expect(1);
    assert!(
        ran.err
            .contains("audit.log:4: skipped 1 line without an audit event"),
        "{}",
        ran.err
    );
    let callers = &ran.json()["auditLogs"][0]["callers"];
    assert_eq!(callers.as_array().unwrap().len(), 2);
    assert_eq!(callers[0]["user"], "deployer");
    assert_eq!(callers[0]["writes"], true);
    assert_eq!(callers[0]["verbs"], json!({"patch": 1}));
    assert_eq!(callers[1]["user"], "reader");
    assert_eq!(callers[1]["writes"], false);
    let text = cluster
        .run(&["scan", "--no-helm", "--audit-log", &log])
        .expect(1)
        .out;
    assert!(
        text.contains("Kubernetes 1.32 and later do not serve v1beta3"),
        "{text}"
    );

    // Without a cluster only the log is read.
    let found = cluster
        .run_with("missing", &["scan", "--audit-log", &log, "-o", "json"])
        .expect(1)
        .json();
    assert_eq!(found["clusters"], json!([]));
    assert_eq!(found["refusals"][0]["version"], "v1beta3");

    let no_log = cluster.file("notes.txt", "hello\n");
    let ran = cluster.run(&["scan", "--audit-log", &no_log]).expect(3);
    assert!(ran.err.contains("contains no audit events"), "{}", ran.err);
    cluster
        .run(&["scan", "--audit-log", "missing.log"])
        .expect(3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_log_names_extension_servers_that_are_denied() {
    let cluster = Cluster::of("1.31").await;
    let user = "system:serviceaccount:cert-manager:webhook";
    let event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": "a", "stage": "ResponseComplete",
        "verb": "list", "user": {"username": user}, "userAgent": "webhook/v1.15",
        "objectRef": {"resource": "flowschemas", "apiGroup": "flowcontrol.apiserver.k8s.io", "apiVersion": "v1"},
        "responseStatus": {"code": 403}, "requestReceivedTimestamp": "2026-01-02T03:04:05.000006Z",
    });
    let log = cluster.file("audit.log", &format!("{event}\n"));
    let scan = ["scan", "--no-helm", "--audit-log", &log];
    let json = cluster
        .run(&[&scan[..], &["-o", "json"]].concat())
        .expect(0)
        .json();
    assert_eq!(
        json["auditLogs"][0]["denied"],
        json!([{"user": user, "userAgent": "webhook/v1.15", "resources": ["flowschemas"], "requests": 1,
            "last": "2026-01-02T03:04:05.000006Z"}]),
    );
    let text = cluster.run(&scan).expect(0).out;
    for part in [
        "denied: system:serviceaccount:cert-manager:webhook (webhook/v1.15) may not list or watch flowschemas (1 request)",
        "kubectl flowcontrol rbac extension-server",
        "--serviceaccount=cert-manager:webhook",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
