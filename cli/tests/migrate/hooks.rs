//! The hook for pre-commit and the action for GitHub, as these run them.

use super::{folder, level, migrated};
use k8s_flowcontrol_text::{parse_yaml, to_value};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A YAML file of the repository.
fn definition(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    let text = fs::read(path).unwrap();
    to_value(parse_yaml(&text).unwrap().tree.root()).unwrap()
}

/// Runs a command with the program in its path, and returns the exit code.
fn code(mut command: Command, folder: &Path) -> Option<i32> {
    let program = Path::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"));
    let mut path = vec![program.parent().unwrap().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    command.env("PATH", std::env::join_paths(path).unwrap());
    command.current_dir(folder).output().unwrap().status.code()
}

#[test]
fn the_hook_gets_the_names_of_changed_files() {
    let folder = folder("hook");
    fs::write(folder.join("a b.yaml"), level("a")).unwrap();
    fs::write(
        folder.join("notes.md"),
        "flowcontrol.apiserver.k8s.io/v1beta2",
    )
    .unwrap();
    let hook = &definition(".pre-commit-hooks.yaml")[0];
    assert_eq!(hook["language"], "system");
    let run = |files: &[&str]| {
        let mut words = hook["entry"].as_str().unwrap().split(' ');
        let mut command = Command::new(words.next().unwrap());
        command.args(words).args(files);
        code(command, &folder)
    };
    assert_eq!(run(&["a b.yaml", "notes.md"]), Some(1));
    assert_eq!(run(&["notes.md"]), Some(0));
    fs::write(folder.join("a b.yaml"), migrated(&level("a"))).unwrap();
    assert_eq!(run(&["a b.yaml", "notes.md"]), Some(0));
}

/// A folder as the releases of a forge: an archive with a program that runs this one, and its checksum.
#[cfg(target_os = "linux")]
fn releases(folder: &Path) -> String {
    let platform = match std::env::consts::ARCH {
        "aarch64" => "linux-arm64",
        _ => "linux-amd64",
    };
    let version = env!("CARGO_PKG_VERSION");
    let archive = format!("kubectl-flowcontrol-{version}-{platform}.tar.gz");
    let release = folder.join(format!("releases/v{version}"));
    fs::create_dir_all(&release).unwrap();
    let program = env!("CARGO_BIN_EXE_kubectl-flowcontrol");
    fs::write(
        release.join("kubectl-flowcontrol"),
        format!("#!/bin/sh\nexec '{program}' \"$@\"\n"),
    )
    .unwrap();
    let script = format!(
        "chmod +x kubectl-flowcontrol && tar -czf {archive} ./kubectl-flowcontrol && sha256sum {archive} > SHA256SUMS"
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]);
    assert_eq!(code(command, &release), Some(0));
    format!("file://{}", folder.join("releases").display())
}

#[cfg(target_os = "linux")]
#[test]
fn the_action_runs_its_steps() {
    let folder = folder("action");
    let releases = releases(&folder);
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::create_dir(folder.join("m")).unwrap();
    fs::write(folder.join("m/a.yaml"), level("a")).unwrap();
    fs::write(folder.join("b.yaml"), level("b")).unwrap();
    let action = definition("action.yml");
    let run = |paths: Option<&str>| {
        let steps = action["runs"]["steps"].as_array().unwrap().iter();
        let codes = steps.map(|step| {
            let mut command = Command::new("bash");
            command.args(["-eo", "pipefail", "-c", step["run"].as_str().unwrap()]);
            command
                .env("GITHUB_ACTION_PATH", &repository)
                .env("RUNNER_TEMP", folder.join("temp"))
                .env("GITHUB_PATH", folder.join("path"))
                .env("RELEASES", &releases);
            for (name, value) in step["env"].as_object().into_iter().flatten() {
                let input = value.as_str().unwrap().trim_start_matches("${{ inputs.");
                let input = input.trim_end_matches(" }}");
                let default = action["inputs"][input]["default"].as_str().unwrap();
                let given = paths.filter(|_| input == "paths");
                command.env(name, given.unwrap_or(default));
            }
            code(command, &folder)
        });
        codes.collect::<Vec<_>>()
    };
    assert_eq!(run(None), [Some(0), Some(1)]);
    assert_eq!(run(Some("m b.yaml")), [Some(0), Some(1)]);
    for path in ["m/a.yaml", "b.yaml"] {
        fs::write(folder.join(path), migrated(&level("a"))).unwrap();
    }
    assert_eq!(run(Some("m b.yaml")), [Some(0), Some(0)]);
    let installed = folder.join("temp/kubectl-flowcontrol");
    assert!(installed.join("kubectl-flowcontrol").is_file());
    let path = fs::read_to_string(folder.join("path")).unwrap();
    assert_eq!(path.lines().next(), installed.to_str());
}
