//! Everything that is printed as JSON fits the JSON Schema, and has an integer `schemaVersion`, except Kubernetes objects, which stay valid
//! manifests. [`run`] compares every output of the other tests, too.

use crate::common::schema::{check, definitions, name_of};
use crate::common::{Folder, Served, run, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeSet;

const BATCH: &str = "examples/batch.yaml";
const LOG: &str = "tests/tour/audit.log";

/// The values that a command prints. They fit the definition with this name.
fn values(name: &str, arguments: &[&str]) -> Vec<Value> {
    let output = run(arguments);
    let values = check(name, &output.stdout);
    assert!(!values.is_empty(), "{arguments:?}: {}", stderr(&output));
    values
}

/// The form of objects, and the outputs of commands that run until they are ended: their own tests read them.
const ELSEWHERE: [&str; 4] = ["object", "serve", "traffic --follow", "traffic --listen"];

/// Whether a definition is of an output: a part of others does not have a title.
fn is_output(name: &str) -> bool {
    !ELSEWHERE.contains(&name) && definitions()[name].get("title").is_some()
}

/// The definitions whose outputs do not come from a cluster, with a command line for each.
const OF_FILES: &[&[&str]] = &[
    &["validate", "-f", "examples/mistakes.yaml", "-o", "json"],
    &["seats", "-f", BATCH, "-o", "json"],
    &["seats", "--compare", BATCH, "-o", "json"],
    &[
        "match",
        "--user",
        "alice",
        "--resource",
        "pods",
        "-o",
        "json",
    ],
    &["match", "--requests", "tests/fixtures/requests.jsonl"],
    &["cost", "list", "pods", "--objects", "5", "-o", "json"],
    &["cost", "get", "pods/log", "-o", "json"],
    &["cost", "--requests", "tests/fixtures/seats.jsonl"],
    &["lint", "-f", "examples/mistakes.yaml", "-o", "json"],
    &[
        "preview",
        "1.32",
        "--from-release",
        "1.28",
        "-f",
        BATCH,
        "-o",
        "json",
    ],
    &["migrate", "examples", "--check", "-o", "json"],
    &[
        "plan",
        "--from-release",
        "1.28",
        "--to-release",
        "1.32",
        "-o",
        "json",
        "examples",
    ],
    &[
        "traffic",
        "--audit-log",
        LOG,
        "--compare",
        BATCH,
        "-o",
        "json",
    ],
    &["traffic", "--audit-log", LOG, "--each-request"],
    &["traffic", "--audit-log", LOG, "--by", "user", "-o", "json"],
    &[
        "traffic",
        "--audit-log",
        LOG,
        "--against",
        LOG,
        "-o",
        "json",
    ],
    &[
        "simulate",
        "--load",
        "examples/load.yaml",
        "--compare",
        BATCH,
        "-o",
        "json",
    ],
    &[
        "simulate",
        "--load",
        "examples/load.yaml",
        "-f",
        BATCH,
        "--explain",
        "batch/report-1",
        "-o",
        "json",
    ],
    &[
        "simulate",
        "--scenarios",
        "tests/fixtures/scenarios.jsonl.gz",
    ],
    &["convert", "-f", BATCH, "-o", "json"],
    &[
        "create",
        "protect",
        "user",
        "alice",
        "--at-least",
        "5",
        "-o",
        "json",
    ],
    &[
        "create",
        "isolate",
        "user",
        "alice",
        "--at-most",
        "5",
        "-o",
        "json",
    ],
    &["create", "exempt-probes", "-o", "json"],
    &["rbac", "scan", "-o", "json"],
];

/// The lines of as many requests as a log has.
const UNVERSIONED: [&str; 2] = ["cost --requests", "traffic --each-request"];

/// The same of clusters.
const OF_CLUSTERS: &[&[&str]] = &[
    &["seats", "--live", "-o", "json"],
    &["get", "plc", "-o", "json"],
    &["get", "plc/batch", "-o", "json"],
    &[
        "get",
        "-w",
        "--output-watch-events",
        "plc/batch",
        "--count",
        "1",
        "-o",
        "json",
    ],
    &["apply", "-f", BATCH, "--dry-run", "-o", "json"],
    &["tune", "batch", "9", "--dry-run", "-o", "json"],
    &["whoami", "-o", "json"],
    &["top", "-o", "json"],
    &["diagnose", "-o", "json"],
    &["monitoring", "--live", "--interval", "0", "-o", "json"],
    &["scan", "--audit-log", LOG, "-o", "json"],
    &["plan", "--context", "embedded", "-o", "json"],
];

#[test]
fn every_output_fits_its_definition() {
    let folder = Folder::new();
    let kubeconfig = folder.path("kubeconfig");
    let _served = Served::start(&["--write-kubeconfig", &kubeconfig, "-f", BATCH]);
    let partial = folder.path("partial.json");
    let output = run(&["traffic", "--audit-log", LOG, "--partial", &partial]);
    assert!(output.status.success(), "{}", stderr(&output));
    let intents = folder.path("intents.yaml");
    let text = "server: {seats: 100}\nduration: 5s\nintents:\n- client: {user: alice}\n  waits: {max: 0s}\n  \
        atLoad: {concurrent: 20, meanSeconds: 0.2}\n";
    std::fs::write(&intents, text).unwrap();

    let mut commands: Vec<Vec<&str>> = OF_FILES.iter().map(|command| command.to_vec()).collect();
    commands.push(vec!["traffic", "merge", &partial, "-o", "json"]);
    commands.push(vec!["size", &intents, "-o", "json"]);
    let metrics = folder.path("metrics.txt");
    let wait = "apiserver_flowcontrol_request_wait_duration_seconds_bucket{execute=\"true\",priority_level=\"global-default\"";
    let text = format!("{wait},le=\"1\"}} 12\n{wait},le=\"+Inf\"}} 12\n");
    std::fs::write(&metrics, text).unwrap();
    commands.push(vec![
        "seats",
        "--verify",
        "--audit-log",
        "tests/tour/audit.log",
        "--metrics",
        &metrics,
        "-o",
        "json",
    ]);
    let report = folder.path("size.json");
    std::fs::write(&report, run(&["size", &intents, "-o", "json"]).stdout).unwrap();
    commands.push(vec![
        "size",
        &intents,
        "--watch-drift",
        &report,
        "-o",
        "json",
    ]);
    let of_cluster =
        |command: &&[&'static str]| [*command, &["--kubeconfig", &kubeconfig]].concat();
    commands.extend(OF_CLUSTERS.iter().map(of_cluster));
    let mut seen = BTreeSet::new();
    for command in &commands {
        let name = name_of(command).expect("a command that prints JSON");
        seen.insert(name);
        for value in values(name, command) {
            // Kubernetes objects do not have it, so that they can be applied as they are, nor do the lines of millions of requests.
            let version = value["schemaVersion"].as_u64();
            let is_object = value["kind"].is_string() && value["valid"].is_null();
            let has_none = is_object || UNVERSIONED.contains(&name);
            assert_eq!(version, (!has_none).then_some(1), "{command:?}: {value}");
        }
    }
    let all = definitions().keys().map(String::as_str);
    let unseen: Vec<_> = all
        .filter(|name| is_output(name) && !seen.contains(name))
        .collect();
    assert!(unseen.is_empty(), "no command above prints {unseen:?}");
}

/// People read the schema as the documentation of the fields.
#[test]
fn every_field_of_the_schema_has_a_description() {
    fn walk(schema: &Value, path: &str, missing: &mut Vec<String>) {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            if field.get("description").is_none()
                && field.get("$ref").is_none()
                && field.get("anyOf").is_none()
            {
                missing.push(path.clone());
            }
            walk(field, &path, missing);
        }
        for inner in ["items", "additionalProperties"] {
            if schema[inner].is_object() {
                walk(&schema[inner], &format!("{path}[]"), missing);
            }
        }
    }
    let mut missing = Vec::new();
    for (name, schema) in definitions() {
        assert!(schema["description"].is_string(), "{name}");
        walk(schema, name, &mut missing);
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn the_version_of_sarif_logs_is_in_the_properties_of_the_run() {
    for command in [
        ["lint", "-f", BATCH, "-o", "sarif"].as_slice(),
        &["migrate", "examples", "--check", "-o", "sarif"],
    ] {
        let sarif: Value = serde_json::from_str(&stdout(&run(command))).unwrap();
        assert_eq!(sarif["runs"][0]["properties"]["schemaVersion"], 1);
    }
}

#[test]
fn intents_that_exclude_each_other_have_a_report_too() {
    let folder = Folder::new();
    let intents = folder.path("intents.yaml");
    let text = "server: {seats: 4}\nduration: 5s\nintents:\n- client: {user: alice}\n  waits: {max: 0s}\n  \
        atLoad: {concurrent: 20, meanSeconds: 0.2}\n";
    std::fs::write(&intents, text).unwrap();
    let report = &values("size", &["size", &intents, "-o", "json"])[0];
    assert_eq!(report["isPossible"], false, "{report}");
}

#[test]
fn one_line_per_input() {
    let verdicts = values("validate", &["validate", "-f", BATCH, "-o", "json"]);
    assert_eq!(verdicts.len(), 2);
}
