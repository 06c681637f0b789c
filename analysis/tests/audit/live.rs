//! Requests as they are logged: windows, alerts, metrics, the state and its journal.

use k8s_flowcontrol_analysis::audit::{BatchError, read_batch};
use k8s_flowcontrol_analysis::callers::By;
use k8s_flowcontrol_analysis::live::{Counter, Live, Request, Threshold, journal};
use k8s_flowcontrol_analysis::redact::Redactor;
use k8s_flowcontrol_analysis::traffic::Accounting;
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_types::Release;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) const WINDOW: Duration = Duration::from_secs(60);
/// 2026-01-01T00:10:00Z.
pub(super) const NOW: i64 = 1_767_226_200_000_000;
const SECOND: i64 = 1_000_000;

fn accounting() -> Accounting {
    Accounting::new(&[], &[], 600, Release::NEWEST)
}

pub(super) fn counter() -> Counter {
    Counter::new(accounting(), By::Caller, Redactor::default())
}

/// A request that ended `ago` seconds before now.
pub(super) fn event(id: &str, user: &str, ago: i64, code: u16) -> Value {
    let time = |microseconds: i64| {
        let second = 600 + microseconds.div_euclid(SECOND);
        format!(
            "2026-01-01T00:{:02}:{:02}.000000Z",
            second / 60,
            second % 60
        )
    };
    json!({
        "level": "Metadata", "auditID": id, "stage": "ResponseComplete", "verb": "list",
        "requestURI": "/api/v1/pods?limit=10", "user": {"username": user}, "objectRef": {"resource": "pods"},
        "responseStatus": {"code": code},
        "requestReceivedTimestamp": time(-(ago + 2) * SECOND), "stageTimestamp": time(-ago * SECOND),
    })
}

fn batch(events: &[Value]) -> String {
    json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "metadata": {}, "items": events})
        .to_string()
}

pub(super) fn requests(counter: &mut Counter, events: &[Value]) -> Vec<Request> {
    let mut requests = Vec::new();
    read_batch(&batch(events), |event| {
        requests.extend(counter.count(event))
    })
    .unwrap();
    requests
}

pub(super) fn add(live: &mut Live, counter: &mut Counter, events: &[Value]) {
    for request in requests(counter, events) {
        live.add(&request, NOW);
    }
}

#[test]
fn rates_refer_to_the_time_since_the_first_request() {
    let mut live = Live::new(WINDOW, By::Caller);
    let observed = |live: &Live| live.summary(NOW).observed_seconds;
    assert_eq!(observed(&live), 0.0);
    add(&mut live, &mut counter(), &[event("1", "alice", 5, 200)]);
    assert_eq!(observed(&live), 5.0);
    // A restart keeps it. The window consists of spans of two seconds, of which the last one begins now.
    live = Live::from_json(&live.to_json().unwrap(), WINDOW, By::Caller).unwrap();
    assert_eq!(observed(&live), 5.0);
    // An empty window of another length knows nothing of the time before.
    let mut other = Live::from_json(&live.to_json().unwrap(), WINDOW / 2, By::Caller).unwrap();
    add(&mut other, &mut counter(), &[event("2", "alice", 1, 200)]);
    assert_eq!(observed(&other), 1.0);
    // A state of an earlier version, whose window has requests.
    let mut old: Value = serde_json::from_slice(&live.to_json().unwrap()).unwrap();
    assert!(old.as_object_mut().unwrap().remove("firstUs").is_some());
    let mut old = Live::from_json(old.to_string().as_bytes(), WINDOW, By::Caller).unwrap();
    add(&mut old, &mut counter(), &[event("2", "alice", 1, 200)]);
    assert_eq!(observed(&old), 58.0);
    add(&mut live, &mut counter(), &[event("2", "alice", 300, 200)]);
    assert_eq!(observed(&live), 58.0);
}

