//! Any input gives a result and an exit code, and never a panic.

mod faults;
mod reading;
mod without_objects;
mod written;

use crate::common::{Folder, code, program, run, stderr, stdout};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::process::Stdio;

const SCHEMA: &str = r#"{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"x"},"spec":{"priorityLevelConfiguration":{"name":"exempt"}}}"#;

fn verdicts(text: &[u8], name: &str) -> Vec<Value> {
    let folder = Folder::new();
    let file = folder.file(name, text);
    let output = run(&["validate", "-o", "json", "-f", &file]);
    assert!(code(&output) <= 1, "{}", stderr(&output));
    let lines = stdout(&output);
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn no_input_breaks_a_command() {
    let folder = Folder::new();
    let mut laughs =
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\na: &a [x]\n".to_owned();
    for pair in ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"] {
        let (from, to) = pair.split_at(1);
        writeln!(
            laughs,
            "{to}: &{to} [{}]",
            vec![format!("*{from}"); 10].join(",")
        )
        .unwrap();
    }
    let head = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\n";
    let utf16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(head.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let inputs: [(&str, Vec<u8>); 14] = [
        ("empty.yaml", Vec::new()),
        ("binary.yaml", (0..=255).cycle().take(5000).collect()),
        ("binary.json", (0..=255).rev().cycle().take(5000).collect()),
        ("laughs.yaml", laughs.into()),
        ("cyclic.yaml", format!("{head}metadata: &m {{name: x, labels: *m}}\n").into()),
        ("brackets.json", "[".repeat(200_000).into()),
        ("deep.json", format!("{}{}", "{\"kind\":\"FlowSchema\",\"spec\":".repeat(9000), "}".repeat(9000)).into()),
        ("lists.json", format!("{}{}", "{\"kind\":\"List\",\"items\":[".repeat(4000), "]}".repeat(4000)).into()),
        ("deep.yaml", format!("kind: List\nitems:\n- kind: FlowSchema\n  spec: {}{}\n", "[".repeat(3000), "]".repeat(3000)).into()),
        ("long.json", format!("{{\"kind\":\"FlowSchema\",\"a\":\"{}\",\"spec\":5}}", "x".repeat(500_000)).into()),
        ("utf16.yaml", utf16),
        ("items.json", br#"{"kind":"FlowSchemaList","apiVersion":"flowcontrol.apiserver.k8s.io/v1","items":[1,null,"x",{}]}"#.to_vec()),
        ("scalar.yaml", b"hello".to_vec()),
        ("template.yaml", format!("{head}metadata:\n  name: {{{{ .Name }}}}\n{{{{- end }}}}\n").into()),
    ];
    for (name, text) in inputs {
        let file = folder.file(name, text);
        for command in ["validate", "convert", "lint", "seats"] {
            let output = run(&[command, "-f", &file]);
            assert!(
                matches!(code(&output), 0..=4),
                "{command} {name}: {}",
                stderr(&output)
            );
            let said = stderr(&output);
            assert!(!said.contains("panicked"), "{command} {name}: {said}");
        }
    }
}

#[test]
fn input_without_requests_is_an_error() {
    let folder = Folder::new();
    let empty = folder.file("empty.log", " \n\n");
    let part = folder.path("part.json");
    let output = run(&["traffic", "--audit-log", &empty, "--partial", &part]);
    assert_eq!(code(&output), 0, "one of several machines can be idle");
    let other = folder.path("other.json");
    std::fs::copy(&part, &other).unwrap();
    let contains = format!("error: {empty} contains no requests\n");
    let logs = "error: the audit logs contain no requests\n";
    for (arguments, error) in [
        (&["traffic", "--audit-log", &empty][..], logs),
        (&["traffic", "--audit-log", &empty, "-o", "json"], logs),
        (&["traffic", "--audit-log", &empty, "--by", "user"], logs),
        (&["traffic", "--audit-log", &empty, "--each-request"], logs),
        (&["traffic", "merge", &part, &other], logs),
        (&["scan", "--audit-log", &empty], logs),
        (
            &[
                "preview",
                "1.32",
                "--from-release",
                "1.31",
                "--audit-log",
                &empty,
            ],
            logs,
        ),
        (&["match", "--requests", &empty], &contains),
        (&["cost", "--requests", &empty], &contains),
        (
            &["simulate", "--scenarios", &empty],
            &contains.replace("requests", "scenarios"),
        ),
        (
            &["match", "--requests", "-"],
            "error: the standard input contains no requests\n",
        ),
    ] {
        let output = program()
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(
            (code(&output), stdout(&output)),
            (3, String::new()),
            "{arguments:?}"
        );
        let said = stderr(&output);
        assert!(said.contains(error) && said.contains("\nhint: "), "{said}");
    }
}

#[test]
fn a_broken_text_has_a_verdict_too() {
    let found = verdicts(b"{\"kind\": \"PriorityLevelConfiguration\",", "x.json");
    assert_eq!(found[0]["kind"], "PriorityLevelConfiguration");
    assert_eq!(found[0]["status"]["code"], 400);
    assert_eq!(found[0]["status"]["reason"], "BadRequest");
    let message = found[0]["status"]["message"].as_str().unwrap();
    assert!(
        message.contains("(must be of type PriorityLevelConfiguration)"),
        "{message}"
    );
}

#[test]
fn a_verdict_has_these_fields_and_no_others() {
    let found = verdicts(SCHEMA.as_bytes(), "x.json");
    let fields: Vec<_> = found[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        fields,
        [
            "apiVersion",
            "kind",
            "name",
            "schemaVersion",
            "source",
            "status",
            "valid"
        ]
    );
    assert_eq!(
        (&found[0]["valid"], &found[0]["status"]),
        (&true.into(), &Value::Null)
    );
}

#[test]
fn documents_are_found_in_every_form_and_in_order() {
    let other = r#"{"apiVersion":"v1","kind":"Pod"}"#;
    let second = SCHEMA.replace("\"x\"", "\"y\"");
    let pretty = |text: &str| {
        let value: Value = serde_json::from_str(text).unwrap();
        format!("{value:#}\n")
    };
    for (name, text) in [
        (
            "list.json",
            format!(r#"{{"apiVersion":"v1","kind":"List","items":[{SCHEMA},{other},{second}]}}"#),
        ),
        ("lines.jsonl", format!("{SCHEMA}\n{other}\n\n{second}")),
        ("lines", format!("{SCHEMA}\r\n{other}\r\n{second}\r\n")),
        (
            "values.json",
            format!("{}{}{}", pretty(SCHEMA), pretty(other), pretty(&second)),
        ),
        (
            "documents.yaml",
            format!("# first\n---\n{SCHEMA}\n---\n{other}\n--- # last\n{second}\n"),
        ),
        (
            "marked.yaml",
            format!("\u{feff}---\r\n{SCHEMA}\r\n---\r\n{second}\r\n"),
        ),
        (
            "typed.yaml",
            format!(
                "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchemaList\nitems:\n- {SCHEMA}\n- {second}\n"
            ),
        ),
        (
            "responses.json",
            format!(
                r#"{{"a":{{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchemaList","items":[{SCHEMA}]}},
                "b":{{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchemaList","items":[{second}]}}}}"#
            ),
        ),
    ] {
        let found = verdicts(text.as_bytes(), name);
        let names: Vec<_> = found
            .iter()
            .map(|verdict| verdict["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["x", "y"], "{name}");
        assert!(
            found.iter().all(|verdict| verdict["valid"] == true),
            "{name}"
        );
    }
}

/// kubectl fails with "invalid Yaml document separator", where a server reads the text.
#[test]
fn text_after_a_separator_is_a_warning() {
    let folder = Folder::new();
    let second = SCHEMA.replace("\"x\"", "\"y\"");
    let file = folder.file("a.yaml", format!("--- # c\n{SCHEMA}\n--- {second}\n"));
    let output = run(&["validate", "-f", &file]);
    let (printed, warned) = (stdout(&output), stderr(&output));
    assert_eq!(printed.matches(" is valid").count(), 2, "{printed}");
    assert!(
        warned.contains("only a comment may follow `---`"),
        "{warned}"
    );
    assert!(warned.contains(&format!("{file}:3:5")), "{warned}");
}

/// kubectl applies less than the file has.
#[test]
fn documents_that_kubectl_ignores_are_a_warning() {
    let folder = Folder::new();
    let second = SCHEMA.replace("\"x\"", "\"y\"");
    let file = folder.file(
        "a.yaml",
        format!("%YAML 1.1\n---\n{SCHEMA}\n...\n{second}\n"),
    );
    let output = run(&["validate", "-f", &file]);
    let (printed, warned) = (stdout(&output), stderr(&output));
    assert_eq!(printed.matches(" is valid").count(), 2, "{printed}");
    for part in [
        format!("{file}:1:1: kubectl cannot read this file"),
        format!("{file}:5:1: kubectl ignores this document"),
    ] {
        assert!(warned.contains(&part), "{part}: {warned}");
    }
    let file = folder.file("b.yaml", format!("# c\n...\n{SCHEMA}\n"));
    let output = run(&["validate", "-f", &file]);
    let warned = stderr(&output);
    let part = format!(
        "{file}:2:1: kubectl cannot read this file: only a comment may precede a document; remove the line"
    );
    assert!(
        stdout(&output).contains(" is valid") && warned.contains(&part),
        "{warned}"
    );
}

#[test]
fn the_standard_input_is_read() {
    let mut child = program()
        .args(["validate", "-f", "-", "-o", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(SCHEMA.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((code(&output), &verdict["source"]), (0, &"-".into()));
}

#[test]
fn nobody_needs_to_read_to_the_end() {
    let folder = Folder::new();
    let file = folder.file("many.jsonl", format!("{SCHEMA}\n").repeat(3000));
    let mut child = program()
        .args(["validate", "-f", &file, "-o", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    assert!(line.starts_with("{\"source\""));
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), stderr(&output).as_str()), (141, ""));
}

/// As in impersonation, explicit groups replace the groups of a service account.
#[test]
fn named_groups_are_the_groups_of_a_request() {
    let folder = Folder::new();
    let account = r#""user":"system:serviceaccount:a:b","verb":"get","path":"/version""#;
    let requests = format!(
        "{{{account}}}\n{{{account},\"groups\":[\"dev\"]}}\n{{{account},\"groups\":[\"system:unauthenticated\"]}}\n"
    );
    let file = folder.file("requests.jsonl", requests);
    let output = run(&["match", "--requests", &file]);
    let schemas: Vec<_> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["flowSchema"].clone())
        .collect();
    // The last one is in global-default by its group too, and only `system:authenticated` is added to the second.
    assert_eq!(
        schemas,
        ["service-accounts", "global-default", "global-default"]
    );
}

#[test]
fn a_request_with_a_resource_is_one_for_it() {
    let folder = Folder::new();
    let requests = r#"{"user":"alice","resource":"pods","subresource":"log"}
{"user":"alice","resource":"pods","subresource":"log","isResourceRequest":false,"path":"/logs"}
{"user":"alice","groups":["system:unauthenticated"],"path":"/healthz"}
{"user":"alice","groups":["system:unauthenticated"],"resource":"","path":"/healthz"}
"#;
    let file = folder.file("requests.jsonl", requests);
    let output = run(&["match", "--requests", &file]);
    let levels: Vec<_> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["priorityLevel"].clone())
        .collect();
    // Logs of pods are long-running; the last ones are probes with the verb get.
    assert_eq!(
        levels,
        [
            Value::Null,
            "global-default".into(),
            "exempt".into(),
            "exempt".into()
        ]
    );
}
