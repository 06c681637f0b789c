//! `scan`.

mod api;

use crate::Cluster;
use crate::common::Folder;
use api::{Api, config_map, secret};
use k8s_flowcontrol::api::v1beta3;
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::{Value, json};
use std::time::Duration;

/// A kubeconfig with a context for each server.
fn kubeconfig(servers: &[(&str, String)]) -> String {
    let list = |of: fn(&str, &str) -> Value| -> Vec<_> {
        servers.iter().map(|(name, url)| of(name, url)).collect()
    };
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": servers[0].0,
        "clusters": list(|name, url| json!({"name": name, "cluster": {"server": url}})),
        "contexts": list(|name, _| json!({"name": name, "context": {"cluster": name, "user": name}})),
        "users": list(|name, _| json!({"name": name, "user": {"token": format!("{name}-token")}})),
    })
    .to_string()
}

/// Whatever asks in v1beta3.
async fn ask_in_v1beta3(cluster: &Cluster) {
    let api = cluster.client().api::<v1beta3::FlowSchema>();
    api.list().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_nobody_asks_in_old_versions_is_clean() {
    let cluster = Cluster::start(ApiServer::builder().kubernetes("1.31").record_requests()).await;
    let first = cluster
        .run(&["scan", "--no-helm", "-o", "json"])
        .expect(0)
        .json();
    assert_eq!(first["clusters"][0]["verdict"], "clean");
    assert_eq!(first["clusters"][0]["served"], json!(["v1", "v1beta3"]));
    assert_eq!(first["schemaVersion"], 1);
    // It does not find itself the second time.
    let second = cluster
        .run(&["scan", "--no-helm", "-o", "json"])
        .expect(0)
        .json();
    assert_eq!(first, second);
    let requests = cluster.server.requests();
    assert!(!requests.is_empty());
    let old = requests
        .iter()
        .find(|request| request.path.contains("v1beta3"));
    assert!(old.is_none(), "{old:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_told_apart_from_history() {
    let cluster = Cluster::of("1.31").await;
    let manifest = cluster.file("old.yaml", &crate::level("v1beta3", "batch", 5));
    let put = [
        "apply",
        "-f",
        &manifest,
        "--api-version",
        "v1beta3",
        "--field-manager",
        "team-a",
    ];
    cluster.run(&put).expect(0);
    // The metric of the request is on the server; a restart forgets it, and the stamp stays.
    let found = cluster
        .run(&["scan", "--no-helm", "-o", "json"])
        .expect(1)
        .json();
    let here = &found["clusters"][0];
    assert_eq!(here["verdict"], "outdated");
    assert_eq!(here["requested"][0]["version"], "v1beta3");
    assert_eq!(here["requested"][0]["refusedFrom"], "1.32");
    assert_eq!(found["refusals"][0]["release"], "1.32");

    cluster.server.upgrade("1.31").await.unwrap();
    let found = cluster
        .run(&["scan", "--no-helm", "-o", "json"])
        .expect(0)
        .json();
    let here = &found["clusters"][0];
    assert_eq!(here["verdict"], "clean");
    let stamp = &here["history"][0];
    assert_eq!(stamp["manager"], "team-a");
    assert_eq!(stamp["version"], "v1beta3");
    assert_eq!(stamp["objects"], 1);
    assert!(stamp["last"].as_str().unwrap().ends_with('Z'));
    let text = cluster.run(&["scan", "--no-helm"]).expect(0).out;
    assert!(
        text.contains("history: team-a in v1beta3, in managedFields of 1 object"),
        "{text}"
    );
    assert!(
        text.contains("No clients of versions that Kubernetes"),
        "{text}"
    );
    let examined = "Examined: the requests to the API server that responded, field managers.\n";
    assert!(text.contains(examined), "{text}");
    // On the way to 1.31 v1beta3 is not old.
    let near = ["scan", "--no-helm", "--kubernetes", "1.31", "-o", "json"];
    let found = cluster.run(&near).expect(0).json();
    assert_eq!(found["clusters"][0]["history"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_cluster_has_its_own_verdict() {
    let outdated = Cluster::of("1.31").await;
    ask_in_v1beta3(&outdated).await;
    let clean = Cluster::of("1.32").await;
    let forbidden = Cluster::start(
        ApiServer::builder()
            .tokens("forbidden-token,bob,bob-uid\nadmin-token,admin,a,system:masters\n"),
    )
    .await;
    let slow = Cluster::of("1.32").await;
    slow.server
        .inject(Fault::delay(Duration::from_secs(30)).times(9));
    let broken = Cluster::of("1.32").await;
    broken.server.inject(Fault::internal_error().times(99));
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let servers = [
        ("outdated", outdated.server.url()),
        ("clean", clean.server.url()),
        ("forbidden", forbidden.server.url()),
        ("unauthorized", forbidden.server.url()),
        ("timeout", slow.server.url()),
        ("unreachable", gone),
        ("failed", broken.server.url()),
    ];
    let folder = Folder::new();
    let file = folder.file("kubeconfig", kubeconfig(&servers));
    let all = [
        "scan",
        "--all-contexts",
        "--no-helm",
        "--timeout",
        "3",
        "--parallel",
        "7",
        "-o",
        "json",
    ];
    let found = outdated.run_with(&file, &all).expect(5).json();
    let verdicts: Vec<_> = found["clusters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cluster| (&cluster["context"], &cluster["verdict"]))
        .collect();
    for ((name, _), (context, verdict)) in servers.iter().zip(&verdicts) {
        assert_eq!(
            (*context, *verdict),
            (&json!(name), &json!(name)),
            "{found:#}"
        );
    }
    // Named contexts, one by one: findings are 1, and clusters that cannot be read 5.
    let two = [
        "scan",
        "--no-helm",
        "--context",
        "clean",
        "--context",
        "outdated",
        "--parallel",
        "1",
    ];
    let text = outdated.run_with(&file, &two).expect(1).out;
    assert!(
        text.contains("outdated: requests for flowschemas"),
        "{text}"
    );
    outdated
        .run_with(&file, &["scan", "--no-helm", "--context", "clean"])
        .expect(0);
    let nowhere = ["scan", "--no-helm", "--context", "nowhere"];
    let text = outdated.run_with(&file, &nowhere).expect(5).out;
    assert!(
        text.contains("the context `nowhere` does not exist"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_helm_keeps_in_old_versions() {
    let manifest = |version: &str| {
        format!(
            "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: hidden\nstringData:\n  password: hunter2\n---\n{}",
            crate::level(version, "batch", 5)
        )
    };
    let api = Api::start(vec![
        ("/api/v1/secrets", vec![
            secret("team-a", "fairness", 1, "superseded", &manifest("v1beta2")),
            secret("team-a", "fairness", 2, "deployed", &manifest("v1beta3")),
            secret("team-b", "fresh", 7, "deployed", &manifest("v1")),
            json!({"metadata": {"name": "odd", "namespace": "team-c"}, "data": {"release": "aGVsbG8="}}),
        ]),
        ("/api/v1/configmaps", vec![config_map("team-d", "legacy", 3, "deployed", &manifest("v1beta2"))]),
    ])
    .await;
    let cluster = Cluster::of("1.31").await;
    let file = cluster.file("other", &kubeconfig(&[("helm", api.url.clone())]));
    let ran = cluster.run_with(&file, &["scan", "-o", "json"]).expect(5);
    assert!(!ran.out.contains("hunter2") && !ran.err.contains("hunter2"));
    let found = ran.json();
    let here = &found["clusters"][0];
    assert_eq!(here["verdict"], "outdated", "{found:#}");
    let short: Vec<_> = here["helm"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kept| {
            let word = |member: &str| kept[member].as_str().unwrap();
            let object = &kept["objects"][0];
            format!(
                "{} {}/{} {} {} {}: {} {}",
                word("storage"),
                word("namespace"),
                word("release"),
                kept["revision"],
                word("status"),
                word("fails"),
                object["name"].as_str().unwrap(),
                object["version"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        short,
        [
            "Secret team-a/fairness 1 superseded rollback: batch v1beta2",
            "Secret team-a/fairness 2 deployed upgrade: batch v1beta3",
            "ConfigMap team-d/legacy 3 deployed upgrade: batch v1beta2",
        ]
    );
    assert_eq!(here["unread"][0]["what"], "Secret team-c/odd");
    let text = cluster.run_with(&file, &["scan"]).expect(5).out;
    // The server serves v1 and v1beta3.
    assert!(text.contains("team-a/fairness revision 2 (deployed, Secret): PriorityLevelConfiguration \"batch\" in v1beta3; `helm upgrade` fails from Kubernetes 1.32"), "{text}");
    assert!(
        text.contains("in v1beta2; `helm upgrade` fails now"),
        "{text}"
    );
    assert!(
        text.contains("in v1beta2; only `helm rollback` to it fails now"),
        "{text}"
    );
    // Each list was read in pages, and by name of the tool.
    let requests = api.requests();
    let paged = requests
        .iter()
        .any(|request| request.contains("/api/v1/secrets?") && request.contains("&continue=2"));
    assert!(paged, "{requests:?}");
    assert!(
        requests
            .iter()
            .all(|request| request.contains("kubectl-flowcontrol/")),
        "{requests:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_still_writes_is_told_apart_from_history() {
    let schema = |name: &str, time: &str| {
        let entry = json!({
            "manager": name, "operation": "Update", "time": time, "fieldsType": "FieldsV1", "fieldsV1": {},
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3",
        });
        json!({"metadata": {"name": name, "managedFields": [entry]}, "spec": {"priorityLevelConfiguration": {"name": "x"}}})
    };
    let schemas = vec![
        schema("busy", "2026-01-01T00:00:00Z"),
        schema("retired", "2024-01-01T00:00:00Z"),
    ];
    let path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
    let api = Api::start(vec![(path, schemas)]).await;
    let cluster = Cluster::of("1.31").await;
    let file = cluster.file("other", &kubeconfig(&[("busy", api.url.clone())]));
    // Helm's storage is forbidden, and everything else is reported.
    let found = cluster
        .run_with(&file, &["scan", "-o", "json"])
        .expect(5)
        .json();
    let here = &found["clusters"][0];
    assert_eq!(here["verdict"], "outdated");
    assert_eq!(here["requestedSince"], "2025-06-15T15:06:40Z");
    assert_eq!(
        (&here["writers"][0]["manager"], &here["writers"][1]),
        (&json!("busy"), &Value::Null)
    );
    assert_eq!(
        (&here["history"][0]["manager"], &here["history"][1]),
        (&json!("retired"), &Value::Null)
    );
    assert_eq!(here["unread"][0]["verdict"], "forbidden");
    assert_eq!(here["unread"].as_array().unwrap().len(), 2);
    let text = cluster
        .run_with(&file, &["scan", "--no-helm"])
        .expect(1)
        .out;
    assert!(text.contains("still writes: busy in v1beta3"), "{text}");
    assert!(text.contains("history: retired in v1beta3"), "{text}");
}

/// An aggregated API server in the Deployment `webhook`.
fn webhook() -> Vec<(&'static str, Vec<Value>)> {
    let labels = json!({"app": "webhook"});
    let service = json!({"namespace": "cert-manager", "name": "webhook-example", "port": 443});
    let pod = json!({"serviceAccountName": "webhook", "containers": [{"name": "a", "image": "registry.example/webhook:v1"}]});
    vec![
        (
            "/apis/apiregistration.k8s.io/v1/apiservices",
            vec![
                json!({"metadata": {"name": "v1alpha1.acme.example.com"}, "spec": {"service": service}}),
            ],
        ),
        (
            "/api/v1/namespaces/cert-manager/services/webhook-example",
            vec![json!({"metadata": {"name": "webhook-example"}, "spec": {"selector": labels}})],
        ),
        (
            "/apis/apps/v1/namespaces/cert-manager/deployments",
            vec![json!({
                "metadata": {"name": "webhook"},
                "spec": {"template": {"metadata": {"labels": {"app": "webhook", "tier": "a"}}, "spec": pod}},
            })],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn aggregated_api_servers_are_named_as_callers() {
    let api = Api::start(webhook()).await;
    let cluster = Cluster::of("1.31").await;
    let file = cluster.file("other", &kubeconfig(&[("a", api.url.clone())]));
    let scan = ["scan", "--no-helm"];
    let text = cluster.run_with(&file, &scan).expect(1).out;
    let caller = "Deployment cert-manager/webhook (registry.example/webhook:v1), the API server of APIService v1alpha1.acme.example.com";
    assert!(
        text.contains(&format!("may be a caller: {caller}\n")),
        "{text}"
    );
    let fix = "API servers built with k8s.io/apiserver 0.26 to 0.28 request v1beta3 by themselves: upgrade them to a release with 0.29 or later";
    assert!(text.contains(fix), "{text}");
    assert!(
        text.contains("--enable-priority-and-fairness=false"),
        "{text}"
    );
    // The audit log is certain.
    let event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "1", "stage": "ResponseComplete", "verb": "list",
        "user": {"username": "system:serviceaccount:cert-manager:webhook"}, "userAgent": "webhook/v0.0.0",
        "objectRef": {"resource": "flowschemas", "apiGroup": "flowcontrol.apiserver.k8s.io", "apiVersion": "v1beta3"},
        "responseStatus": {"code": 200},
    });
    let log = cluster.file("audit.log", &event.to_string());
    let with_log = [&scan[..], &["--audit-log", &log]].concat();
    let text = cluster.run_with(&file, &with_log).expect(1).out;
    assert!(
        text.contains(&format!("requests v1beta3: {caller}\n")),
        "{text}"
    );
    let with_json = [&with_log[..], &["-o", "json"]].concat();
    let found = cluster.run_with(&file, &with_json).expect(1).json();
    let server = &found["clusters"][0]["aggregated"][0];
    assert_eq!(server["apiServices"][0], "v1alpha1.acme.example.com");
    assert_eq!(server["service"], "cert-manager/webhook-example");
    let deployment = &server["deployments"][0];
    assert_eq!(deployment["name"], "cert-manager/webhook");
    assert_eq!(deployment["images"][0], "registry.example/webhook:v1");
    assert_eq!(
        deployment["user"],
        "system:serviceaccount:cert-manager:webhook"
    );
    assert_eq!(server["requests"], json!(["v1beta3"]));
}

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
            "--kubernetes",
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
            let policy = "the audit log has no events of flowcontrol.apiserver.k8s.io, so its policy may leave them out";
            assert!(why.contains(policy), "{why}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_does_not_count_a_version_is_not_clean() {
    // v1beta3 is deprecated since 1.29: the metric of 1.28 does not count it.
    let cluster = Cluster::of("1.28").await;
    let scan = ["scan", "--no-helm", "--kubernetes", "1.32", "-o", "json"];
    let found = cluster.run(&scan).expect(5).json();
    let here = &found["clusters"][0];
    assert_eq!(here["verdict"], "incomplete");
    assert_eq!(here["writers"], json!([]), "the server itself is no client");
    let unread = &here["unread"][0];
    assert_eq!(unread["what"], "requests in v1beta3");
    let why = "Kubernetes 1.28 does not count them, because v1beta3 is deprecated since 1.29";
    assert!(unread["error"].as_str().unwrap().contains(why), "{unread}");
    let text = cluster.run(&scan[..4]).expect(5).out;
    assert!(
        text.contains("not read: requests in v1beta3: Kubernetes 1.28"),
        "{text}"
    );
    assert!(!text.contains("No clients"), "{text}");
    // For a target that serves v1beta3 there is nothing to count.
    let scan = ["scan", "--no-helm", "--kubernetes", "1.31", "-o", "json"];
    let found = cluster.run(&scan).expect(0).json();
    assert_eq!(found["clusters"][0]["verdict"], "clean");
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