#[test]
fn a_window_rolls_and_counts_each_request_once() {
    let mut live = Live::new(WINDOW, By::Caller);
    let mut counter = counter();
    let mut received = event("1", "alice", 50, 200);
    received["stage"] = json!("RequestReceived");
    let events = [
        received,
        event("1", "alice", 50, 200),
        event("2", "bob", 5, 429),
        // It came again, in a batch whose answer was lost.
        event("2", "bob", 5, 429),
        // It ended before the window, and one will end in the future.
        event("3", "bob", 300, 200),
        event("4", "alice", -100, 200),
    ];
    add(&mut live, &mut counter, &events);
    let summary = live.summary(NOW);
    assert_eq!((summary.sums.requests, summary.sums.rejected), (3, 1));
    assert_eq!(
        (
            summary.total_requests,
            summary.late_requests,
            summary.duplicates
        ),
        (4, 1, 1)
    );
    assert_eq!(summary.time, "2026-01-01T00:10:00Z");
    let callers: Vec<_> = summary
        .callers
        .iter()
        .map(|own| (own.name.as_str(), own.sums.requests))
        .collect();
    assert_eq!(callers, [("alice", 2), ("bob", 1)]);
    assert_eq!(summary.priority_levels[0].name, "catch-all");
    // Two seconds each with one seat; a rejected request does not execute.
    assert_eq!(summary.priority_levels[0].sums.seat_seconds(), 4.0);
    // The request of 50 seconds ago leaves the window after 10 seconds.
    assert_eq!(live.summary(NOW + 30 * SECOND).sums.requests, 2);
    assert_eq!(live.summary(NOW + 200 * SECOND).sums.requests, 0);
}

#[test]
fn only_batches_are_read_and_as_a_whole() {
    let none = |text: &str| read_batch(text, |_| {});
    for text in [
        "",
        "{}",
        "[]",
        &event("1", "a", 1, 200).to_string(),
        "{\"kind\": \"EventList\"}",
        &batch(&[])[..40],
    ] {
        assert_eq!(none(text), Err(BatchError::NotABatch), "{text}");
    }
    assert_eq!(none(&batch(&[])), Ok(0));
    let broken = batch(&[event("1", "a", 1, 200), json!({"auditID": "2"})]);
    assert_eq!(none(&broken), Err(BatchError::NotAnEvent(1)));
    assert!(
        none(&broken)
            .unwrap_err()
            .to_string()
            .starts_with("items[1] is not an audit event")
    );
}

