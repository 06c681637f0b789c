//! The numbers of the state and of its journal, which a file can have wrong.

use super::live::{NOW, WINDOW, add, counter, event, requests};
use crate::numbers::{numbers, try_all, with};
use k8s_flowcontrol_analysis::callers::By;
use k8s_flowcontrol_analysis::live::{Fingerprint, Found, Live, Threshold, journal};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A state that has every field.
fn state() -> Value {
    let mut live = Live::new(WINDOW, By::Caller);
    let events = [
        event("1", "alice", 5, 200),
        event("2", "bob", 1, 429),
        event("3", "bob", 7, 200),
    ];
    add(&mut live, &mut counter(), &events);
    live.add_batch(3, 9);
    live.add_lost_ends(1);
    live.tail("audit.log").plan(&[Found {
        fingerprint: Fingerprint::of(b"line\n"),
        size: Some(5),
        modified_us: NOW,
        is_current: true,
    }]);
    let threshold: Threshold = "all.requests>1/h".parse().unwrap();
    assert_eq!(live.check(&[threshold], NOW).len(), 1);
    serde_json::from_slice(&live.to_json().unwrap()).unwrap()
}

/// Continues from a state, with another request, and returns all that is reported of it.
fn continued(value: &Value) -> Result<String, String> {
    let read = |text: &[u8]| Live::from_json(text, WINDOW, By::Caller);
    let mut live = read(value.to_string().as_bytes()).map_err(|error| error.to_string())?;
    for id in ["4", "5"] {
        add(&mut live, &mut counter(), &[event(id, "bob", 1, 429)]);
        live.add_batch(1, 10);
    }
    live.add_lost_ends(1);
    let threshold: Threshold = "caller.requests>1/h".parse().unwrap();
    live.check(&[threshold], NOW);
    live.tail("audit.log").plan(&[]);
    let summary = serde_json::to_string(&live.summary(NOW)).unwrap();
    let metrics = live.metrics(NOW, &BTreeMap::new());
    // A later run reads what this one wrote.
    read(&live.to_json().unwrap()).map_err(|error| format!("again: {error}"))?;
    Ok(summary + &metrics)
}

/// Of every number in a state, every other number is read and added up, or an error names it.
#[test]
fn no_number_of_a_state_overflows() {
    let known = state();
    assert!(continued(&known).is_ok());
    let mut places = Vec::new();
    numbers(&known, "", &mut places);
    // Another version has a separate error, and another window begins empty.
    places.retain(|(path, _)| path != "/schemaVersion" && path != "/windowUs");
    for field in [
        "/totals/catch-all~1catch-all/seatUs",
        "/totals/catch-all~1catch-all/hastyRetries",
        "/events",
        "/lastUs",
        "/firstUs",
        "/sequence",
        "/alerts/active/0/sinceUs",
        "/tails/audit.log/files/0/missing",
    ] {
        let is_tried = places.iter().any(|(path, _)| path == field);
        assert!(is_tried, "{field}: {places:?}");
    }
    try_all(&known, &places, continued);
    let wrong = |path| continued(&with(&known, path, false, &json!(u64::MAX))).unwrap_err();
    let count = "invalid value: integer `18446744073709551615`, expected a whole number from 0 to 1152921504606846975";
    for (path, shown) in [
        (
            "/totals/catch-all~1catch-all/requests",
            "totals.catch-all/catch-all.requests: ",
        ),
        (
            "/totals/catch-all~1catch-all/seatUs",
            "totals.catch-all/catch-all.seatUs: ",
        ),
        ("/events", "events: "),
        ("/sequence", "sequence: "),
    ] {
        let error = wrong(path);
        assert!(error.starts_with(&format!("{shown}{count}")), "{error}");
    }
    let error = wrong("/lastUs");
    assert!(error.starts_with("lastUs: invalid value: "), "{error}");
}

/// The newest record of a journal is kept too if it is whole.
#[test]
fn a_wrong_number_of_a_journal_is_named() {
    let record = journal::line(
        1,
        1,
        &requests(&mut counter(), &[event("1", "bob", 1, 200)]),
    );
    let record: Value = serde_json::from_slice(&record.unwrap()).unwrap();
    for (path, shown) in [
        ("/sequence", "sequence: "),
        ("/events", "events: "),
        ("/requests/0/timeUs", "requests[0].timeUs: "),
        ("/requests/0/sums/seatUs", "requests[0].sums.seatUs: "),
    ] {
        let line = format!("{}\n", with(&record, path, false, &json!(u64::MAX)));
        for text in [line.clone(), format!("{line}{record}\n")] {
            let mut live = Live::new(WINDOW, By::Caller);
            let error = journal::replay(text.as_bytes(), &mut live, NOW).unwrap_err();
            let expected = format!(
                "line 1 is not a record of a batch: {shown}invalid value: integer `18446744073709551615`"
            );
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
    }
}

/// A request of an event that is hostile is as long as a state can have.
#[test]
fn a_state_that_a_run_wrote_is_read() {
    let mut endless = event("1", "alice", 5, 200);
    endless["requestReceivedTimestamp"] = "0001-01-01T00:00:00Z".into();
    endless["stageTimestamp"] = "9999-12-30T00:00:00Z".into();
    let mut live = Live::new(WINDOW, By::Caller);
    let found = requests(&mut counter(), &vec![endless; 8]);
    for request in &found {
        live.add(request, NOW);
    }
    let text = live.to_json().unwrap();
    assert_eq!(Live::from_json(&text, WINDOW, By::Caller).unwrap(), live);
    let mut again = Live::new(WINDOW, By::Caller);
    let record = journal::line(1, 1, &found).unwrap();
    assert_eq!(
        journal::replay(&record, &mut again, NOW).unwrap(),
        record.len()
    );
}
