//! `serve` as a process, and commands that talk to it.

#[cfg(unix)]
mod data_dir;
mod torture;

use crate::common::{Folder, Served, code, run, stderr, stdout};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::meta::ManagedFieldsEntry;
use serde_json::Value;

fn client(kubeconfig: &str) -> Client {
    Client::new(Config::builder().file(kubeconfig).build().unwrap()).unwrap()
}

#[tokio::test]
async fn manifests_are_there_when_the_address_is_printed() {
    let served = Served::start(&["-f", "examples/batch.yaml", "-f", "examples/old.yaml"]);
    let client = Client::from_url(&served.url).unwrap();
    let level: PriorityLevelConfiguration = client.api().get("batch").await.unwrap();
    // The last object of a name is applied, in a served version.
    assert_eq!(
        level.spec.limited.unwrap().nominal_concurrency_shares,
        Some(15)
    );
    let schema: FlowSchema = client.api().get("batch").await.unwrap();
    let entries = schema.metadata.managed_fields.entries().unwrap();
    let ours = |entry: &ManagedFieldsEntry| entry.manager.as_deref() == Some("kubectl-flowcontrol");
    assert!(entries.iter().any(ours), "{entries:?}");
    let version = client.version().await.unwrap();
    assert!(
        version.git_version.starts_with("v1.37"),
        "{}",
        version.git_version
    );
}

