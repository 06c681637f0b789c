//! Everything that is printed as JSON has an integer `schemaVersion`, except Kubernetes objects, which stay valid manifests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

#[allow(dead_code, reason = "each test file uses its part")]
mod common;

use common::{Folder, Served, run, stderr, stdout};
use serde_json::Value;

fn json(arguments: &[&str]) -> Value {
    let output = run(arguments);
    let text = stdout(&output);
    serde_json::from_str(&text).unwrap_or_else(|error| {
        unreachable!("{arguments:?}: {error}: {text}{}", stderr(&output));
    })
}

fn lines(arguments: &[&str]) -> Vec<Value> {
    let text = stdout(&run(arguments));
    let lines: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    assert!(!lines.is_empty(), "{arguments:?}");
    lines
}

#[track_caller]
fn is_versioned(value: &Value) {
    assert_eq!(value["schemaVersion"].as_u64(), Some(1), "{value}");
}

/// The definition of a command in the JSON Schema of the output.
fn schema(command: &str) -> Value {
    let text = include_str!("../schema/output.schema.json");
    let schema: Value = serde_json::from_str(text).unwrap();
    let found = schema["$defs"][command].clone();
    assert!(found.is_object(), "{command} has no definition");
    found
}

/// Whether a value fits a schema. Fields that the schema does not have are errors, so that it stays complete.
fn fits(value: &Value, schema: &Value, path: &str) {
    let is = |name: &Value| match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    match &schema["type"] {
        Value::Null => {}
        Value::Array(names) => assert!(names.iter().any(is), "{path}: {value}"),
        name => assert!(is(name), "{path}: {value}"),
    }
    if let Some(items) = value.as_array().filter(|_| schema["items"].is_object()) {
        for item in items {
            fits(item, &schema["items"], &format!("{path}[]"));
        }
    }
    let (Some(fields), Some(known)) = (value.as_object(), schema["properties"].as_object()) else {
        return;
    };
    for required in schema["required"].as_array().unwrap() {
        let name = required.as_str().unwrap();
        assert!(fields.contains_key(name), "{path} has no {name}");
    }
    for (name, value) in fields {
        let schema = known.get(name);
        let schema = schema.unwrap_or_else(|| unreachable!("{path}.{name} is not in the schema"));
        fits(value, schema, &format!("{path}.{name}"));
    }
}

