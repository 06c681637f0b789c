//! The command line.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(super) fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
        .display()
        .to_string()
}

/// Its own folder for each test, below Cargo's.
pub(super) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

pub(super) fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_k8s-flowcontrol-codegen"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end without reading.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn generate_writes_what_has_changed() {
    let out = folder("generate");
    let out_text = out.display().to_string();
    let wall = fixture("wall-v1.json");
    let arguments = [
        "generate",
        "--spec",
        &wall,
        "--out",
        &out_text,
        "--runtime",
        "crate",
    ];
    let output = run(&arguments, "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("written  "),
        "{}",
        text(&output.stdout)
    );
    let module = std::fs::read_to_string(out.join("wall_v1.rs")).unwrap();
    assert!(
        module.contains("crate::rt::v1::fields! {\n    Wall"),
        "{module}"
    );
    // The neighbouring file was found beside the document.
    assert!(out.join("paints_v1.rs").exists());

    let edited = module.replace("pub struct", "struct");
    std::fs::write(out.join("wall_v1.rs"), edited).unwrap();
    let report = text(&run(&arguments, "").stdout);
    assert_eq!(report.matches("written").count(), 1, "{report}");
    assert_eq!(report.matches("unchanged").count(), 3, "{report}");
}

#[test]
fn nothing_is_written_after_an_error() {
    let out = folder("nothing");
    let out_text = out.display().to_string();
    let paint = fixture("paint-v1.json");
    let output = run(
        &[
            "generate", "--spec", &paint, "--spec", "-", "--out", &out_text,
        ],
        r#"{"a": 1}"#,
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).starts_with("error: standard input#: this is other JSON"),
        "{}",
        text(&output.stderr)
    );
    assert!(output.stdout.is_empty() && !out.exists());
}

#[test]
fn standard_input_is_a_document() {
    let swagger = std::fs::read_to_string(fixture("swagger.json")).unwrap();
    let output = run(&["operations", "--spec", "-"], &swagger);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("METHOD  PATH"));
}

#[test]
fn one_group_is_taken_out_of_many() {
    let swagger = fixture("swagger.json");
    let out = folder("one-group");
    let generate = |group: &str, version: &str| {
        run(
            &[
                "generate",
                "--spec",
                &swagger,
                "--group",
                group,
                "--version",
                version,
                "--out",
                out.to_str().unwrap(),
            ],
            "",
        )
    };
    assert_eq!(generate("paints.example.com", "v1").status.code(), Some(0));
    let modules = std::fs::read_to_string(out.join("mod.rs")).unwrap();
    assert!(modules.contains("pub mod paints_v1;"), "{modules}");
    assert!(!modules.contains("walls"), "{modules}");

    let output = generate("paints.example.com", "v9");
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(
        message.contains("no document describes `paints.example.com/v9`"),
        "{message}"
    );
    assert!(
        message.ends_with("the documents describe paints.example.com/v1\n"),
        "{message}"
    );
    let output = generate("roofs.example.com", "v1");
    let message = text(&output.stderr);
    assert!(
        message.contains("the documents describe paints.example.com/v1, walls.example.com/v1"),
        "{message}"
    );
}

#[test]
fn documents_that_serve_no_kind_say_so() {
    let logs = r#"{ "openapi": "3.0.0", "paths": {
        "/logs/{logpath}": { "get": { "operationId": "readLog", "responses": { "401": {} } } } } }"#;
    let empty = r#"{ "openapi": "3.0.0", "paths": {}, "components": {} }"#;
    for (name, document) in [("logs", logs), ("empty", empty)] {
        let out = folder(name);
        let output = run(
            &["generate", "--spec", "-", "--out", out.to_str().unwrap()],
            document,
        );
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains("note: the documents serve no kind"));
        let modules = std::fs::read_to_string(out.join("mod.rs")).unwrap();
        assert!(!modules.contains("pub mod"), "{modules}");
    }
}

#[test]
fn wrong_arguments_end_with_2_and_the_help() {
    for arguments in [
        &[][..],
        &["destroy"],
        &["--spec", "x"],
        &["generate", "x.json", "--out", "x"],
        &["generate"],
        &["generate", "--spec"],
        &["generate", "--spec", "x", "--colour", "red"],
        &["operations", "--out", "x"],
        &["operations", "--spec", "x", "--version", "v1"],
        // Nothing that is given is ignored.
        &["operations", "--spec", "x", "--out", "y"],
        &["explain", "x", "--validate"],
        &["types", "--from", "x", "--out", "y", "--fields", "A.b"],
        &["generate", "--spec", "x", "--out", "y", "--out", "z"],
        &["generate", "--spec", "x", "--out", ""],
        &["generate", "--spec", "x", "--out", "--validate"],
        &["generate", "--spec", "x", "--out", "y", "--kinds", "A,"],
        &[
            "generate", "--spec", "x", "--out", "y", "--rename", "A=B", "--rename", "A=C",
        ],
        &["generate", "--spec", "x", "--out", "y", "--validate=no"],
        &["generate", "--spec", "-", "--spec", "-", "--out", "y"],
    ] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("Usage:"), "{arguments:?}");
    }
    let paint = fixture("paint-v1.json");
    assert_eq!(
        run(&["generate", "--spec", &paint], "").status.code(),
        Some(2)
    );
}

#[test]
fn a_document_without_its_option_is_named() {
    let output = run(&["generate", "x.json"], "");
    assert!(
        text(&output.stderr).starts_with("error: `x.json`: give documents with `--spec x.json`\n"),
        "{}",
        text(&output.stderr)
    );
    let output = run(&["types", "--out", "x"], "");
    let error = text(&output.stderr);
    assert!(
        error.starts_with("error: give at least one --from FILE\n"),
        "{error}"
    );
}

