//! `generate`: from what a server publishes to Rust.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what is wrong by ending"
)]

use k8s_flowcontrol_server::ApiServer;
use std::path::Path;
use std::process::{Command, Output};

fn generate(kubeconfig: &Path, group: &str, out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"))
        .args(["generate", "--group", group, "--version", "v1"])
        .arg("--out")
        .arg(out)
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .output()
        .unwrap()
}

#[tokio::test]
async fn a_published_group_becomes_modules() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generate");
    let _absent = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let server = ApiServer::start().await.unwrap();
    let kubeconfig = folder.join("config");
    std::fs::write(&kubeconfig, server.kubeconfig()).unwrap();
    let out = folder.join("generated");
    // The server runs on other threads while this thread waits.
    let run = |group: &'static str| {
        let (kubeconfig, out) = (kubeconfig.clone(), out.clone());
        tokio::task::spawn_blocking(move || generate(&kubeconfig, group, &out))
    };

    let output = run("flowcontrol.apiserver.k8s.io").await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("written"), "{text}");
    let module = std::fs::read_to_string(out.join("flowcontrol_v1.rs")).unwrap();
    assert!(module.contains("::k8s_flowcontrol_types::rt::resource! {\n    FlowSchema {"));
    let output = run("flowcontrol.apiserver.k8s.io").await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("written"), "{text}");

    let output = run("nowhere.example.com").await.unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        text,
        "error: the server publishes no document of nowhere.example.com/v1\n\
         hint: it publishes flowcontrol.apiserver.k8s.io/v1\n"
    );
}
