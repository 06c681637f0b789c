//! Packages with manual pages, completion scripts and a plugin manifest.

use super::command;
use crate::common::Folder;
use k8s_flowcontrol_text::{parse_yaml, to_value};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn run(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn packaging() -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/package");
    script.to_str().unwrap().to_owned()
}

#[test]
fn every_visible_command_has_a_manual_page() {
    let folder = Folder::new();
    let mut man = command("kubectl-flowcontrol");
    man.args(["man", &folder.path("man1")]);
    run(man);
    let pages = std::fs::read_dir(folder.path("man1")).unwrap();
    let pages: Vec<_> = pages
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    for command in ["", "-migrate", "-scan", "-get"] {
        let page = format!("kubectl-flowcontrol{command}.1");
        assert!(pages.contains(&page), "{page}: {pages:?}");
        let text = std::fs::read_to_string(folder.path(&format!("man1/{page}"))).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{text}");
    }
    assert!(pages.iter().all(|page| !page.contains("__")), "{pages:?}");
    let text = std::fs::read_to_string(folder.path("man1/kubectl-flowcontrol-migrate.1")).unwrap();
    assert!(text.contains("\\fB\\-\\-check\\fR"), "{text}");
}

#[test]
fn packages_contain_everything_and_krew_finds_them() {
    let folder = Folder::new();
    // A small program in the place of the real one.
    let program = env!("CARGO_BIN_EXE_kubectl-flowcontrol");
    let native = folder.file("native", format!("#!/bin/sh\nexec '{program}' \"$@\"\n"));
    run({
        let mut chmod = Command::new("chmod");
        chmod.args(["+x", &native]);
        chmod
    });
    let dist = folder.path("dist");
    for (os, architecture) in [("linux", "amd64"), ("windows", "arm64")] {
        let mut package = Command::new(packaging());
        package.args([&native, "1.2.3", os, architecture, &dist]);
        run(package);
    }
    let mut tar = Command::new("tar");
    tar.args([
        "-tzf",
        &format!("{dist}/kubectl-flowcontrol-1.2.3-linux-amd64.tar.gz"),
    ]);
    let listed = run(tar);
    for path in [
        "./kubectl-flowcontrol",
        "./kubectl_complete-flowcontrol",
        "./LICENSE",
        "./man/kubectl-flowcontrol-migrate.1",
        "./completions/kubectl-flowcontrol.bash",
        "./completions/_kubectl-flowcontrol",
        "./completions/kubectl-flowcontrol.fish",
    ] {
        assert!(listed.lines().any(|line| line == path), "{path}: {listed}");
    }
    let manifest = std::fs::read(format!("{dist}/flowcontrol.yaml")).unwrap();
    let manifest: Value = to_value(parse_yaml(&manifest).unwrap().tree.root()).unwrap();
    assert_eq!(manifest["kind"], "Plugin");
    assert_eq!(manifest["spec"]["version"], "v1.2.3");
    let platforms = manifest["spec"]["platforms"].as_array().unwrap();
    let platform = |index: usize| {
        let labels = &platforms[index]["selector"]["matchLabels"];
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        (
            word(&labels["os"]),
            word(&labels["arch"]),
            word(&platforms[index]["bin"]),
        )
    };
    let expected = |os: &str, architecture: &str, bin: &str| {
        (os.to_owned(), architecture.to_owned(), bin.to_owned())
    };
    assert_eq!(
        platform(0),
        expected("linux", "amd64", "kubectl-flowcontrol")
    );
    assert_eq!(
        platform(1),
        expected("windows", "arm64", "kubectl-flowcontrol.exe")
    );
    let mut check = Command::new("sha256sum");
    check.arg(format!(
        "{dist}/kubectl-flowcontrol-1.2.3-linux-amd64.tar.gz"
    ));
    let sum = run(check);
    assert_eq!(platforms[0]["sha256"], sum.split(' ').next().unwrap());
}
