//! Audit logs on the command line.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

#[allow(dead_code, reason = "each test file uses its part")]
mod common;

use common::{Folder, code, program, run, stderr, stdout};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

fn event(id: &str, user: &str, verb: &str, uri: &str) -> Value {
    let mut event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": id,
        "stage": "ResponseComplete", "requestURI": uri, "verb": verb,
        "user": {"username": user, "groups": ["system:authenticated"]}, "responseStatus": {"code": 200},
        "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z", "stageTimestamp": "2026-01-01T00:00:00.250000Z",
        "annotations": {"authorization.k8s.io/decision": "allow"},
    });
    if uri.contains("/pods") {
        event["objectRef"] = json!({"resource": "pods", "namespace": "a", "apiVersion": "v1"});
    }
    event
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Classifies the requests of logs by the built-in objects.
fn requests(logs: &[&str]) -> std::process::Output {
    let mut arguments = vec!["traffic", "--with-bootstrap", "--requests"];
    arguments.extend(logs);
    run(&arguments)
}

#[test]
fn every_request_is_classified_once() {
    let folder = Folder::new();
    let mut log_of_pod = event("3", "alice", "get", "/api/v1/namespaces/a/pods/x/log");
    log_of_pod["objectRef"]["subresource"] = "log".into();
    let mut received = event("4", "alice", "list", "/api/v1/namespaces/a/pods");
    received["stage"] = "RequestReceived".into();
    let first = lines(&[
        event(
            "1",
            "system:kube-scheduler",
            "list",
            "/api/v1/namespaces/a/pods",
        ),
        received,
    ]);
    let second = lines(&[
        event("2", "bob", "get", "/healthz"),
        log_of_pod,
        event("4", "alice", "list", "/api/v1/namespaces/a/pods"),
    ]);
    let plain = folder.file("audit-1.log", &first);
    // A file of two parts, as `cat` makes it.
    let second = [gzip(&second[..50]), gzip(&second[50..])].concat();
    let compressed = folder.file("audit.log.gz", second);
    let output = requests(&[&plain, &compressed]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let expected = "\
{\"auditID\":\"1\",\"flowSchema\":\"kube-scheduler\",\"priorityLevel\":\"workload-high\"}
{\"auditID\":\"2\",\"flowSchema\":\"probes\",\"priorityLevel\":\"exempt\"}
{\"auditID\":\"3\",\"flowSchema\":null,\"priorityLevel\":null}
{\"auditID\":\"4\",\"flowSchema\":\"global-default\",\"priorityLevel\":\"global-default\"}
";
    assert_eq!(stdout(&output), expected);
    assert_eq!(stderr(&output), "");
}

#[test]
fn the_standard_input_can_be_a_log() {
    let mut child = program()
        .args(["traffic", "--with-bootstrap", "--requests", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let log = gzip(&lines(&[event("1", "bob", "get", "/version")]));
    child.stdin.take().unwrap().write_all(&log).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        stdout(&output).contains("global-default"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn damaged_logs_are_read_as_far_as_they_go() {
    let folder = Folder::new();
    let text: String = (0..500)
        .map(|number| {
            format!(
                "{}\n",
                event(
                    &format!("{number}-{}", number * 7919),
                    "bob",
                    "get",
                    "/version"
                )
            )
        })
        .collect();
    let whole = gzip(&text);
    let cut = folder.file("cut.log.gz", &whole[..whole.len() - 200]);
    let output = requests(&[&cut]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).lines().count() > 100);
    assert!(
        stderr(&output).contains("cut.log.gz is incomplete"),
        "{}",
        stderr(&output)
    );

    let middle = folder.file("middle.log", &text[30..]);
    let output = requests(&[&middle]);
    assert!(stderr(&output).contains("middle.log:1: skipped 1 line without an audit event"));
    assert_eq!(stdout(&output).lines().count(), 499);

    let other = folder.file("other.log", "I1122 not JSON\n");
    let output = requests(&[&other]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("contains no audit events"));
    assert_eq!(code(&requests(&["missing.log"])), 3);
    let empty = folder.file("empty.log", "");
    assert_eq!(code(&requests(&[&empty])), 0);
}
