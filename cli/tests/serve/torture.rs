//! `serve --torture`.

use crate::common::{self, Folder, Served, code, run, stderr};
use crate::serve::client;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
#[cfg(unix)]
use std::io::{BufRead, Read};

/// A running `serve --torture`, and the rest of its output.
#[cfg(unix)]
struct Tortured {
    child: std::process::Child,
    output: std::io::BufReader<std::process::ChildStdout>,
}

#[cfg(unix)]
impl Tortured {
    fn start(options: &[&str]) -> Self {
        let mut child = common::program()
            .arg("serve")
            .args(options)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut url = String::new();
        output.read_line(&mut url).unwrap();
        assert!(url.starts_with("http"), "{url}");
        Self { child, output }
    }

    /// The report that it prints after this signal.
    fn end(mut self, signal: &str) -> String {
        let id = self.child.id().to_string();
        let mut kill = std::process::Command::new("kill");
        assert!(kill.args(["-s", signal, &id]).status().unwrap().success());
        let mut report = String::new();
        self.output.read_to_string(&mut report).unwrap();
        assert!(self.child.wait().unwrap().success());
        report
    }
}

#[cfg(unix)]
#[tokio::test]
async fn torture_in_front_of_a_cluster_ends_with_a_report() {
    let folder = Folder::new();
    let tokens = folder.file("tokens.csv", "real-token,admin,1,\"system:masters\"\n");
    let [real, front] = ["real", "front"].map(|name| folder.path(name));
    let cluster = ["--tokens", &tokens, "--write-kubeconfig", &real];
    let _cluster = Served::start(&cluster);
    let options = [
        "--torture",
        "resets,header-case,tokens,slow",
        "--seed",
        "3",
        "--tls",
        "--proxy-to",
        &real,
        "--write-kubeconfig",
        &front,
        "-o",
        "json",
    ];
    let tortured = Tortured::start(&options);
    let kubeconfig = std::fs::read_to_string(&front).unwrap();
    assert!(
        kubeconfig.contains("tokenFile") && !kubeconfig.contains("real-token"),
        "{kubeconfig}"
    );
    let client = client(&front);
    for _ in 0..20 {
        let mut level = PriorityLevelConfiguration::default();
        while level.spec.r#type.as_str() != "Exempt" {
            level = client.api().get("exempt").await.unwrap_or_default();
        }
    }
    let report = tortured.end("INT");
    let report = &common::schema::check("serve", report.as_bytes())[0];
    assert_eq!(report["schemaVersion"], 1);
    assert_eq!(report["seed"], 3);
    assert_eq!(
        report["modes"],
        serde_json::json!(["resets", "slow", "tokens", "header-case"])
    );
    assert!(report["verbs"]["get"].as_u64().unwrap() >= 20, "{report}");
    assert!(report["faults"]["tokens"].as_u64().unwrap() > 0, "{report}");
    assert_eq!(report["findings"], serde_json::json!([]), "{report}");
}

#[cfg(unix)]
#[test]
fn torture_in_front_of_the_local_server_prints_text() {
    let folder = Folder::new();
    let front = folder.path("front");
    let options = [
        "--torture",
        "slow",
        "-f",
        "examples/batch.yaml",
        "--write-kubeconfig",
        &front,
    ];
    let tortured = Tortured::start(&options);
    let get = run(&["get", "plc", "batch", "-o", "name", "--kubeconfig", &front]);
    assert_eq!(code(&get), 0, "{}", stderr(&get));
    let report = tortured.end("TERM");
    assert!(report.starts_with("modes: slow (seed 0)\n"), "{report}");
    assert!(report.ends_with("no violation\n"), "{report}");
}

#[test]
fn torture_keeps_the_rules_of_exposure_and_names_its_modes() {
    for (options, expected) in [
        (
            vec!["--torture", "slow", "--address", "0.0.0.0", "--tls"],
            "hint: add `--tokens`, or `--unprotected`",
        ),
        (vec!["--torture", "tokens"], "the mode tokens needs TLS"),
        (
            vec!["--torture", "reset"],
            "`reset` is not a mode; the modes are compressed-watches, ",
        ),
        (vec!["--proxy-to", "kubeconfig"], "--torture <MODES>"),
        (
            vec!["--torture", "slow", "--proxy-to", "missing-file"],
            "missing-file",
        ),
        (
            vec![
                "--torture",
                "slow",
                "--proxy-to",
                "kubeconfig",
                "--data-dir",
                "x",
            ],
            "cannot be used with",
        ),
    ] {
        let output = run(&[&["serve"], &options[..]].concat());
        assert_ne!(code(&output), 0, "{options:?}");
        assert!(
            stderr(&output).contains(expected),
            "{options:?}: {}",
            stderr(&output)
        );
    }
}
