//! `get`, `describe`, `watch`, `whoami` and `top`.

use crate::cluster::{Cluster, level};
use k8s_flowcontrol::meta::Status;
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[tokio::test(flavor = "multi_thread")]
async fn get_in_every_form_and_version() {
    let cluster = Cluster::of("1.31").await;
    cluster
        .level(json!({"name": "batch", "labels": {"team": "a"}}), 5, "me")
        .await;
    let all = cluster.run(&["get"]).expect(0).out;
    let mut heads = all.lines().filter(|line| line.starts_with("NAME "));
    assert!(heads.next().unwrap().contains("MATCHINGPRECEDENCE"));
    assert_eq!(
        heads.next().unwrap().split_whitespace().collect::<Vec<_>>(),
        [
            "NAME",
            "TYPE",
            "SHARES",
            "NOMINAL",
            "LENDABLE",
            "BORROWING",
            "AGE",
            "HEALTH"
        ]
    );
    let row = |text: &str| -> Vec<String> {
        let line = text
            .lines()
            .find(|line| line.starts_with("batch "))
            .unwrap();
        line.split_whitespace().map(str::to_owned).collect()
    };
    // 5 of 250 shares of 600 seats; no flow schema uses the level.
    assert_eq!(
        row(&all)[..7],
        ["batch", "Limited", "5", "12", "0", "no", "limit"]
    );
    assert!(all.contains(" warning: unused-level\n"), "{all}");
    let rows = cluster.run(&["get", "plc", "--no-headers"]).expect(0).out;
    assert!(!rows.contains("NAME") && rows.contains("batch "), "{rows}");
    let loaded = cluster
        .run(&["get", "plc/batch", "--show-load"])
        .expect(0)
        .out;
    assert!(loaded.contains("INUSE   EXECUTING   WAITING"), "{loaded}");
    let wide = cluster.run(&["get", "plc", "-o", "wide"]).expect(0).out;
    assert_eq!(row(&wide).last().unwrap(), "<none>");
    assert!(
        wide.lines()
            .any(|line| line.starts_with("system ") && line.ends_with("the API server"))
    );
    let names = cluster
        .run(&["get", "plc", "-l", "team=a", "-o", "name"])
        .expect(0)
        .out;
    let name = "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/batch\n";
    assert_eq!(names, name);
    let object = cluster.object("plc/batch");
    assert_eq!(object["apiVersion"], "flowcontrol.apiserver.k8s.io/v1");
    assert_eq!(object["spec"]["limited"]["nominalConcurrencyShares"], 5);
    let old = ["get", "plc/batch", "--api-version", "v1beta3", "-o", "yaml"];
    let ran = cluster.run(&old).expect(0);
    assert!(
        ran.out
            .starts_with("apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n"),
        "{}",
        ran.out
    );
    // The server warns, once.
    assert_eq!(
        ran.err
            .matches("v1beta3 PriorityLevelConfiguration is deprecated")
            .count(),
        1,
        "{}",
        ran.err
    );
    let list = cluster.run(&["get", "-o", "json"]).expect(0).json();
    assert_eq!(list["kind"], "List");
    assert!(list["items"].as_array().unwrap().len() > 10);

    let ran = cluster.run(&["get", "--api-version", "v1beta2"]).expect(5);
    assert!(ran.err.contains("it serves v1 and v1beta3"), "{}", ran.err);
    let ran = cluster.run(&["get", "plc/bat"]).expect(5);
    assert!(ran.err.contains("did you mean `batch`?"), "{}", ran.err);
    // The others are printed.
    let ran = cluster
        .run(&["get", "plc/bat", "plc/batch", "-o", "name"])
        .expect(5);
    assert_eq!(
        ran.out,
        "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/batch\n"
    );
    let ignored = [
        "get",
        "plc/bat",
        "plc/batch",
        "-o",
        "name",
        "--ignore-not-found",
    ];
    assert_eq!(cluster.run(&ignored).expect(0).err, "");
    let ran = cluster
        .run(&["get", "plc/bat", "--ignore-not-found"])
        .expect(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    let yaml = cluster
        .run(&["get", "plc/batch", "-o", "yaml"])
        .expect(0)
        .out;
    assert!(!yaml.contains("managedFields"), "{yaml}");
    let yaml = cluster.run(&["get", "plc/batch", "-o", "yaml", "--show-managed-fields"]);
    assert!(yaml.expect(0).out.contains("managedFields"));
    cluster.run(&["get", "pods"]).expect(2);
    let ran = cluster.run(&["get", "plc", "-l", "team=none"]).expect(0);
    assert_eq!(
        (ran.out.as_str(), ran.err.as_str()),
        ("", "no objects found\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn describe_says_what_objects_mean() {
    let cluster = Cluster::of("1.31").await;
    let text = cluster
        .run(&["describe", "plc/workload-low", "fs/service-accounts"])
        .expect(0)
        .out;
    assert!(text.contains("Managed by:       the API server"), "{text}");
    // 100 of 245 shares of 600 seats.
    assert!(text.contains("245"), "{text}");
    assert!(text.contains("service-accounts"), "{text}");
    // The others are described.
    let ran = cluster
        .run(&["describe", "plc/missing", "plc/exempt"])
        .expect(5);
    assert!(ran.out.contains("Name:             exempt"), "{}", ran.out);
    assert!(ran.err.contains("\"missing\" not found"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_shows_what_changes() {
    let cluster = Cluster::start(ApiServer::builder().bootstrap(false)).await;
    cluster.level(json!({"name": "batch"}), 5, "me").await;
    let ran = cluster
        .run(&[
            "get",
            "-w",
            "--output-watch-events",
            "plc",
            "--count",
            "1",
            "-o",
            "json",
        ])
        .expect(0);
    let line = ran.json();
    assert_eq!(
        (&line["event"], &line["schemaVersion"]),
        (&json!("ADDED"), &json!(1))
    );
    assert_eq!(line["object"]["metadata"]["name"], "batch");

    let ran = cluster.run(&["get", "plc", "--count", "1"]).expect(2);
    assert!(ran.err.contains("--watch"), "{}", ran.err);

    let kubeconfig = cluster.folder.path("kubeconfig");
    let mut child = crate::cluster::program()
        .args([
            "get",
            "-w",
            "--output-watch-events",
            "plc",
            "--count",
            "3",
            "--kubeconfig",
            &kubeconfig,
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || tokio::task::block_in_place(|| lines.next().unwrap().unwrap());
    assert_eq!(next(), "ADDED    prioritylevelconfiguration/batch");
    cluster.run(&["tune", "batch", "9"]).expect(0);
    let line = next();
    assert!(
        line.starts_with("MODIFIED prioritylevelconfiguration/batch: "),
        "{line}"
    );
    assert!(
        line.contains("spec.limited.nominalConcurrencyShares 5 -> 9"),
        "{line}"
    );
    cluster.run(&["delete", "plc/batch"]).expect(0);
    assert_eq!(next(), "DELETED  prioritylevelconfiguration/batch");
    assert!(
        tokio::task::block_in_place(|| child.wait())
            .unwrap()
            .success()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn watching_an_object_that_does_not_exist_is_an_error() {
    let cluster = Cluster::of("1.31").await;
    let ran = cluster
        .run(&["get", "-w", "--output-watch-events", "fs/nope"])
        .expect(5);
    assert!(ran.err.contains("\"nope\" not found"), "{}", ran.err);
    cluster.run(&["get", "fs/nope", "--watch"]).expect(5);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_shows_changes_after_the_objects() {
    let cluster = Cluster::start(ApiServer::builder().bootstrap(false)).await;
    cluster.level(json!({"name": "batch"}), 5, "me").await;
    let kubeconfig = cluster.folder.path("kubeconfig");
    let mut child = crate::cluster::program()
        .args(["get", "plc", "-w", "--kubeconfig", &kubeconfig])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || tokio::task::block_in_place(|| lines.next().unwrap().unwrap());
    assert!(next().starts_with("NAME "));
    assert!(next().starts_with("batch   Limited   5 "));
    cluster.run(&["tune", "plc/batch", "9"]).expect(0);
    assert!(next().starts_with("batch   Limited   9 "));
    child.kill().unwrap();
    tokio::task::block_in_place(|| child.wait()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn whoami_of_a_watch_does_not_wait_for_its_end() {
    let cluster = Cluster::of("1.31").await;
    let path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?watch=true";
    let ran = cluster
        .run(&["whoami", path, "--request-timeout", "30s"])
        .expect(0);
    assert!(
        ran.out.contains(&format!("GET {path}   200")),
        "{}",
        ran.out
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn top_without_the_dump_leaves_deleted_levels_out() {
    let cluster = Cluster::of("1.31").await;
    let fault = Fault::status(404, Status::default());
    cluster
        .server
        .inject(fault.on_path("dump_priority_levels").times(2));
    let levels = cluster.run(&["top", "-o", "json"]).expect(0).json();
    let names = levels["levels"].as_array().unwrap();
    assert!(names.iter().any(|level| level["name"] == "workload-low"));
    // A failed connection does not count as missing permissions.
    let kubeconfig = cluster.folder.path("kubeconfig");
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    let address = crate::common::closed_address();
    let text = text.replace(&cluster.server.url(), &format!("http://{address}"));
    let file = cluster.file("refused", &text);
    let ran = cluster.run_with(&file, &["top"]).expect(5);
    assert!(!ran.err.contains("rbac"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoami_resolves_the_names() {
    let cluster = Cluster::of("1.31").await;
    let found = cluster.run(&["whoami", "-o", "json"]).expect(0).json();
    let request = &found["requests"][1];
    assert_eq!(request["code"], 200);
    // Without tokens every user is in system:masters.
    assert_eq!(
        (&request["flowSchema"], &request["priorityLevel"]),
        (&json!("exempt"), &json!("exempt"))
    );
    let text = cluster.run(&["whoami", "/nothing/here"]).expect(0).out;
    assert!(
        text.contains("GET /nothing/here") && text.contains("404"),
        "{text}"
    );
    let ran = cluster.run(&["whoami", "no path"]).expect(5);
    assert!(ran.err.contains("begins with `/`"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn top_shows_levels_and_who_answered() {
    let cluster = Cluster::of("1.31").await;
    let text = cluster.run(&["top"]).expect(0).out;
    assert!(
        text.lines().any(|line| line.starts_with("workload-low ")),
        "{text}"
    );
    assert!(
        text.contains("1 API server responded, reached by its address"),
        "{text}"
    );
    let found = cluster.run(&["top", "-o", "json"]).expect(0).json();
    assert_eq!(found["schemaVersion"], 1);
    assert_eq!(found["servers"].as_array().unwrap().len(), 1);
    let levels = found["levels"].as_array().unwrap();
    let low = levels
        .iter()
        .find(|level| level["name"] == "workload-low")
        .unwrap();
    assert_eq!(low["waiting"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn levels_of_a_server_that_speaks_old_versions_only() {
    let cluster = Cluster::of("1.25").await;
    let manifest = cluster.file("batch.yaml", &level("v1", "batch", 8));
    let ran = cluster.run(&["apply", "-f", &manifest]).expect(0);
    assert_eq!(ran.out, "prioritylevelconfiguration/batch created\n");
    let object = cluster.object("plc/batch");
    assert_eq!(object["apiVersion"], "flowcontrol.apiserver.k8s.io/v1beta2");
    assert_eq!(object["spec"]["limited"]["assuredConcurrencyShares"], 8);
    let table = cluster.run(&["get", "plc/batch"]).expect(0).out;
    assert!(
        table
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("batch   Limited   8 "),
        "{table}"
    );
}
