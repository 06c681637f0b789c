//! `migrate` and `plan`, as people and scripts run them.

mod causes;
mod checks;
mod dependencies;
mod files;
mod git;
mod hooks;
mod listing;
mod planning;
#[cfg(unix)]
mod rendering;
mod runs;
mod safety;
mod selection;

use crate::common::schema;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An empty folder of the test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("migrate")
        .join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn fixture(name: &str) -> String {
    fs::read_to_string(fixtures().join(name)).unwrap()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests/tests/fixtures")
}

/// A run in a folder.
fn run(folder: &Path, arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("KUBECONFIG")
        .output()
        .unwrap();
    if let Some(name) = schema::name_of(arguments) {
        schema::check(name, &output.stdout);
    }
    Ran::from(output)
}

/// The output of a run.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A level in v1beta2.
fn level(name: &str) -> String {
    format!(
        "apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\nkind: PriorityLevelConfiguration\nmetadata:\n  name: {name}\nspec:\n  type: Limited\n  limited:\n    assuredConcurrencyShares: 5\n    limitResponse:\n      type: Reject\n"
    )
}

fn migrated(text: &str) -> String {
    text.replace("k8s.io/v1beta2", "k8s.io/v1")
        .replace("assured", "nominal")
}

/// Writes a file of a folder.
fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Applies a patch with git.
fn apply(folder: &Path, patch: &str, options: &[&str]) -> std::process::ExitStatus {
    let file = folder.join("changes.patch");
    fs::write(&file, patch).unwrap();
    let status = Command::new("git")
        .arg("apply")
        .args(options)
        .arg("changes.patch")
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
        .status();
    fs::remove_file(&file).unwrap();
    status.unwrap()
}
