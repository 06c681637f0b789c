//! `traffic` and logs that are odd, damaged, or still being written.

use crate::common::{Folder, code, program, run, stderr, stdout};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Output, Stdio};

fn event(id: &str) -> Value {
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": id, "stage": "ResponseComplete",
        "requestURI": "/api/v1/namespaces/a/pods", "verb": "list", "user": {"username": "alice", "groups": ["system:authenticated"]},
        "objectRef": {"resource": "pods", "namespace": "a", "apiVersion": "v1"}, "responseStatus": {"code": 200},
        "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z", "stageTimestamp": "2026-01-01T00:00:00.250000Z",
    })
}

/// The flow schemas of the requests, by audit id.
fn classified(output: &Output) -> Vec<(String, Value)> {
    assert_eq!(code(output), 0, "{}", stderr(output));
    let lines = stdout(output);
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| {
            (
                line["auditID"].as_str().unwrap().to_owned(),
                line["flowSchema"].clone(),
            )
        })
        .collect()
}

fn requests(log: &str) -> Output {
    run(&["traffic", "--audit-log", log, "--each-request"])
}

fn report(log: &str) -> Value {
    let output = run(&["traffic", "--audit-log", log, "-o", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn lines_end_as_windows_ends_them_and_batches_stand_between_them() {
    let folder = Folder::new();
    let batch = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": [event("2"), event("3")]});
    let pretty = serde_json::to_string_pretty(&batch_of(&["4"]))
        .unwrap()
        .replace('\n', "\r\n");
    let text = format!(
        "{}\r\n{batch}\r\n\r\n{pretty}\r\n{}\r\n{}",
        event("1"),
        json!([event("5")]),
        event("6")
    );
    let output = requests(&folder.file("audit.log", text));
    let ids: Vec<_> = classified(&output).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5", "6"]);
    assert!(stderr(&output).starts_with("note: with 19 built-in objects"));
    assert_eq!(stderr(&output).lines().count(), 1);
}

fn batch_of(ids: &[&str]) -> Value {
    let items: Vec<_> = ids.iter().map(|id| event(id)).collect();
    json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": items})
}

#[test]
fn events_may_lack_their_fields() {
    let folder = Folder::new();
    let without = |id: &str, field: &str| {
        let mut event = event(id);
        event.as_object_mut().unwrap().remove(field);
        format!("{event}\n")
    };
    let mut text = String::new();
    for field in [
        "objectRef",
        "user",
        "responseStatus",
        "requestReceivedTimestamp",
        "stageTimestamp",
        "requestURI",
        "verb",
    ] {
        text += &without(field, field);
    }
    let mut null = event("null");
    for field in ["user", "objectRef", "annotations", "responseStatus"] {
        null[field] = Value::Null;
    }
    text += &format!("{null}\n");
    let log = folder.file("audit.log", text);
    let schemas = classified(&requests(&log));
    assert_eq!(schemas.len(), 8);
    // The path names the resource, as the reference to the object does.
    assert_eq!(
        schemas[0],
        ("objectRef".to_owned(), "global-default".into())
    );
    // Without a user, the request failed before flow control.
    assert_eq!(schemas[1], ("user".to_owned(), Value::Null));
    assert_eq!(schemas[7].1, Value::Null);
    let report = report(&log);
    assert_eq!(
        (&report["requests"], &report["brokenLines"]),
        (&8.into(), &0.into())
    );
}

#[test]
fn bodies_are_not_printed() {
    let folder = Folder::new();
    let mut event = event("1");
    event["level"] = "RequestResponse".into();
    event["requestObject"] = json!({"data": {"password": "hunter2"}, "metadata": {"name": "s"}});
    event["responseObject"] = json!({"data": {"password": "hunter2"}});
    let log = folder.file("audit.log", format!("{event}\n"));
    let page = folder.path("page.html");
    for more in [
        &["--each-request"][..],
        &["-o", "json"],
        &["-o", "csv"],
        &["-o", "table", "--html", &page],
    ] {
        let output = run(&[&["traffic", "--audit-log", &log], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(!stdout(&output).is_empty());
        assert!(!(stdout(&output) + &stderr(&output)).contains("hunter2"));
    }
    assert!(!std::fs::read_to_string(page).unwrap().contains("hunter2"));
}

#[test]
fn clocks_may_jump() {
    let folder = Folder::new();
    let timed = |id: &str, received: &str, ended: &str| {
        let mut event = event(id);
        event["requestReceivedTimestamp"] = received.into();
        event["stageTimestamp"] = ended.into();
        format!("{event}\n")
    };
    let text = timed("1", "2026-01-01T00:00:10.000000Z", "2026-01-01T00:00:10.500000Z")
        // Back by an hour during a request, and then for the following ones.
        + &timed("2", "2026-01-01T00:00:11.000000Z", "2025-12-31T23:00:11.000000Z")
        + &timed("3", "2025-12-31T23:00:12.000000Z", "2025-12-31T23:00:12.500000Z")
        + &timed("4", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z")
        + &timed("5", "no time", "9999-99-99T00:00:00Z");
    let report = report(&folder.file("audit.log", text));
    assert_eq!(report["requests"], 5);
    let level = &report["priorityLevels"][0];
    // Only the two requests of half a second took time.
    assert_eq!(level["seatSeconds"], 1.0);
    assert_eq!(report["lastRequest"], "2026-01-01T00:00:11Z");
}

#[test]
fn a_log_grows_while_it_is_read() {
    let mut child = program();
    let mut child = child
        .args(["traffic", "--audit-log", "-", "--each-request"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let (first, second) = (format!("{}\n", event("1")), format!("{}\n", event("2")));
    // A line arrives in parts, and the last line is incomplete.
    for part in [
        &first[..20],
        &first[20..],
        &second[..100],
        &second[100..],
        &first[..300],
    ] {
        input.write_all(part.as_bytes()).unwrap();
        input.flush().unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let ids: Vec<_> = classified(&output).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["1", "2"]);
    assert!(
        stderr(&output).contains("skipped 1 line"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_line_without_an_end_is_skipped() {
    let folder = Folder::new();
    let mut text = format!("{}\n", event("1")).into_bytes();
    text.extend(std::iter::repeat_n(b'x', 65 << 20));
    text.extend(format!("\n{}\n", event("2")).into_bytes());
    let output = requests(&folder.file("audit.log", text));
    let ids: Vec<_> = classified(&output).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["1", "2"]);
    assert!(
        stderr(&output).contains("audit.log:2: skipped 1 line"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_rotated_log_joins_with_its_rest() {
    let folder = Folder::new();
    let mut received = event("1");
    received["stage"] = "RequestReceived".into();
    let old = folder.file("audit-1.log", format!("{}\n{received}\n", event("0")));
    let new = folder.file("audit.log", format!("{}\n", event("1")));
    let output = run(&["traffic", "--audit-log", &old, &new, "-o", "json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(
        (&report["requests"], &report["incomplete"]),
        (&2.into(), &0.into())
    );
    // Without its rest, the known part of the request is reported.
    let output = run(&["traffic", "--audit-log", &old, "-o", "json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(
        (&report["requests"], &report["incomplete"]),
        (&2.into(), &1.into())
    );
}