/// A table that is cut off is worse than none.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_ends_with_1() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    let output = Command::new(env!("CARGO_BIN_EXE_k8s-flowcontrol-codegen"))
        .args(["operations", "--spec", &fixture("paint-v1.json")])
        .stdout(full.unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(
        error.starts_with("error: standard output: cannot be written: "),
        "{error}"
    );
}

#[test]
fn files_that_cannot_be_read_end_with_1() {
    let folder_of_documents = folder("documents");
    std::fs::create_dir_all(&folder_of_documents).unwrap();
    let binary = folder_of_documents.join("binary.json");
    std::fs::write(&binary, [0xff, 0xfe, 0]).unwrap();
    for (path, message) in [
        (
            Path::new("/nowhere/at-all.json"),
            "there is no such file\n  help: check the path",
        ),
        (
            &folder_of_documents,
            "this is a folder\n  help: give each of its files",
        ),
        (&binary, "this is not text in UTF-8\n  help: "),
    ] {
        let output = run(&["operations", "--spec", path.to_str().unwrap()], "");
        assert_eq!(output.status.code(), Some(1));
        let expected = format!("error: {}: {message}", path.display());
        let message = text(&output.stderr);
        assert!(message.starts_with(&expected), "{message}");
    }
    let output = run(
        &[
            "generate",
            "--spec",
            &fixture("paint-v1.json"),
            "--out",
            binary.to_str().unwrap(),
        ],
        "",
    );
    assert!(
        text(&output.stderr).contains("binary.json: this is a file\n  help: give a folder"),
        "{}",
        text(&output.stderr)
    );
    let below = binary.join("below").display().to_string();
    let output = run(
        &[
            "generate",
            "--spec",
            &fixture("paint-v1.json"),
            "--out",
            &below,
        ],
        "",
    );
    let error = text(&output.stderr);
    assert!(
        error.contains("binary.json: this is a file\n  help: give a folder"),
        "{error}"
    );
    let paint = fixture("paint-v1.json");
    let out = folder("shared").display().to_string();
    let output = run(
        &[
            "generate",
            "--spec",
            &paint,
            "--out",
            &out,
            "--shared",
            "/nowhere/shared.txt",
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn any_document_becomes_plain_types() {
    let folder = folder("types");
    std::fs::create_dir_all(&folder).unwrap();
    let document = folder.join("pets.json");
    let schemas = r##"{ "Pet": { "type": "object", "properties": { "name": { "type": "string", "maxLength": 9 } } },
        "Cat": { "allOf": [{ "$ref": "#/components/schemas/Pet" }], "properties": { "of": { "type": ["string", "boolean"] } } } }"##;
    let text_of = format!(r#"{{ "openapi": "3.0.0", "components": {{ "schemas": {schemas} }} }}"#);
    std::fs::write(&document, text_of).unwrap();
    let (document, out) = (document.to_str().unwrap(), folder.join("out"));
    let out_text = out.to_str().unwrap();
    let output = run(
        &[
            "types",
            "--from",
            document,
            "--out",
            out_text,
            "--rename",
            "Cat=Tomcat",
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(
        printed.contains("/Cat/properties/of/type: any JSON (a value of several types"),
        "{printed}"
    );
    let generated = std::fs::read_to_string(out.join("pets.rs")).unwrap();
    assert!(
        generated.contains("pub struct Tomcat {") && !generated.contains("Resource for"),
        "{generated}"
    );

    let explained = run(&["explain", document], "");
    assert_eq!(
        text(&explained.stdout).replace(document, "pets.json"),
        "any JSON: 1\n  pets.json#/components/schemas/Cat/properties/of/type: a value of several types (string, boolean) is \
         not supported\nin the documentation, checked by the server and by generated `validate()`: 1\n  \
         pets.json#/components/schemas/Pet/properties/name/maxLength\n"
    );
    // A document that `generate` reads is explained as it reads it.
    let manifest = folder.join("kites.yaml");
    let schema = "{ type: object, properties: { spec: { type: object, properties: { \
                  size: { anyOf: [{ type: number }, { type: string }] }, count: { anyOf: [{ type: integer }, { type: string }] } } } } }";
    let text_of = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{ name: kites.sky.example }}\nspec:\n  \
         group: sky.example\n  scope: Cluster\n  names: {{ kind: Kite, plural: kites }}\n  \
         versions: [{{ name: v1, served: true, storage: true, schema: {{ openAPIV3Schema: {schema} }} }}]\n"
    );
    std::fs::write(&manifest, text_of).unwrap();
    let explained = run(&["explain", manifest.to_str().unwrap()], "");
    let printed = text(&explained.stdout);
    assert!(!printed.contains("any JSON"), "{printed}");

    for (arguments, expected) in [
        (
            &["types", "--from", document][..],
            "`types` needs --out DIR",
        ),
        (
            &[
                "types", "--from", document, "--out", out_text, "--rename", "Cat",
            ],
            "write `--rename OLD=NEW`",
        ),
        (&["explain"], "give at least one"),
    ] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains(expected),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn help_and_version_are_printed() {
    let help = run(&["--help"], "");
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help.stdout).contains("Exit codes: 0 success"));
    assert_eq!(run(&["help"], "").stdout, help.stdout);
    for version in ["-V", "--version"] {
        assert!(text(&run(&[version], "").stdout).starts_with("k8s-flowcontrol-codegen 0."));
    }
}
