//! `size`: loads and searches that prove nothing.

use crate::common::{Folder, code, run, stderr, stdout};
use crate::simulate::audit::{NARROW, events, lines};
use crate::simulate::sizes::INTENTS;
use serde_json::{Value, json};

/// The recorded run of a busy server.
const RECORDED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../analysis/tests/fixtures/loaded"
);

/// Nothing is proven of a client without requests.
#[test]
fn an_intent_without_requests_is_an_error() {
    let folder = Folder::new();
    let text = INTENTS.replace("concurrent: 100", "perSecond: 0.0001");
    let intents = folder.file("intents.yaml", text);
    let output = run(&["size", &intents]);
    assert_eq!(code(&output), 3);
    let expected = "line 4: the intent flux: its load has no request within the simulated time; give a longer duration, or more requests";
    assert!(stderr(&output).contains(expected), "{output:?}");
    assert_eq!(stdout(&output), "");
    // A level can lose its requests to another.
    let level = "- {name: rest, level: workload-low, waits: {p99: 1s}, atLoad: {concurrent: 1, meanSeconds: 1}}\n";
    let level = level.replace(
        "atLoad: {concurrent: 1, meanSeconds: 1}",
        "atLoad: {fromLog: true}",
    );
    let log = folder.file("audit.log", lines(&events()));
    let intents = folder.file("levels.yaml", format!("{INTENTS}{level}"));
    let text = stderr(&run(&["size", &intents, "--audit-log", &log]));
    let row = text.lines().find(|line| line.starts_with("rest ")).unwrap();
    assert!(
        row.contains("no requests; p99 of the waits at most 1 s") && row.ends_with(" -"),
        "{text}"
    );
}

/// The search does not try every configuration: only a contradiction is a proof.
#[test]
fn an_answer_that_was_not_found_is_no_proof() {
    let folder = Folder::new();
    let text = INTENTS.replace("seats: 100", "seats: 14");
    let intents = folder.file("intents.yaml", text);
    let page = folder.path("page.html");
    let output = run(&[
        "size",
        &intents,
        "--html",
        &page,
        "--compare",
        &folder.file("narrow.yaml", NARROW),
    ]);
    assert_eq!(code(&output), 1);
    let text = stderr(&output);
    let html = std::fs::read_to_string(page).unwrap();
    for part in [
        "no configuration with 14 seats was found that satisfies all intents",
        ", in the last configuration that was tried",
        "flux: a level with a nominal limit of ",
        "the compared configuration does not satisfy all intents:",
        ": the whole load with seed 2",
    ] {
        assert!(text.contains(part), "{part}: {text}");
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!text.contains("cannot satisfy"), "{text}");
}

/// An earlier answer without an intent lacks a margin of it.
#[test]
fn an_intent_that_an_earlier_answer_lacks_is_not_still_met() {
    let folder = Folder::new();
    let intents = folder.file("intents.yaml", INTENTS);
    let report = run(&["size", &intents, "-o", "json"]).stdout;
    let report = folder.file("size.json", report);
    let renamed = folder.file("renamed.yaml", INTENTS.replace("name: flux", "name: other"));
    let output = run(&["size", &renamed, "--watch-drift", &report]);
    assert_eq!(code(&output), 0, "{output:?}");
    let text = stderr(&output);
    let row = text
        .lines()
        .find(|line| line.starts_with("other "))
        .unwrap();
    let cells: Vec<_> = row.split_whitespace().collect();
    assert_eq!(cells[1..3], ["met", "-"], "{row}");
}

#[test]
fn a_report_without_an_answer_is_named() {
    let folder = Folder::new();
    let intents = folder.file("intents.yaml", INTENTS.replace("seats: 100", "seats: 5"));
    let report = run(&["size", &intents, "-o", "json"]).stdout;
    let report = folder.file("size.json", report);
    let output = run(&["size", &intents, "--watch-drift", &report]);
    assert_eq!(code(&output), 3);
    let expected = "size.json is the report of a search that found no configuration";
    assert!(stderr(&output).contains(expected), "{output:?}");
}

