//! The order of the requests of logs.

use super::audit::NARROW;
use super::level;
use crate::common::{Folder, program, run, stdout, tries_all};
use jiff::Timestamp;
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::process::Stdio;
use std::time::Duration;

/// The event of a request of bob's to nodes.
fn event(number: u64, received: Timestamp, end: Timestamp, code: u16) -> String {
    format!(
        r#"{{"kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "{number}", "stage": "ResponseComplete", "requestURI": "/api/v1/nodes/b", "verb": "get", "user": {{"username": "bob"}}, "objectRef": {{"resource": "nodes", "name": "b", "apiVersion": "v1"}}, "responseStatus": {{"code": {code}}}, "requestReceivedTimestamp": "{received}", "stageTimestamp": "{end}"}}"#
    )
}

/// More requests than the level has seats for.
#[test]
fn the_order_of_the_lines_changes_nothing() {
    let folder = Folder::new();
    let narrow = folder.file("narrow.yaml", NARROW);
    let begin = "2026-01-02T03:04:00Z".parse::<Timestamp>().unwrap();
    let result = |place: fn(u64) -> u64| {
        let lines = (0..211).map(place).map(|number| {
            let received = begin + Duration::from_millis(10 * number);
            let end = received + Duration::from_millis(500 + number);
            event(number, received, end, 200) + "\n"
        });
        let log = folder.file("audit.log", lines.collect::<String>());
        let arguments = ["simulate", "-f", &narrow, "-o", "json", "--audit-log", &log];
        serde_json::from_str::<Value>(&stdout(&run(&arguments))).unwrap()
    };
    let ordered = result(|number| number);
    let waits = &level(&ordered["result"], "narrow")["waitSeconds"];
    assert!(waits["max"].as_f64().unwrap() > 0.0, "{waits}");
    let shuffled = result(|number| number * 100 % 211);
    assert!(shuffled == ordered, "the results differ");
}

/// The newest requests come first. In the gate they are more than are sorted in memory.
#[test]
fn requests_are_sorted_by_time() {
    let count: u64 = if tries_all() { (1 << 18) + 1000 } else { 1000 };
    let folder = Folder::new();
    let narrow = folder.file("narrow.yaml", NARROW);
    let wide = folder.file("wide.yaml", NARROW.replace("Shares: 5", "Shares: 500"));
    let mut child = program();
    child.args([
        "simulate",
        "-f",
        &narrow,
        "--compare",
        &wide,
        "-o",
        "json",
        "--audit-log",
        "-",
    ]);
    let mut child = child
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = BufWriter::new(child.stdin.take().unwrap());
    // One every second, which takes 50 ms; each tenth is rejected.
    let begin = "2026-01-02T03:04:00Z".parse::<Timestamp>().unwrap();
    for number in (0..count).rev() {
        let received = begin + Duration::from_secs(number);
        let end = received + Duration::from_millis(50);
        let code = if number % 10 == 0 { 429 } else { 200 };
        writeln!(input, "{}", event(number, received, end, code)).unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let period = |field: &str| {
        report["period"][field]
            .as_str()
            .unwrap()
            .parse::<Timestamp>()
    };
    assert_eq!(period("firstRequest").unwrap(), begin);
    let last = begin + Duration::from_secs(count - 1);
    assert_eq!(period("lastRequest").unwrap(), last);
    let prediction = &report["trust"]["predictions"][0];
    let rejected = count.div_ceil(10);
    assert_eq!(prediction["rejected"]["observed"], rejected);
    assert_eq!(prediction["requests"], count - rejected);
    assert_eq!(prediction["recordedWaits"], 0);
    assert_eq!(prediction["responseSecondsP99"]["observed"], 0.05);
    // No request begins before the one before it has ended, with few seats and with many.
    for result in ["result", "compared"] {
        let result = &report[result];
        assert!(result["requests"].as_u64().unwrap() >= count, "{result:#}");
        assert_eq!(level(result, "narrow")["waitSeconds"]["max"], 0.0);
    }
}
