//! Logs as they come: in several files, damaged, of any format.

use crate::common::{Folder, code, envelopes, program, run, some_of, stderr, stdout, tries_all};
use crate::traffic::{event, gzip, lines, report, requests};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

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
    assert_eq!(
        stderr(&output).lines().count(),
        1,
        "only the note about the built-in objects"
    );
}

#[test]
fn the_standard_input_can_be_a_log() {
    let mut child = program()
        .args(["traffic", "--each-request", "--audit-log", "-"])
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
}

#[test]
fn requests_that_never_end_are_counted_and_a_partial_result_has_a_limit() {
    let folder = Folder::new();
    // The library's tests have the limit too.
    let count = if tries_all() { 70_000 } else { 1_000 };
    let mut begun = event("ID", "alice", "get", "/version");
    begun["stage"] = "RequestReceived".into();
    let begun = begun.to_string();
    let text: String = (0..count)
        .map(|number| begun.replace("\"ID\"", &format!("\"{number}\"")) + "\n")
        .collect();
    let log = folder.file("audit.log", text);
    let whole = report(&["--audit-log", &log]);
    assert_eq!(
        (&whole["requests"], &whole["incomplete"]),
        (&json!(count), &json!(count))
    );
    let part = folder.path("part.json");
    let output = run(&["traffic", "--audit-log", &log, "--partial", &part]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let written: Value = serde_json::from_slice(&std::fs::read(&part).unwrap()).unwrap();
    assert_eq!(written["open"].as_array().unwrap().len(), count.min(65_536));
    assert_eq!(report(&["merge", &part]), whole);
}

/// A file that no command reads would be found out when the logs are gone.
#[test]
fn a_partial_result_that_cannot_be_merged_is_not_written() {
    if !tries_all() {
        eprintln!("skipped: 64 MiB take several seconds");
        return;
    }
    let folder = Folder::new();
    let id = "x".repeat(33 << 20);
    let log: String = (0..2)
        .map(|number| event(&format!("{number}{id}"), "bob", "get", "/version").to_string() + "\n")
        .collect();
    let log = folder.file("audit.log", log);
    let part = folder.file("part.json", "before");
    let write = [
        "traffic",
        "--audit-log",
        &log,
        "--partial",
        &part,
        "--force",
    ];
    let output = run(&write);
    let said = stderr(&output);
    assert_eq!(code(&output), 3, "{said}");
    assert!(
        said.contains(&format!("cannot write {part}: the partial result has 692")),
        "{said}"
    );
    assert!(said.contains("`traffic merge` reads at most 64 MiB\nhint: make several partial results, each of fewer logs"), "{said}");
    assert_eq!(std::fs::read_to_string(&part).unwrap(), "before");
}

#[test]
fn every_command_reads_every_format() {
    let folder = Folder::new();
    for (name, text) in some_of(envelopes(), 3) {
        let log = folder.file(&name, &text);
        for command in [
            &["traffic"] as &[&str],
            &["simulate", "-o", "json"],
            &["scan", "--to-release", "1.33"],
            &["preview", "1.33", "--from-release", "1.32"],
        ] {
            let mut arguments = command.to_vec();
            arguments.extend(["--audit-log", &log]);
            let result = run(&arguments);
            let text = stderr(&result);
            assert!(
                !text.contains("contains no audit events"),
                "{name} {command:?} {text}"
            );
            assert!(code(&result) <= 1, "{name} {command:?} {text}");
        }
    }
}

#[test]
fn gaps_are_a_part_of_the_report() {
    let folder = Folder::new();
    let mut late = event("2", "alice", "get", "/version");
    late["requestReceivedTimestamp"] = "2026-01-01T00:09:00Z".into();
    late["stageTimestamp"] = "2026-01-01T00:09:00Z".into();
    // A watch that began before the log.
    let mut watch = event("3", "alice", "watch", "/api/v1/pods?watch=1");
    watch["requestReceivedTimestamp"] = "2025-12-24T00:00:00Z".into();
    let log = folder.file(
        "audit.log",
        lines(&[event("1", "alice", "get", "/version"), watch, late]),
    );
    let text = stdout(&run(&["traffic", "--audit-log", &log]));
    assert!(
        text.contains("note: no events in 8 of 10 minutes"),
        "{text}"
    );
    let output = run(&["traffic", "--audit-log", &log, "-o", "json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["coverage"]["emptyMinutes"], 8);
}
