//! Inputs of the command line that are too long.

#![allow(clippy::unwrap_used)]

use super::cli::{fixture, folder, run, text};
use std::process::Command;

/// The longest input, and one byte more.
#[test]
fn inputs_that_are_too_long_are_not_read() {
    const LIMIT: usize = 64 << 20;
    const ERROR: &str =
        "this is longer than the limit of 64 MiB\n  help: give the documents of single API groups";
    let inputs = folder("long");
    std::fs::create_dir_all(&inputs).unwrap();
    let paint = std::fs::read_to_string(fixture("paint-v1.json")).unwrap();
    let longest = paint + &" ".repeat(LIMIT);
    let (longest, too_long) = (&longest[..LIMIT], &longest[..=LIMIT]);
    let file = inputs.join("too-long.json");
    std::fs::write(&file, longest).unwrap();
    let name = file.to_str().unwrap();
    let expected = run(&["operations", "--spec", &fixture("paint-v1.json")], "");
    for (spec, input) in [(name, ""), ("-", longest)] {
        let output = run(&["operations", "--spec", spec], input);
        assert_eq!(text(&output.stdout), text(&expected.stdout), "{spec}");
    }

    std::fs::write(&file, too_long).unwrap();
    let referring = inputs.join("referring.json");
    let schema = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "title": "A", "type": "object",
        "properties": {"b": {"$ref": "too-long.json"}}}"#;
    std::fs::write(&referring, schema).unwrap();
    let (referring, wall) = (referring.display().to_string(), fixture("wall-v1.json"));
    let out = inputs.join("out").display().to_string();
    for (arguments, input, subject) in [
        (&["operations", "--spec", name][..], "", name),
        (&["explain", "-"], too_long, "standard input"),
        (&["types", "--from", &referring, "--out", &out], "", name),
        (
            &["generate", "--spec", &wall, "--shared", name, "--out", &out],
            "",
            name,
        ),
    ] {
        let output = run(arguments, input);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let said = text(&output.stderr);
        let expected = format!("error: {subject}: {ERROR}");
        assert!(said.starts_with(&expected), "{arguments:?}: {said}");
    }
}

/// In 1 GiB of memory.
#[cfg(target_os = "linux")]
#[test]
fn inputs_without_an_end_end_with_an_error() {
    for spec in ["-", "/dev/zero"] {
        let output = Command::new("sh")
            .args(["-c", "ulimit -v 1048576; exec \"$@\"", "sh"])
            .args([
                env!("CARGO_BIN_EXE_k8s-flowcontrol-codegen"),
                "explain",
                spec,
            ])
            .stdin(std::fs::File::open("/dev/zero").unwrap())
            .output()
            .unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{spec}: {said}");
        assert!(said.contains("the limit of 64 MiB"), "{spec}: {said}");
    }
}
