//! `simulate --audit-log`: logs that cannot be simulated, or not as a whole.

use super::audit::{NARROW, REQUESTS, events, lines};
use crate::common::{Folder, code, run, stderr, stdout};
use serde_json::{Value, json};

#[test]
fn unusable_logs_are_errors() {
    let folder = Folder::new();
    let levels = folder.file("narrow.yaml", NARROW);
    let simulate = |arguments: &[&str]| {
        let output = run(&[&["simulate", "-f", &levels][..], arguments].concat());
        (code(&output), stderr(&output))
    };
    let empty = folder.file("empty.log", "");
    let (code, told) = simulate(&["--audit-log", &empty]);
    assert_eq!(code, 3);
    assert!(
        told.contains("the audit logs contain no requests") && told.contains("--audit-log-path"),
        "{told}"
    );
    let text = folder.file("text.log", "no event\n");
    let (code, told) = simulate(&["--audit-log", &text]);
    assert_eq!(code, 3);
    assert!(told.contains("contains no audit events"), "{told}");
    // Two requests eight thousand years apart were simulated in steps of ten seconds.
    let mut far = events();
    far.truncate(2);
    for (event, year) in far.iter_mut().zip(["0001", "9999"]) {
        for field in ["requestReceivedTimestamp", "stageTimestamp"] {
            event[field] = format!("{year}-01-01T00:00:00.000000Z").into();
        }
    }
    let long = folder.file("long.log", lines(&far));
    let (code, told) = simulate(&["--audit-log", &long]);
    assert_eq!(code, 3);
    assert!(told.contains("days apart"), "{told}");
    // A request that ended eight thousand years later.
    far.truncate(1);
    far[0]["stageTimestamp"] = "9999-01-01T00:00:00.000000Z".into();
    let long = folder.file("long.log", lines(&far));
    assert_eq!(simulate(&["--audit-log", &long]).0, 0);
    let (code, told) = simulate(&["--audit-log", &text, "--load", &text]);
    assert_eq!(code, 2);
    assert!(told.contains("cannot be used with"), "{told}");
    assert_eq!(simulate(&[]).0, 2);
}

/// No server queues them, so that they are not simulated.
#[test]
fn long_running_requests_of_logs_are_counted() {
    let folder = Folder::new();
    let mut events = events();
    for event in &mut events[..3] {
        event["requestURI"] = "/api/v1/namespaces/a/pods/b/log".into();
        event["objectRef"]["subresource"] = "log".into();
    }
    let log = folder.file("audit.log", lines(&events));
    let output = run(&["simulate", "--audit-log", &log, "-o", "json"]);
    let text = stderr(&output);
    assert_eq!(code(&output), 0, "{text}");
    let expected = "note: flow control does not apply to 3 long-running requests of the logs, which are not simulated\n";
    assert!(text.contains(expected), "{text}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["result"]["requests"], REQUESTS - 3);
    let intents = "intents: [{name: all, level: global-default, waits: {p99: 1s}, atLoad: {fromLog: true}}]\n";
    let intents = folder.file("intents.yaml", intents);
    let output = run(&["size", &intents, "--audit-log", &log]);
    assert!(stderr(&output).contains(expected), "{output:?}");
}

/// Of fewer than 20 requests no times are compared, so that there is not a verdict.
#[test]
fn few_requests_give_no_verdict() {
    let folder = Folder::new();
    let levels = folder.file("narrow.yaml", NARROW);
    let simulate = |events: &[Value], form: &str| {
        let log = folder.file("audit.log", lines(events));
        let logs = ["--audit-log", &log, "-o", form];
        run(&[
            &["simulate", "-f", &levels, "--server-seats", "2"][..],
            &logs,
        ]
        .concat())
    };
    // They waited for seconds.
    let late = &events()[25..40];
    let text = stdout(&simulate(late, "table"));
    let verdict = "The logs do not show whether to rely on this simulation";
    assert!(text.contains(verdict), "{text}");
    assert!(!text.contains("No request waited"), "{text}");
    let slowdown = "in the logs, about as many requests execute all the time, so that they do not show whether requests slow each other down: in the simulation they do not";
    assert!(text.contains(slowdown), "{text}");
    // The server rejected the fourth request.
    let mut rejected = late.to_vec();
    rejected[3]["responseStatus"]["code"] = 429.into();
    let annotations = rejected[3]["annotations"].as_object_mut().unwrap();
    annotations.remove("authorization.k8s.io/decision");
    let text = stdout(&simulate(&rejected, "table"));
    let row = text
        .lines()
        .find(|line| line.starts_with("level narrow "))
        .unwrap();
    let cells: Vec<_> = row.split_whitespace().collect();
    let expected = ["14", "1", "/", "0", "-", "-", "-", "-", "-", "-", "-"];
    assert_eq!(cells[2..], expected, "{text}");
    assert!(text.contains(verdict), "{text}");
    assert!(
        text.contains("There is no verdict about level narrow, flow bob/bob: "),
        "{text}"
    );
    assert!(!text.contains("behind the 99th percentiles"), "{text}");
    let report: Value = serde_json::from_slice(&simulate(&rejected, "json").stdout).unwrap();
    assert_eq!(report["trust"]["isReliable"], Value::Null);
}

/// One request executes at any time, so that the log does not show how more of them would execute.
#[test]
fn differences_and_sizes_of_a_steady_log_lack_the_slowdown() {
    let folder = Folder::new();
    let levels = folder.file("narrow.yaml", NARROW);
    let log = folder.file("audit.log", lines(&events()[25..40]));
    let of = |arguments: &[&str]| {
        let logs = ["-f", &levels, "--server-seats", "2", "--audit-log", &log];
        run(&[arguments, &logs].concat())
    };
    let text = stdout(&of(&["simulate", "--compare", &levels]));
    let slower = "on a busy processor, more seats for one level make the requests of all slower";
    assert!(
        text.contains(&format!("; {slower}, which the differences lack")),
        "{text}"
    );
    let report = stdout(&of(&["simulate", "-o", "json"]));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["trust"]["isSlowdownKnown"], false);
    let intents =
        "intents: [{name: all, level: narrow, waits: {p99: 9s}, atLoad: {fromLog: true}}]\n";
    let intents = folder.file("intents.yaml", intents);
    let text = stderr(&of(&["size", &intents]));
    assert!(text.contains(slower), "{text}");
}

