//! Agreement with recordings, and bad scenarios.

use crate::common::{code, program, run, stderr, stdout};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::io::{Read, Write};
use std::process::Stdio;

/// Scenarios of one kind each that the queue set of kube-apiserver 1.25 and 1.36 decided, with its decisions and states.
const RECORDED: &str = "tests/fixtures/scenarios.jsonl.gz";

fn recorded() -> String {
    let file = std::fs::File::open(RECORDED).unwrap();
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

/// Runs scenarios that come in through the standard input.
fn simulate(scenarios: &str) -> std::process::Output {
    let mut child = program()
        .args(["simulate", "--scenarios", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let scenarios = scenarios.to_owned();
    let writer = std::thread::spawn(move || {
        // The program may end before it has read everything.
        let _ = input.write_all(scenarios.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

#[test]
fn recorded_scenarios_agree() {
    let text = recorded();
    let output = stdout(&run(&["simulate", "--scenarios", RECORDED]));
    assert_eq!(output, stdout(&simulate(&text)), "the same uncompressed");
    let results: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(results.len(), text.lines().count());
    for (line, result) in text.lines().zip(results) {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let kind = &recorded["kind"];
        assert_eq!(result["id"], recorded["id"], "{kind}");
        assert_eq!(result["states"], recorded["states"], "{kind}");
        let requests = recorded["requests"].as_array().unwrap();
        let decided = result["requests"].as_array().unwrap();
        assert_eq!(requests.len(), decided.len(), "{kind}");
        for (request, decided) in requests.iter().zip(decided) {
            assert_eq!(decided["outcome"], request["outcome"], "{kind}: {request}");
            assert_eq!(decided["atUs"], request["atUs"], "{kind}: {request}");
        }
    }
}

#[test]
fn an_exempt_level_dispatches_at_once() {
    let scenario = r#"{"id": "e", "seats": 0, "queues": -1, "requests": [
        {"arriveUs": 5, "hash": 1, "initialSeats": 2, "executeUs": 9, "patienceUs": 1},
        {"arriveUs": 5, "hash": 1, "initialSeats": 2, "executeUs": 9}]}"#
        .replace('\n', "");
    let result: Value = serde_json::from_str(&stdout(&simulate(&scenario))).unwrap();
    for request in result["requests"].as_array().unwrap() {
        assert_eq!(request["outcome"], "dispatched");
        assert_eq!(request["atUs"], 5);
    }
    assert_eq!(result["states"].as_array().unwrap().len(), 0);
}

#[test]
fn a_request_that_never_gets_a_seat_waits() {
    let scenario = r#"{"seats": 0, "queues": 1, "handSize": 1, "queueLengthLimit": 1, "requests": [{"arriveUs": 5, "hash": 1, "initialSeats": 1, "executeUs": 9}]}"#;
    let result: Value = serde_json::from_str(&stdout(&simulate(scenario))).unwrap();
    assert_eq!(result["requests"][0]["outcome"], "waiting");
}

#[test]
fn bad_scenarios_are_errors() {
    for (scenario, message) in [
        ("{\"seats\": 1}", "missing field `requests`"),
        ("\n\n{", "error: the standard input:3:1: "),
        ("[]", "error: the standard input:1:"),
        (
            "{\"seats\": -1, \"requests\": []}",
            "error: the standard input:1:",
        ),
        (
            "{\"seats\": 1, \"queues\": 2, \"handSize\": 3, \"requests\": []}",
            "the hand is larger than the number of queues",
        ),
    ] {
        let output = simulate(scenario);
        assert_eq!(code(&output), 3, "{scenario}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    let output = run(&["simulate", "--scenarios", "tests/fixtures/absent.jsonl"]);
    assert_eq!(code(&output), 3);
}
