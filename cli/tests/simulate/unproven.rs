//! `size`: loads and searches that prove nothing.

use crate::common::{Folder, code, run, stderr, stdout};
use crate::simulate::audit::{NARROW, events, lines};
use crate::simulate::sizes::INTENTS;

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

/// An earlier answer without an intent has no margin of it.
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