/// Exports of clouds and logs without the stage `ResponseComplete` do not have durations.
#[test]
fn requests_without_a_duration_are_named() {
    let folder = Folder::new();
    let mut events = events();
    for event in &mut events[..7] {
        event["stage"] = "RequestReceived".into();
    }
    let log = folder.file("audit.log", lines(&events));
    let expected = "note: the logs do not have the duration of 7 requests: simulated with the average of similar requests, or else of all, or with 10ms if the logs have no duration\n";
    let intents = "intents: [{name: all, level: global-default, waits: {p99: 1s}, atLoad: {fromLog: true}}]\n";
    let intents = folder.file("intents.yaml", intents);
    for command in [vec!["simulate"], vec!["size", &intents]] {
        let output = run(&[&command[..], &["--audit-log", &log]].concat());
        assert!(stderr(&output).contains(expected), "{output:?}");
    }
    // Nothing was recorded, and nothing executed.
    for event in &mut events {
        event["stage"] = "RequestReceived".into();
    }
    let log = folder.file("audit.log", lines(&events));
    let few = ["simulate", "--audit-log", &log, "--server-seats", "2"];
    let text = stdout(&run(&few));
    // The simulation has waits, of which the logs show nothing.
    let words = "no level or flow with at least 20 executed requests in the logs has";
    assert!(text.contains(words), "{text}");
    assert!(text.contains("FLOW SCHEMA"), "{text}");
    assert!(!text.contains("has the annotation"), "{text}");
    assert!(!text.contains("as long as in the logs"), "{text}");
}

/// The current limit of an exempt level follows its demand, and limits nothing.
#[test]
fn an_exempt_level_has_no_limit() {
    let folder = Folder::new();
    let mut events = events();
    for event in &mut events {
        event["user"]["groups"] = json!(["system:masters"]);
    }
    let log = folder.file("audit.log", lines(&events));
    let text = stdout(&run(&["simulate", "--audit-log", &log]));
    let row = text
        .lines()
        .find(|line| line.starts_with("exempt "))
        .unwrap();
    assert!(row.ends_with(" -"), "{row}");
    let explain = ["simulate", "--audit-log", &log, "--explain", "exempt"];
    let text = stdout(&run(&explain));
    assert!(
        text.contains(
            "with 1 seat; its level is exempt\n  0: is dispatched at once: no limit applies\n"
        ),
        "{text}"
    );
    let output = run(&[&explain[..], &["-o", "json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["requests"][0]["limit"], Value::Null);
}
