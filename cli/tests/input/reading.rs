//! Input has limits, whatever names it and wherever it comes from.

use crate::common::{Folder, code, program, run, stderr, stdout};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Ways to read without a separate limit.
const WAYS: [&str; 11] = [
    "File::open",
    "fs::read(",
    "fs::read_to_string",
    "read_to_end(",
    "read_to_string(",
    "read_until(",
    "read_line(",
    "stdin()",
    "BufReader::new(File",
    ".read(true)",
    "io::copy(",
];

/// The one file that has them.
const INPUT: &str = "src/input.rs";

#[test]
fn all_input_is_read_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src")];
    let (mut files, mut found) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let code = std::fs::read_to_string(&path).unwrap();
            files += 1;
            let name = path.strip_prefix(root).unwrap().display().to_string();
            for (number, line) in code.lines().enumerate() {
                if WAYS.iter().any(|way| line.contains(way)) {
                    found.push((name.clone(), number + 1, line.trim().to_owned()));
                }
            }
        }
    }
    assert!(files > 50);
    let (inside, outside): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(name, ..)| name == INPUT);
    // The patterns find what they look for.
    assert!(inside.len() >= 5);
    assert!(
        outside.is_empty(),
        "read with crate::input instead: {outside:#?}"
    );
}

/// Runs the program with an endless line as its standard input.
#[cfg(target_os = "linux")]
fn with_endless_line(arguments: &[&str]) -> Output {
    let zeros = std::fs::File::open("/dev/zero").unwrap();
    in_one_gibibyte(arguments, Stdio::from(zeros))
}

/// Runs the program, which may take 1 GiB of memory.
#[cfg(target_os = "linux")]
fn in_one_gibibyte(arguments: &[&str], input: Stdio) -> Output {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -v 1048576; exec \"$@\"", "sh"])
        .arg(program().get_program())
        .args(arguments)
        .env_remove("KUBECONFIG")
        .env("NO_COLOR", "1")
        .stdin(input);
    command.output().unwrap()
}

/// Five million objects of two bytes, in a file that is short enough, would take 2 GiB.
#[cfg(target_os = "linux")]
#[test]
fn a_list_of_empty_objects_ends_with_an_error() {
    let folder = Folder::new();
    let items = "{},".repeat(5_000_000);
    let list = format!(
        r#"{{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchemaList","items":[{items}{{}}]}}"#
    );
    let list = folder.file("list.json", list);
    for (command, expected) in [
        ("validate", "Request entity too large: limit is 3145728"),
        ("lint", "the text has more than 4000000 values"),
    ] {
        let output = in_one_gibibyte(&[command, "-f", &list], Stdio::null());
        let said = stdout(&output) + &stderr(&output);
        assert!(matches!(code(&output), 1 | 3), "{command}: {said}");
        assert!(said.contains(expected), "{command}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_without_an_end_ends_with_an_error() {
    for arguments in [
        &["cost", "--requests", "-"][..],
        &["simulate", "--scenarios", "-"],
        &["validate", "-f", "-"],
        &["lint", "-f", "-"],
    ] {
        let output = with_endless_line(arguments);
        let said = stderr(&output);
        assert_eq!(code(&output), 3, "{arguments:?}: {said}");
        assert!(said.contains("64 MiB"), "{arguments:?}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn partial_results_that_are_too_long_end_with_an_error() {
    let folder = Folder::new();
    let long = folder.file("long.json", "");
    let file = std::fs::File::options().write(true).open(&long).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    for (file, problem) in [
        (
            &*long,
            "it has 67108865 bytes (64 MiB), more than the limit of 64 MiB",
        ),
        ("/dev/zero", "it is longer than the limit of 64 MiB"),
    ] {
        let output = in_one_gibibyte(&["traffic", "merge", file], Stdio::null());
        let said = stderr(&output);
        assert_eq!(code(&output), 3, "{file}: {said}");
        let expected = format!(
            "cannot read {file}: {problem}\nhint: make several partial results, each of fewer logs"
        );
        assert!(said.contains(&expected), "{file}: {said}");
    }
}

/// The command before it in the pipe has failed.
#[test]
fn an_empty_standard_input_is_an_error() {
    for arguments in [
        &["validate", "-f", "-"][..],
        &["lint", "-f", "-"],
        &["convert", "-f", "-"],
        &["seats", "-f", "-"],
        &["preview", "1.37", "--from-release", "1.31", "-f", "-"],
    ] {
        let output = program().args(arguments).stdin(Stdio::null()).output();
        let output = output.unwrap();
        let said = stderr(&output);
        assert_eq!(code(&output), 3, "{arguments:?}: {said}");
        assert!(said.contains("no objects"), "{arguments:?}: {said}");
    }
}

/// A draft, or a folder that is named twice, would hide what the user has to change.
#[cfg(target_os = "linux")]
#[test]
fn an_error_about_a_file_names_this_file_alone() {
    let output = run(&["seats", "--svg", "/proc/seats.svg"]);
    assert_eq!(code(&output), 3);
    let said = stderr(&output);
    let last = said.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("error: cannot write /proc/seats.svg: "),
        "{said}"
    );
    assert!(!last.contains("at path"), "{said}");
}

/// A pipe, a device or a long file with the name of an ignore file does not stop a run.
#[cfg(unix)]
#[test]
fn ignore_files_that_have_no_end_are_not_read() {
    const SCHEMA: &str = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\nkind: FlowSchema\nmetadata: {name: a}\n\
        spec: {priorityLevelConfiguration: {name: exempt}}\n";
    let folder = Folder::new();
    folder.file("good/a.yaml", SCHEMA);
    let pipe = folder
        .file("pipe/a.yaml", SCHEMA)
        .replace("a.yaml", ".gitignore");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let device = folder
        .file("device/a.yaml", SCHEMA)
        .replace("a.yaml", ".flowcontrolignore");
    std::os::unix::fs::symlink("/dev/zero", device).unwrap();
    folder.file("long/a.yaml", SCHEMA);
    folder.file("long/.gitignore", vec![b'x'; (1 << 20) + 1]);
    let output = run(&["migrate", &folder.path("")]);
    let (found, said) = (stdout(&output), stderr(&output));
    let all = format!("{found}{said}");
    assert!(found.contains("good/a.yaml"), "{all}");
    for (name, problem) in [
        ("pipe", ".gitignore: it is not a regular file"),
        ("device", ".flowcontrolignore: it is not a regular file"),
        (
            "long",
            ".gitignore: it has 1048577 bytes, more than the limit of 1 MiB",
        ),
    ] {
        assert!(!found.contains(&format!("{name}/a.yaml")), "{all}");
        assert!(all.contains(problem), "{all}");
    }
    // The folder itself, too.
    let output = run(&["migrate", &folder.path("pipe")]);
    assert!(
        stderr(&output).contains(".gitignore: it is not a regular file"),
        "{}",
        stderr(&output)
    );
}