#[test]
fn thresholds_begin_and_end_alerts() {
    let thresholds: Vec<Threshold> = [
        "caller.requests>20/m",
        "all.rejected>10%",
        "level.seats > 0.5",
        "caller.errors>1/s",
    ]
    .map(|text| text.parse().unwrap())
    .to_vec();
    let mut live = Live::new(WINDOW, By::Caller);
    let mut counter = counter();
    let busy: Vec<_> = (0..30)
        .map(|n| event(&format!("a{n}"), "alice", 20, if n < 5 { 429 } else { 200 }))
        .collect();
    add(&mut live, &mut counter, &busy);
    add(&mut live, &mut counter, &[event("b", "bob", 20, 429)]);
    let changes = live.check(&thresholds, NOW);
    let shown: Vec<_> = changes
        .iter()
        .map(|own| {
            (
                own.threshold.as_str(),
                own.name.as_str(),
                own.is_active,
                own.value,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("all.rejected>10%", "", true, Some(19.355)),
            ("caller.requests>20/m", "alice", true, Some(30.0)),
            ("level.seats>0.5", "catch-all", true, Some(0.833)),
        ]
    );
    // Nothing new.
    assert_eq!(live.check(&thresholds, NOW), []);
    // The alerts survive a restart, and end when the window has rolled.
    let mut live = Live::from_json(&live.to_json().unwrap(), WINDOW, By::Caller).unwrap();
    assert_eq!(live.check(&thresholds, NOW), []);
    let ended = live.check(&thresholds, NOW + 100 * SECOND);
    assert_eq!(ended.len(), 3);
    assert!(
        ended
            .iter()
            .all(|own| !own.is_active && own.value.is_none())
    );
}

/// A threshold of 20 requests is not a percentage.
#[test]
fn a_percentage_needs_enough_requests() {
    let threshold: Threshold = "caller.rejected>1%".parse().unwrap();
    let mut live = Live::new(WINDOW, By::Caller);
    let mut counter = counter();
    for number in 0..19 {
        add(
            &mut live,
            &mut counter,
            &[event(&number.to_string(), "alice", 1, 429)],
        );
        assert_eq!(live.check(std::slice::from_ref(&threshold), NOW), []);
    }
    add(&mut live, &mut counter, &[event("last", "alice", 1, 200)]);
    let changes = live.check(&[threshold], NOW);
    assert_eq!(changes[0].value, Some(95.0));
}

#[test]
fn a_wrong_threshold_names_its_mistake() {
    for (text, expected) in [
        ("requests", "is not a threshold"),
        ("caller.requests", "is not a threshold"),
        ("caller.requests>x/s", "is not a threshold"),
        ("callers.requests>1/s", "\"callers\" is not a scope"),
        ("caller.rejections>1/s", "\"rejections\" is not a measure"),
        ("caller.requests>1", "has no unit"),
        ("caller.requests>1/d", "has no unit"),
        ("level.seats>1/s", "seats have no unit"),
    ] {
        let error = text.parse::<Threshold>().unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn the_journal_has_what_the_state_lacks() {
    let mut counter = counter();
    let batches: Vec<_> = ["1", "2", "3"]
        .map(|id| requests(&mut counter, &[event(id, "alice", 1, 200)]))
        .to_vec();
    let records: Vec<Vec<u8>> = batches
        .iter()
        .zip(1..)
        .map(|(requests, sequence)| journal::line(sequence, 1, requests).unwrap())
        .collect();
    // The state has the first two batches; the journal was not emptied, and its end is cut.
    let mut live = Live::new(WINDOW, By::Caller);
    for (sequence, requests) in (1..).zip(&batches[..2]) {
        live.add(&requests[0], NOW);
        live.add_batch(1, sequence);
    }
    let state = live.to_json().unwrap();
    let whole = records.concat();
    let cut = [&whole, &records[0][..20]].concat();
    let mut live = Live::from_json(&state, WINDOW, By::Caller).unwrap();
    assert_eq!(journal::replay(&cut, &mut live, NOW).unwrap(), whole.len());
    let summary = live.summary(NOW);
    assert_eq!(
        (summary.total_requests, summary.duplicates, live.sequence()),
        (3, 0, 3)
    );
    // A cut at every byte loses only the records that are cut.
    for length in 0..whole.len() {
        let mut live = Live::new(WINDOW, By::Caller);
        let kept = journal::replay(&whole[..length], &mut live, NOW).unwrap();
        assert!(kept <= length);
        let records = whole[..length]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count() as u64;
        assert_eq!(live.summary(NOW).total_requests, records);
    }
    let damaged = [b"x\n" as &[u8], &whole].concat();
    let error = journal::replay(&damaged, &mut live, NOW).unwrap_err();
    let expected = "line 1 is not a record of a batch: expected value at column 1";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_state_is_kept_whole_and_others_are_rejected() {
    let mut live = Live::new(WINDOW, By::Caller);
    let mut counter = counter();
    add(
        &mut live,
        &mut counter,
        &[event("1", "alice", 1, 200), event("2", "bob", 500, 200)],
    );
    live.add_batch(2, 9);
    let text = live.to_json().unwrap();
    assert_eq!(Live::from_json(&text, WINDOW, By::Caller).unwrap(), live);
    // Another window begins empty; earlier counts are still known.
    let mut other = Live::from_json(&text, 2 * WINDOW, By::User).unwrap();
    assert_eq!(
        (
            other.summary(NOW).sums.requests,
            other.summary(NOW).total_requests
        ),
        (0, 2)
    );
    add(&mut other, &mut counter, &[event("1", "alice", 1, 200)]);
    assert_eq!(other.summary(NOW).duplicates, 1);
    for text in ["", "{}", "[1]"] {
        assert!(Live::from_json(text.as_bytes(), WINDOW, By::Caller).is_err());
    }
    let newer = String::from_utf8(text)
        .unwrap()
        .replace("\"schemaVersion\":1", "\"schemaVersion\":2");
    let error = Live::from_json(newer.as_bytes(), WINDOW, By::Caller).unwrap_err();
    assert_eq!(error.to_string(), "the text is not a state of this version");
}

#[test]
fn metrics_are_the_traffic_and_escape_names() {
    let schemas = bootstrap::flow_schemas(Release::NEWEST);
    let levels = bootstrap::priority_levels(Release::NEWEST);
    let accounting = Accounting::new(&schemas, &levels, 600, Release::NEWEST);
    let mut counter = Counter::new(accounting, By::Caller, Redactor::default());
    let mut live = Live::new(WINDOW, By::Caller);
    let threshold: Threshold = "caller.requests>0.01/s".parse().unwrap();
    add(
        &mut live,
        &mut counter,
        &[
            event("1", "a\"b\\c\nd", 1, 200),
            event("2", "system:kube-scheduler", 1, 429),
        ],
    );
    live.check(&[threshold], NOW);
    let text = live.metrics(NOW, &[(429, 3)].into());
    for line in [
        "# TYPE k8s_flowcontrol_traffic_requests_total counter",
        "k8s_flowcontrol_traffic_requests_total{priority_level=\"workload-high\",flow_schema=\"kube-scheduler\"} 1",
        "k8s_flowcontrol_traffic_rejected_requests_total{priority_level=\"workload-high\",flow_schema=\"kube-scheduler\"} 1",
        "k8s_flowcontrol_traffic_seat_seconds_total{priority_level=\"catch-all\",flow_schema=\"catch-all\"} 2",
        "k8s_flowcontrol_traffic_window_requests{caller=\"a\\\"b\\\\c\\nd\"} 1",
        "k8s_flowcontrol_traffic_alert_active{threshold=\"caller.requests>0.01/s\",name=\"kube-scheduler\"} 1",
        "k8s_flowcontrol_traffic_rejected_batches_total{code=\"429\"} 3",
        "k8s_flowcontrol_traffic_last_request_timestamp_seconds 1767226199",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
    // Each sample belongs to the family above it.
    let mut family = "";
    for line in text.lines() {
        match line.strip_prefix("# TYPE ") {
            Some(rest) => family = rest.split(' ').next().unwrap(),
            None if line.starts_with('#') => {}
            None => assert_eq!(line.split([' ', '{']).next(), Some(family), "{line}"),
        }
    }
}

#[test]
fn nothing_that_is_kept_or_shown_has_an_original_name() {
    let redactor = Redactor::with_key("key");
    let mut counter = Counter::new(accounting().redact(redactor.clone()), By::Caller, redactor);
    let mut live = Live::new(WINDOW, By::Caller);
    let mut own = event("1", "acme-alice", 1, 200);
    own["userAgent"] = json!("acme-tool/1.0");
    own["sourceIPs"] = json!(["192.0.2.77"]);
    own["requestURI"] = json!("/api/v1/namespaces/acme-ns/pods/acme-pod?labelSelector=acme");
    own["objectRef"] = json!({"resource": "pods", "namespace": "acme-ns", "name": "acme-pod"});
    own["user"]["groups"] = json!(["acme-group"]);
    let requests = requests(&mut counter, &[own]);
    for request in &requests {
        live.add(request, NOW);
    }
    let threshold: Threshold = "caller.requests>0.001/s".parse().unwrap();
    let alerts = live.check(&[threshold], NOW);
    let outputs = [
        String::from_utf8(journal::line(1, 1, &requests).unwrap()).unwrap(),
        String::from_utf8(live.to_json().unwrap()).unwrap(),
        serde_json::to_string(&live.summary(NOW)).unwrap(),
        serde_json::to_string(&alerts).unwrap(),
        live.metrics(NOW, &BTreeMap::new()),
    ];
    assert_eq!((requests.len(), alerts.len()), (1, 1));
    for output in outputs {
        assert!(
            !output.contains("acme") && !output.contains("192.0.2"),
            "{output}"
        );
        assert!(!output.is_empty());
    }
}