#[cfg(unix)]
#[tokio::test]
async fn the_kubeconfig_lets_in_and_is_private() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let kubeconfig = folder.path("kubeconfig");
    let tokens = folder.file(
        "tokens.csv",
        "admin-token,admin,admin-uid,\"system:masters\"\nbob-token,bob,bob-uid\n",
    );
    let options = [
        "--tokens",
        &tokens,
        "--write-kubeconfig",
        &kubeconfig,
        "--force",
    ];
    let served = Served::start(&options);
    assert!(served.url.starts_with("https://127.0.0.1:"));
    let mode = std::fs::metadata(&kubeconfig).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        client(&kubeconfig)
            .flow_schemas()
            .get("exempt")
            .await
            .is_ok()
    );

    // Its own file may be written again, a stranger's not.
    let again = Served::start(&options);
    assert_ne!(again.url, served.url);
    assert!(
        client(&kubeconfig)
            .flow_schemas()
            .get("exempt")
            .await
            .is_ok()
    );
    let strange = folder.file("config", "apiVersion: v1\nkind: Config\n");
    let refused = run(&["serve", "--write-kubeconfig", &strange, "--force"]);
    assert_eq!(code(&refused), 3);
    assert_eq!(stdout(&refused), "");
    assert!(
        stderr(&refused).contains("was not written by `kubectl flowcontrol serve`"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(
        std::fs::read(&strange).unwrap(),
        b"apiVersion: v1\nkind: Config\n"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_it_cleanly() {
    let mut served = Served::start(&[]);
    let process = served.child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &process])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_keeps_it_from_starting_is_said() {
    let folder = Folder::new();
    let taken = Served::start(&[]);
    let port = taken.url.rsplit(':').next().unwrap();
    let tokens = folder.file("tokens.csv", "secret,admin,1\none,two\n");
    let wrong_line = format!(
        "error: {tokens}:2: expected at least 3 columns (token, user name, user uid), found 2\n"
    );
    let empty = folder.file("empty.csv", "\n");
    let no_token = folder.file("no-token.csv", ",admin,1,\"system:masters\"\n\"\",bob,2\n");
    let unusable = |file: &str| format!("error: {file}:1: no token is usable");
    let invalid = folder.file(
        "invalid.yaml",
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: x}\nspec: {}\n",
    );
    for (options, said) in [
        (["--port", port], "choose another port"),
        (["--tokens", &tokens], &wrong_line),
        (["--tokens", &empty], &unusable(&empty)),
        (["--tokens", &no_token], &unusable(&no_token)),
        (["--tokens", "no-such-file"], "cannot read no-such-file"),
        (["-f", &invalid], "FlowSchema \"x\" was not applied"),
        (["-f", "no-such-file"], "cannot read no-such-file"),
        (["--address", "0.0.0.0"], "without TLS and tokens"),
        (["--address", "::"], "without TLS and tokens"),
    ] {
        let refused = run(&[&["serve"], options.as_slice()].concat());
        // An address without protection is a wrong command line, and not an input.
        let expected = if options[0] == "--address" { 2 } else { 3 };
        assert_eq!(code(&refused), expected, "{options:?}");
        assert_eq!(stdout(&refused), "", "{options:?}");
        assert!(
            stderr(&refused).contains(said),
            "{options:?}: {}",
            stderr(&refused)
        );
    }
}

/// As kube-apiserver does.
#[test]
fn records_without_a_token_of_their_own_are_warned_of() {
    let folder = Folder::new();
    let taken = Served::start(&[]);
    let port = taken.url.rsplit(':').next().unwrap();
    let records = "planted,admin,1\n\n\"\",bob,2\nplanted,eve,3\n";
    let tokens = folder.file("tokens.csv", records);
    let refused = run(&["serve", "--tokens", &tokens, "--port", port]);
    let printed = stderr(&refused);
    let warnings = format!(
        "warning: {tokens}:3: the record lacks a token, so nobody can use it\n\
         warning: {tokens}:4: an earlier record has the same token; this record replaces it\n"
    );
    assert!(printed.starts_with(&warnings), "{printed}");
    assert!(!printed.contains("planted"), "{printed}");
}

#[tokio::test]
async fn live_objects_are_read_in_the_best_version_and_by_the_clusters_release() {
    let folder = Folder::new();
    let kubeconfig = folder.path("kubeconfig");
    let options = [
        "--kubernetes",
        "1.28",
        "--kubeconfig",
        &kubeconfig,
        "-f",
        "examples/batch.yaml",
    ];
    let _served = Served::start(&options);
    let live = ["--live", "--kubeconfig", &kubeconfig, "-o", "json"];

    let limits = run(&[["seats"].as_slice(), &live].concat());
    assert_eq!(code(&limits), 0, "{}", stderr(&limits));
    let limits: Vec<Value> = serde_json::from_slice(&limits.stdout).unwrap();
    let batch = limits
        .iter()
        .find(|level| level["name"] == "batch")
        .unwrap();
    assert_eq!((&batch["nominal"], limits.len()), (&35.into(), 9));

    let lint = run(&[["lint"].as_slice(), &live].concat());
    let lint: Value = serde_json::from_slice(&lint.stdout).unwrap();
    assert_eq!(
        (&lint["kubernetes"], &lint["schemaVersion"]),
        (&"1.28".into(), &1.into())
    );

    let request = [
        "match",
        "--user",
        "alice",
        "--group",
        "reports",
        "--resource",
        "pods",
    ];
    let taken = run(&[request.as_slice(), &live].concat());
    let taken: Value = serde_json::from_slice(&taken.stdout).unwrap();
    assert_eq!(taken["flowSchema"], "batch");

    // 1.28 does not serve v1.
    let verdicts = run(&[["validate", "-f", "examples/batch.yaml"].as_slice(), &live].concat());
    assert_eq!(code(&verdicts), 1);
    let old = folder.file(
        "old.yaml",
        std::fs::read_to_string("examples/batch.yaml")
            .unwrap()
            .replace("io/v1", "io/v1beta3"),
    );
    let verdicts = run(&[["validate", "-f", &old].as_slice(), &live].concat());
    assert_eq!(
        code(&verdicts),
        0,
        "{}{}",
        stdout(&verdicts),
        stderr(&verdicts)
    );
}

#[test]
fn a_cluster_that_does_not_answer_is_a_result() {
    let folder = Folder::new();
    let kubeconfig = folder.path("kubeconfig");
    drop(Served::start(&["--kubeconfig", &kubeconfig]));
    let limits = run(&["seats", "--live", "--kubeconfig", &kubeconfig]);
    assert_eq!(code(&limits), 5, "{}", stderr(&limits));
    assert!(
        stderr(&limits).starts_with("error: "),
        "{}",
        stderr(&limits)
    );

    let missing = run(&["seats", "--live", "--kubeconfig", &folder.path("none")]);
    assert_eq!(code(&missing), 5);
    let missing = run(&[
        "seats",
        "--live",
        "--kubeconfig",
        &kubeconfig,
        "--context",
        "nowhere",
    ]);
    assert_eq!(code(&missing), 5);
    assert!(stderr(&missing).contains("nowhere"), "{}", stderr(&missing));
}

#[test]
fn each_token_has_a_context() {
    let folder = Folder::new();
    let tokens = folder.file(
        "tokens.csv",
        "a-token,\"smith, alice\",1,\"dev,\"\nroot-token,root,2,\"dev,system:masters\"\n",
    );
    let kubeconfig = folder.path("kubeconfig");
    let _server = Served::start(&["--tokens", &tokens, "--kubeconfig", &kubeconfig]);
    let get = |context: &[&str]| {
        let output = run(&[
            context,
            &["get", "fs", "-o", "name", "--kubeconfig", &kubeconfig],
        ]
        .concat());
        (code(&output), stderr(&output))
    };
    assert_eq!(get(&[]).0, 0);
    assert_eq!(get(&["--context", "root"]).0, 0);
    let (code, errors) = get(&["--context", "smith, alice"]);
    assert!(
        code == 5 && errors.contains("User \"smith, alice\" cannot list"),
        "{errors}"
    );
}

#[test]
fn a_forbidden_request_names_the_missing_role() {
    let folder = Folder::new();
    let kubeconfig = folder.path("kubeconfig");
    let tokens = folder.file(
        "tokens.csv",
        "root,admin,1,\"system:masters\"\nsecret,alice,2,\"dev\"\n",
    );
    let _served = Served::start(&["--tokens", &tokens, "--write-kubeconfig", &kubeconfig]);
    for (command, role) in [
        (&["get", "plc"][..], "get"),
        (&["lint", "--live"], "lint"),
        (
            &["match", "--live", "--user", "a", "--resource", "pods"],
            "match",
        ),
        (&["diagnose"], "diagnose"),
        (&["create", "exempt-probes", "--live"], "create"),
        (&["tune", "workload-low", "5"], "tune"),
    ] {
        let access = ["--kubeconfig", &kubeconfig, "--token", "secret"];
        let output = run(&[command, &access].concat());
        assert_eq!(code(&output), 5, "{command:?}: {}", stderr(&output));
        let hint =
            format!("hint: `kubectl flowcontrol rbac {role}` prints the role that is needed\n");
        assert!(
            stderr(&output).contains(&hint),
            "{command:?}: {}",
            stderr(&output)
        );
    }
}

/// The error of a library does not know the flags; the command does.
#[test]
fn other_hosts_reach_only_a_protected_server() {
    let refused = run(&["serve", "--address", "0.0.0.0", "--tls"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("hint: add `--tokens`, or `--unprotected`"),
        "{}",
        stderr(&refused)
    );
    let folder = Folder::new();
    let tokens = folder.file("tokens.csv", "root,admin,1,\"system:masters\"\n");
    let kubeconfig = folder.path("kubeconfig");
    let options = [
        "--address",
        "0.0.0.0",
        "--tokens",
        &tokens,
        "--write-kubeconfig",
        &kubeconfig,
    ];
    let served = Served::start(&options);
    assert!(
        served.url.starts_with("https://127.0.0.1:"),
        "{}",
        served.url
    );
    let get = run(&["get", "fs", "-o", "name", "--kubeconfig", &kubeconfig]);
    assert_eq!(code(&get), 0, "{}", stderr(&get));
    Served::start(&["--address", "0.0.0.0", "--unprotected"]);
}