/// The answer rests on a simulation that does not have the waits of the logs.
#[test]
fn recorded_waits_that_the_simulation_lacks_are_named() {
    let folder = Folder::new();
    let log = folder.file("audit.log", lines(&events()));
    let levels = folder.file("narrow.yaml", NARROW);
    let page = folder.path("page.html");
    let size = |load: &str, seats: u32, more: &[&str]| {
        let intent =
            format!("{{name: jobs, client: {{user: bob}}, waits: {{max: 10s}}, atLoad: {load}}}");
        let text = format!("server: {{seats: {seats}}}\nintents:\n- {intent}\n");
        let intents = folder.file("intents.yaml", text);
        let arguments = [
            "size",
            &intents,
            "--audit-log",
            &log,
            "--html",
            &page,
            "--force",
        ];
        let output = run(&[&arguments[..], more].concat());
        assert_eq!(code(&output), 0, "{output:?}");
        output
    };
    let (all, half) = ("{fromLog: true}", "{fromLog: true, times: 0.5}");
    let text = stderr(&size(all, 600, &[]));
    let warning = "jobs: the logs record longer waits of 38 requests, up to 7.8 s, than the simulation of the present objects, up to 0 ms: do not rely on the answer";
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(warning), "{text}");
    assert!(std::fs::read_to_string(&page).unwrap().contains(warning));
    let json: Value = serde_json::from_slice(&size(all, 600, &["-o", "json"]).stdout).unwrap();
    let longer = json!([{"intent": "jobs", "requests": 38, "recordedSeconds": 7.8, "simulatedSeconds": 0.0}]);
    assert_eq!(json["longerWaits"], longer);
    // A later check of the answer does not have them either.
    let report = folder.file("size.json", json.to_string());
    let intents = folder.path("intents.yaml");
    let drift = [
        "size",
        &intents,
        "--audit-log",
        &log,
        "--watch-drift",
        &report,
    ];
    let output = run(&drift);
    assert_eq!(code(&output), 0, "{output:?}");
    let words = stderr(&output);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(warning), "{words}");
    let json = run(&[&drift[..], &["-o", "json"]].concat()).stdout;
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["longerWaits"], longer);
    // The objects of the server of the logs, fewer requests, and more seats explain the waits.
    let narrow = ["-f", &levels];
    let fewer = ["--log-server-seats", "2"];
    for (load, seats, more) in [(all, 2, &narrow[..]), (half, 600, &[]), (all, 600, &fewer)] {
        let text = stderr(&size(load, seats, more));
        assert!(
            !text.contains("longer waits"),
            "{load} {seats} {more:?}: {text}"
        );
    }
}

/// Requests take longer while more execute, in the logs and in `simulate`, but not here.
#[test]
fn requests_that_slow_each_other_down_are_named() {
    let folder = Folder::new();
    let intent = "{name: carol, client: {user: carol}, waits: {p99: 5s}}";
    let text = format!("server: {{seats: 30}}\nintents:\n- {intent}\n");
    let intents = folder.file("intents.yaml", text);
    let objects = format!("{RECORDED}/objects.json");
    let log = format!("{RECORDED}/audit.log.gz");
    let of_log = [
        "--audit-log",
        &log,
        "-f",
        &objects,
        "--only-these",
        "--kubernetes",
        "1.36",
    ];
    let said = stderr(&run(&[&["size", &intents], &of_log[..]].concat()));
    let slowdown = "in the logs, requests take 2.0 times as long while twice as many execute";
    let warning = format!("warning: {slowdown}. Here they do not: check an answer with");
    assert!(said.contains(&warning), "{said}");
    let seats = ["--server-seats", "30"];
    let simulated = run(&[&["simulate"], &of_log[..], &seats].concat());
    let printed = stdout(&simulated)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(printed.contains(slowdown), "{printed}");
    // Nothing waits, and nothing is slow.
    let log = folder.file("audit.log", lines(&events()));
    let text = std::fs::read_to_string(&intents)
        .unwrap()
        .replace("carol", "bob");
    std::fs::write(&intents, text).unwrap();
    let said = stderr(&run(&["size", &intents, "--audit-log", &log]));
    assert!(!said.contains("times as long"), "{said}");
}

/// The waits that logs do not record depend on the seats of their server.
#[test]
fn the_seats_of_the_server_of_the_logs_are_named() {
    let folder = Folder::new();
    let log = folder.file("audit.log", lines(&events()));
    let intents = |server: &str| {
        let text = "intents: [{name: jobs, client: {user: bob}, waits: {max: 10s}, atLoad: {fromLog: true}}]\n";
        folder.file("intents.yaml", format!("{server}{text}"))
    };
    for (server, options, expected) in [
        ("", &[][..], "600 seats (default)"),
        ("server: {seats: 50}\n", &[], "50 seats (INTENTS)"),
        ("", &["--server-seats", "40"], "40 seats (--server-seats)"),
        (
            "",
            &["--server-seats", "40", "--log-server-seats", "1"],
            "1 seat (--log-server-seats)",
        ),
    ] {
        let intents = intents(server);
        let output = run(&[&["size", &intents, "--audit-log", &log], options].concat());
        let expected = expected.replace("INTENTS", &intents);
        let note = format!(
            "note: waits that the logs do not record are estimated for a server with {expected}\n"
        );
        assert!(stderr(&output).contains(&note), "{note}: {output:?}");
    }
}
