//! `scan`.

mod api;
mod audit;
mod clusters;
mod extension_servers;

use crate::cluster::Cluster;
use api::{Api, config_map, secret};
use k8s_flowcontrol::api::v1beta3;
use k8s_flowcontrol_server::ApiServer;
use serde_json::{Value, json};

/// A kubeconfig with a context for each server.
fn kubeconfig(servers: &[(&str, String)]) -> String {
    let list = |of: fn(&str, &str) -> Value| -> Vec<_> {
        servers.iter().map(|(name, url)| of(name, url)).collect()
    };
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": servers[0].0,
        "clusters": list(|name, url| json!({"name": name, "cluster": {"server": url, "insecure-skip-tls-verify": url.starts_with("https")}})),
        "contexts": list(|name, _| json!({"name": name, "context": {"cluster": name, "user": name}})),
        "users": list(|name, _| json!({"name": name, "user": {"token": format!("{name}-token")}})),
    })
    .to_string()
}

/// A client that sends requests in v1beta3.
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
async fn the_clients_that_a_downgrade_breaks_are_not_looked_for() {
    let cluster = Cluster::of("1.31").await;
    let older = cluster.run(&["scan", "--no-helm", "--to-release", "1.28", "-o", "json"]);
    let report = older.json();
    assert_eq!(report["clusters"][0]["verdict"], "incomplete");
    assert_eq!(report["clusters"][0]["unread"][0]["what"], "requests in v1");
    assert_ne!(older.code, 0);
    // 1.29 serves v1, too.
    cluster
        .run(&["scan", "--no-helm", "--to-release", "1.29"])
        .expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_told_apart_from_history() {
    let cluster = Cluster::of("1.31").await;
    let manifest = cluster.file("old.yaml", &crate::cluster::level("v1beta3", "batch", 5));
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
    let near = ["scan", "--no-helm", "--to-release", "1.31", "-o", "json"];
    let found = cluster.run(&near).expect(0).json();
    assert_eq!(found["clusters"][0]["history"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_helm_keeps_in_old_versions() {
    let manifest = |version: &str| {
        format!(
            "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: hidden\nstringData:\n  password: hunter2\n---\n{}",
            crate::cluster::level(version, "batch", 5)
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

/// `cli/tests/fixtures/helm/README.md` has the errors of these versions of Helm on a server without v1beta3.
#[tokio::test(flavor = "multi_thread")]
async fn releases_that_helm_itself_wrote() {
    for recorded in [
        include_str!("../fixtures/helm/releases-3.17.3.json"),
        include_str!("../fixtures/helm/releases-4.1.4.json"),
    ] {
        let secrets: Vec<Value> = serde_json::from_str(recorded).unwrap();
        let api = Api::start(vec![("/api/v1/secrets", secrets)]).await;
        let cluster = Cluster::of("1.31").await;
        let file = cluster.file("other", &kubeconfig(&[("helm", api.url.clone())]));
        let text = cluster.run_with(&file, &["scan"]).expect(5).out;
        let object = "Secret): PriorityLevelConfiguration \"batch\" in v1beta3";
        for expected in [
            format!(
                "team-a/fairness revision 1 (superseded, {object}; only `helm rollback` to it fails from Kubernetes 1.32"
            ),
            format!(
                "team-a/fairness revision 2 (deployed, {object}; `helm upgrade` fails from Kubernetes 1.32"
            ),
        ] {
            assert!(text.contains(&expected), "{expected}\n{text}");
        }
    }
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

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_does_not_count_a_version_is_not_clean() {
    // v1beta3 is deprecated since 1.29: the metric of 1.28 does not count it.
    let cluster = Cluster::of("1.28").await;
    let scan = ["scan", "--no-helm", "--to-release", "1.32", "-o", "json"];
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
    let scan = ["scan", "--no-helm", "--to-release", "1.31", "-o", "json"];
    let found = cluster.run(&scan).expect(0).json();
    assert_eq!(found["clusters"][0]["verdict"], "clean");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_does_not_name_its_release() {
    let version = json!({"major": "", "minor": "", "gitVersion": "custom"});
    let api = Api::start(vec![("/version", vec![version])]).await;
    let server = ["-s", &api.url.clone()["http://".len()..]];
    let run = |arguments: &[&str]| {
        let output =
            tokio::task::block_in_place(|| crate::common::run(&[arguments, &server].concat()));
        (
            crate::common::code(&output),
            crate::common::stdout(&output),
            crate::common::stderr(&output),
        )
    };
    let (_, out, _) = run(&["scan", "--no-helm", "-o", "json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    let unread = report["clusters"][0]["unread"].to_string();
    assert!(unread.contains("the release of the cluster"), "{out}");
    let (_, out, _) = run(&["scan", "--no-helm", "-o", "json", "--kubernetes", "1.31"]);
    assert!(!out.contains("the release of the cluster"), "{out}");
    // The oldest release with v1 is assumed.
    let matches = ["match", "--live", "--user", "a", "--resource", "pods"];
    for command in [&matches[..], &["get", "fs"]] {
        let (code, _, err) = run(command);
        assert_eq!(code, 0, "{err}");
        let note = "note: the cluster names the release `custom`, which is not a known one: the rules of Kubernetes 1.29 apply; `--kubernetes` sets another";
        assert_eq!(
            err.matches(note).count(),
            if command[0] == "match" { 1 } else { 0 },
            "{err}"
        );
        let (_, _, err) = run(&[command, &["--kubernetes", "1.30"]].concat());
        assert!(!err.contains("not a known one"), "{err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_run_once_for_each_context() {
    let (one, two) = (Cluster::of("1.31").await, Cluster::of("1.29").await);
    two.level(json!({"name": "second"}), 5, "me").await;
    let servers = [
        ("one", one.server.url().to_owned()),
        ("two", two.server.url().to_owned()),
    ];
    let file = one.file("both", &kubeconfig(&servers));
    for contexts in [
        &["--all-contexts"][..],
        &["--context", "one", "--context=two"],
    ] {
        let ran = one
            .run_with(&file, &[&["get", "plc"][..], contexts].concat())
            .expect(0);
        let (first, second) = ran.out.split_once("context two:\n").unwrap();
        assert!(first.starts_with("context one:\nNAME"), "{first}");
        assert!(
            !first.contains("second") && second.contains("second"),
            "{second}"
        );
    }
    // Flags of contexts stand between other words; after `--`, words are not flags.
    let run = |words: &str| {
        let mut command = crate::common::program();
        command.args(words.split(' ')).env("KUBECONFIG", &file);
        let output = tokio::task::block_in_place(|| command.output().unwrap());
        (
            crate::common::code(&output),
            crate::common::stdout(&output),
            crate::common::stderr(&output),
        )
    };
    let (_, out, _) = run("get --context one plc --context=two -o name -- exempt");
    let name = "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/exempt\n";
    assert_eq!(out, format!("context one:\n{name}context two:\n{name}"));
    assert_eq!(run("get --context one plc exempt -o name").1, name);
    let (code, out, err) = run("get -- --context one --context two");
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(err.matches("unknown kind `--context`").count(), 1, "{err}");
    // An earlier name of the command, behind a global flag.
    let (code, out, _) = run("--color never limits --all-contexts");
    assert_eq!((code, out.matches("context ").count()), (0, 2), "{out}");
    // A level without flow schemas is a finding, in either cluster.
    let ran = one.run_with(&file, &["lint", "--live", "--all-contexts", "-o", "json"]);
    let ran = ran.expect(1);
    let reports = serde_json::Deserializer::from_str(&ran.out).into_iter::<Value>();
    let reports: Vec<_> = reports.map(Result::unwrap).collect();
    let contexts: Vec<_> = reports.iter().map(|report| &report["context"]).collect();
    assert_eq!(contexts, ["one", "two"]);
    let findings = |at: usize| reports[at]["findings"].to_string();
    assert!(!findings(0).contains("second") && findings(1).contains("second"));
    // One cluster that is gone does not hide the other.
    let gone = [
        ("gone", "http://127.0.0.1:1".to_owned()),
        ("two", two.server.url().to_owned()),
    ];
    let file = one.file("gone", &kubeconfig(&gone));
    let ran = one.run_with(&file, &["seats", "--all-contexts"]).expect(5);
    assert!(ran.out.contains("second"), "{}", ran.out);
    // A command for one cluster takes one context.
    one.run_with(&file, &["tune", "second", "5", "--all-contexts"])
        .expect(2);
}