#[test]
fn the_schema_of_the_output_is_true() {
    let compare = ["seats", "--compare", BATCH, "-o", "json"];
    let request = [
        "match",
        "--user",
        "alice",
        "--resource",
        "pods",
        "-o",
        "json",
    ];
    let preview = [
        "preview",
        "--from-release",
        "1.28",
        "--to-release",
        "1.32",
        "-o",
        "json",
    ];
    for (name, command) in [
        ("seats --compare", &compare[..]),
        ("match", &request),
        (
            "cost",
            &["cost", "list", "pods", "--objects", "5", "-o", "json"],
        ),
        (
            "lint",
            &["lint", "-f", "examples/mistakes.yaml", "-o", "json"],
        ),
        ("preview", &preview),
    ] {
        fits(&json(command), &schema(name), name);
    }
    for level in json(&["seats", "-f", BATCH, "-o", "json"])
        .as_array()
        .unwrap()
    {
        fits(level, &schema("seats"), "seats");
    }
    for line in lines(&["validate", "-f", "examples/mistakes.yaml", "-o", "json"]) {
        fits(&line, &schema("validate"), "validate");
    }
    for line in lines(&["match", "--requests", "tests/fixtures/requests.jsonl"]) {
        fits(&line, &schema("match --requests"), "match --requests");
    }
    let folder = Folder::new();
    for seats in [100, 4] {
        let intents = folder.path("intents.yaml");
        let text = format!(
            "server: {{seats: {seats}}}\nduration: 5s\nintents:\n- client: {{user: alice}}\n  waits: {{max: 0s}}\n  \
             atLoad: {{concurrent: 20, meanSeconds: 0.2}}\n"
        );
        std::fs::write(&intents, text).unwrap();
        let output = run(&["size", &intents, "-o", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["isPossible"], seats == 100, "{report}");
        fits(&report, &schema("size"), "size");
    }
    let kubeconfig = folder.path("kubeconfig");
    let _served = Served::start(&["--write-kubeconfig", &kubeconfig, "-f", BATCH]);
    let of_cluster = |arguments: &[&'static str]| {
        json(&[arguments, &["-o", "json", "--kubeconfig", &kubeconfig]].concat())
    };
    fits(&of_cluster(&["top"]), &schema("top"), "top");
    fits(&of_cluster(&["whoami"]), &schema("whoami"), "whoami");
    for level in of_cluster(&["seats", "--live"]).as_array().unwrap() {
        fits(level, &schema("seats"), "seats");
    }
    let watch = [
        "get",
        "-w",
        "--output-watch-events",
        "plc/batch",
        "--count",
        "1",
    ];
    let name = "get --output-watch-events";
    fits(&of_cluster(&watch), &schema(name), name);
}

const BATCH: &str = "examples/batch.yaml";

#[test]
fn reports_about_files() {
    is_versioned(&json(&["lint", "-f", BATCH, "-o", "json"]));
    let (limits, of_batch) = (["seats", "-f", BATCH, "-o", "json"], ["--compare", BATCH]);
    is_versioned(&json(&[&limits[..], &of_batch].concat()));
    let levels = json(&limits);
    levels.as_array().unwrap().iter().for_each(is_versioned);
    let request = ["--user", "alice", "--path", "/healthz", "-o", "json"];
    is_versioned(&json(&[&["match", "-f", BATCH], &request[..]].concat()));
    is_versioned(&json(&["migrate", "examples", "--check", "-o", "json"]));
    let plan = [
        "plan",
        "--from-release",
        "1.28",
        "--to-release",
        "1.32",
        "-o",
        "json",
        BATCH,
    ];
    is_versioned(&json(&plan));
    for sarif in [
        json(&["lint", "-f", BATCH, "-o", "sarif"]),
        json(&["migrate", "examples", "--check", "-o", "sarif"]),
    ] {
        is_versioned(&sarif["runs"][0]["properties"]);
    }
}

#[test]
fn one_line_per_input() {
    let requests = "tests/fixtures/requests.jsonl";
    let answers = lines(&["match", "-f", BATCH, "--requests", requests]);
    answers.iter().for_each(is_versioned);
    let verdicts = lines(&["validate", "-f", BATCH, "-o", "json"]);
    assert_eq!(verdicts.len(), 2);
    verdicts.iter().for_each(is_versioned);
}

#[test]
fn reports_about_a_cluster() {
    let folder = Folder::new();
    let kubeconfig = folder.path("kubeconfig");
    let _served = Served::start(&["--kubeconfig", &kubeconfig, "-f", BATCH]);
    let of_cluster = |arguments: &[&'static str]| {
        json(&[arguments, &["-o", "json", "--kubeconfig", &kubeconfig]].concat())
    };
    is_versioned(&of_cluster(&["scan"]));
    is_versioned(&of_cluster(&["top"]));
    is_versioned(&of_cluster(&["whoami"]));
    is_versioned(&of_cluster(&[
        "get",
        "-w",
        "--output-watch-events",
        "plc/batch",
        "--count",
        "1",
    ]));
    is_versioned(&of_cluster(&["plan", "--context", "embedded"]));
    // Objects and lists of objects can be applied as they are.
    for object in [
        of_cluster(&["get", "plc/batch"]),
        of_cluster(&["get", "plc"]),
        json(&["convert", "-f", BATCH, "-o", "json"]),
        json(&["rbac", "scan", "-o", "json"]),
    ] {
        assert!(object["kind"].is_string());
        assert_eq!(object.get("schemaVersion"), None);
    }
}
