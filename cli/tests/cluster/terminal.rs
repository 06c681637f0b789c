//! Tables on a terminal of 60 columns.

use crate::cluster::Cluster;
use serde_json::json;
use std::process::Command;

/// Runs the program on a terminal, after a command of the shell.
fn on_terminal(cluster: &Cluster, before: &str, arguments: &str) -> String {
    let program = env!("CARGO_BIN_EXE_kubectl-flowcontrol");
    let kubeconfig = cluster.folder.path("kubeconfig");
    let script = format!("{before}; KUBECONFIG='{kubeconfig}' NO_COLOR=1 '{program}' {arguments}");
    let mut command = Command::new("script");
    command
        .args(["-qec", &script, "/dev/null"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("COLUMNS");
    let output = tokio::task::block_in_place(|| command.output().unwrap());
    String::from_utf8(output.stdout)
        .unwrap()
        .replace("\r\n", "\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn no_table_is_wider_than_the_terminal() {
    let cluster = Cluster::of("1.37").await;
    let labels = json!({"name": "a-level-with-a-name-of-40-characters-or-so"});
    cluster.level(labels, 5, "me").await;
    for (command, expected) in [
        ("seats --live", "workload-low"),
        ("seats --live --compare examples/batch.yaml", "→"),
        ("get", "a-level-with-a-name"),
        ("get -o wide", "QUEUELENGTHLIMIT"),
        ("get plc --show-load", "WAITING"),
        ("top --once", "EXECUTING"),
        ("whoami", "PRIORITYLEVEL"),
        ("scan --no-helm", "VERDICT"),
        ("plan --from-release 1.27 examples", "APPLY"),
        ("simulate --load examples/load.yaml", "RETRIED"),
        (
            "create protect sa flux-system/kustomize-controller --at-least 20 2>&1 >/dev/null",
            "AFTER",
        ),
    ] {
        for before in ["export COLUMNS=60", "stty rows 24 cols 60"] {
            let text = on_terminal(&cluster, before, command);
            // Progress is on the same line as the text after it.
            let lines = text
                .lines()
                .map(|line| line.rsplit("\u{1b}[K").next().unwrap());
            let is_command = |line: &str| line.starts_with("kubectl flowcontrol");
            let is_wide = |line: &&str| line.chars().count() > 60 && !is_command(line);
            let wide: Vec<_> = lines.filter(is_wide).collect();
            assert!(wide.is_empty(), "{command}: {wide:#?}");
            assert!(text.contains(expected), "{command}: {text}");
        }
    }
    let wide = on_terminal(&cluster, "export COLUMNS=200", "seats --live");
    assert!(wide.lines().next().unwrap().ends_with("BAR"), "{wide}");
}
