//! The seat-seconds of requests that waited in queues, and sums of several runs.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod numbers;
mod samples;

use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::metrics::StoredObjects;
use k8s_flowcontrol_analysis::traffic::{Accounting, LevelTraffic, Report, Traffic, WaitSource};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use samples::{node, renewals};
use serde_json::json;
use std::io;

/// A level that has 10 of 20 seats, and neither lends nor borrows; the mandatory level has the rest.
fn level(response: &str) -> PriorityLevelConfiguration {
    let mut limit = json!({"type": response});
    if response == "Queue" {
        limit["queuing"] = json!({"queues": 4, "handSize": 1, "queueLengthLimit": 50});
    }
    serde_json::from_value(json!({
        "metadata": {"name": "batch"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 5, "borrowingLimitPercent": 0, "limitResponse": limit}},
    }))
    .unwrap()
}

fn schema() -> FlowSchema {
    serde_json::from_value(json!({
        "metadata": {"name": "batch"},
        "spec": {
            "matchingPrecedence": 100,
            "priorityLevelConfiguration": {"name": "batch"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": "alice"}}, {"kind": "User", "user": {"name": "bob"}}],
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true,
                    "namespaces": ["*"]}],
            }],
        },
    }))
    .unwrap()
}

/// A request that arrives and ends at these milliseconds after a minute.
fn event(id: usize, user: &str, begin: u64, end: u64, wait: Option<&str>, code: u16) -> String {
    let time = |ms: u64| format!("2026-01-01T00:00:{:02}.{:03}000Z", ms / 1000, ms % 1000);
    let mut annotations = json!({});
    if code != 429 {
        annotations["authorization.k8s.io/decision"] = "allow".into();
    }
    if let Some(wait) = wait {
        annotations["apiserver.latency.k8s.io/apf-queue-wait"] = wait.into();
    }
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": id.to_string(), "stage": "ResponseComplete",
        "verb": "get", "requestURI": "/api/v1/nodes/a", "objectRef": {"resource": "nodes", "name": "a"},
        "user": {"username": user, "groups": ["system:authenticated"]}, "responseStatus": {"code": code},
        "requestReceivedTimestamp": time(begin), "stageTimestamp": time(end), "annotations": annotations,
    })
    .to_string()
}

fn report(accounting: &Accounting, log: &[String]) -> Report {
    let mut traffic = Traffic::new(accounting);
    let mut audit = AuditLog::new();
    traffic.begin_log();
    let text = log.join("\n");
    audit
        .read(text.as_bytes(), |event| {
            traffic.add(event, accounting.sample(event));
            Ok::<(), io::Error>(())
        })
        .unwrap();
    let counts = audit.finish(|_| Ok::<(), io::Error>(())).unwrap();
    traffic.add_counts(&counts);
    traffic.report()
}

fn accounting(response: &str) -> Accounting {
    Accounting::new(&[schema()], &[level(response)], 20, Release::NEWEST)
}

/// A partial result keeps the newest of the requests that are not complete, and counts the others.
#[test]
fn a_partial_result_keeps_a_limited_number_of_requests() {
    let (most, more) = (65_536, 3);
    let accounting = accounting("Reject");
    let begun = event(1, "alice", 0, 0, None, 200).replace("ResponseComplete", "RequestReceived");
    let mut audit = AuditLog::new();
    let mut read = |_: &Event<'_>| Ok::<(), io::Error>(());
    audit.read(begun.as_bytes(), &mut read).unwrap();
    let mut traffic = Traffic::partial(&accounting);
    let add = |event: &Event<'_>| {
        let mut event = event.clone();
        let sample = accounting.sample(&event);
        for id in 0..most + more {
            event.audit_id = id.to_string().into();
            traffic.add_open(&event, sample.clone());
        }
        Ok::<(), io::Error>(())
    };
    audit.finish(add).unwrap();
    let json = String::from_utf8(traffic.clone().to_json().unwrap()).unwrap();
    assert_eq!(json.matches("\"key\":").count(), most);
    assert!(json.contains(&format!("\"key\":\"{more} ")));
    assert!(!json.contains(&format!("\"key\":\"{} ", more - 1)));
    let report = traffic.report();
    let count = (most + more) as u64;
    assert_eq!((report.requests, report.incomplete), (count, count));
}

#[test]
fn recorded_waits_are_not_seat_seconds() {
    let mut log = renewals(10, node);
    log.extend([
        event(1, "alice", 0, 3000, Some("1.5s"), 200),
        event(2, "bob", 500, 1000, None, 200),
        // Never executed.
        event(3, "bob", 1000, 16000, Some("15s"), 429),
    ]);
    let report = report(&accounting("Queue"), &log);
    assert_eq!(report.waits, WaitSource::Recorded);
    let batch = batch(&report);
    assert_eq!((batch.sums.seat_seconds, batch.sums.rejected), (2.0, 1));
    // The short request cannot have waited: the level had seats.
    assert_eq!(batch.least_seat_seconds, 2.0);
    // In the last second of the first request.
    assert_eq!(batch.peak_seats, 1.0);
    let flows: Vec<_> = report
        .flows
        .iter()
        .filter(|flow| flow.flow_schema == "batch")
        .map(|flow| (flow.flow.as_str(), flow.sums.seat_seconds))
        .collect();
    assert_eq!(flows, [("alice", 1.5), ("bob", 0.5)]);
}

#[test]
fn without_recorded_waits_a_level_uses_at_most_its_limit() {
    // 40 requests at once at a level of 10 seats: four rounds of a second each.
    let log: Vec<_> = (0..40)
        .map(|id| {
            event(
                id,
                if id % 4 == 0 { "bob" } else { "alice" },
                0,
                (id as u64 / 10 + 1) * 1000,
                None,
                200,
            )
        })
        .collect();
    let modelled = report(&accounting("Queue"), &log);
    assert_eq!(modelled.waits, WaitSource::Modelled);
    let batch = &modelled.priority_levels[0];
    assert_eq!((batch.sums.seat_seconds, batch.peak_seats), (40.0, 10.0));
    assert!(batch.least_seat_seconds <= 40.0, "{batch:?}");
    // Nobody waits at a level that rejects.
    let rejecting = report(&accounting("Reject"), &log);
    assert_eq!(rejecting.priority_levels[0].sums.seat_seconds, 100.0);
    // An upper bound.
    let unknown = report(&accounting("Queue").without_limits(), &log);
    assert_eq!(unknown.waits, WaitSource::Unknown);
    let batch = &unknown.priority_levels[0];
    assert_eq!(
        (
            batch.sums.seat_seconds,
            batch.least_seat_seconds,
            batch.peak_seats
        ),
        (100.0, 0.0, 40.0)
    );
}

#[test]
fn partial_results_of_two_servers_add_up() {
    let accounting = accounting("Queue");
    let report = merged([
        partial(0..20, 0, &accounting),
        partial(20..40, 0, &accounting),
    ]);
    let batch = &report.priority_levels[0];
    // Two servers with 10 seats each for the level.
    assert_eq!((batch.sums.seat_seconds, batch.peak_seats), (20.0, 20.0));
}

/// The partial result of requests of alice that take one second.
fn partial(ids: std::ops::Range<usize>, begin: u64, accounting: &Accounting) -> Traffic {
    let log = ids.map(|id| event(id, "alice", begin, begin + 1000, None, 200));
    partial_of(&log.collect::<Vec<_>>(), accounting)
}

fn partial_of(log: &[String], accounting: &Accounting) -> Traffic {
    let mut traffic = Traffic::partial(accounting);
    let mut audit = AuditLog::new();
    traffic.begin_log();
    audit
        .read(log.join("\n").as_bytes(), |event| {
            traffic.add(event, accounting.sample(event));
            Ok::<(), io::Error>(())
        })
        .unwrap();
    Traffic::from_json(&traffic.to_json().unwrap()).unwrap()
}

/// The level of alice and bob.
fn batch(report: &Report) -> &LevelTraffic {
    let mut levels = report.priority_levels.iter();
    levels.find(|level| level.name == "batch").unwrap()
}

fn merged(parts: impl IntoIterator<Item = Traffic>) -> Report {
    let mut all = Traffic::default();
    for part in parts {
        all.merge(part).unwrap();
    }
    all.report()
}

#[test]
fn the_seats_of_a_sum_are_known_if_those_of_every_part_are() {
    let known = accounting("Queue");
    let unknown = accounting("Queue").without_limits();
    let parts = [partial(0..10, 0, &known), partial(10..20, 0, &unknown)];
    for parts in [[0, 1], [1, 0]].map(|order| order.map(|part| parts[part].clone())) {
        let report = merged(parts);
        assert_eq!(report.waits, WaitSource::Unknown);
        // As if all of them waited.
        assert_eq!(report.priority_levels[0].least_seat_seconds, 0.0);
    }
}

#[test]
fn parts_of_one_log_have_a_least_that_one_server_needs() {
    // The level keeps 5 of its 10 seats.
    let mut level = level("Queue");
    let limited = level.spec.limited.as_mut().unwrap();
    limited.lendable_percent = Some(50);
    let accounting = Accounting::new(&[schema()], &[level], 20, Release::NEWEST);
    // In each second 20 requests.
    let report = merged([
        partial(0..20, 0, &accounting),
        partial(20..40, 1000, &accounting),
        partial_of(&renewals(10, node), &accounting),
    ]);
    assert_eq!(batch(&report).least_seat_seconds, 10.0);
}

#[test]
fn limits_and_sums_of_seat_seconds_are_rounded_alike() {
    let mut log = vec![event(0, "alice", 0, 1, None, 200)];
    log[0] = log[0].replace("00.001000Z", "00.000500Z");
    let report = report(&accounting("Reject"), &log);
    let batch = &report.priority_levels[0];
    assert_eq!(batch.sums.seat_seconds, 0.001);
    assert_eq!(
        (batch.least_seat_seconds, batch.most_seat_seconds),
        (0.001, 0.001)
    );
}

/// Requests of a fifth of a millisecond are a part of the seats in use, too.
#[test]
fn short_requests_add_up_to_the_seats_of_a_minute() {
    let log: Vec<_> = (0..60)
        .map(|id| event(id, "alice", 0, 1, None, 200).replace("00.001000Z", "00.000200Z"))
        .collect();
    let report = report(&accounting("Reject"), &log);
    assert_eq!(report.priority_levels[0].sums.seat_seconds, 0.012);
    assert_eq!(report.priority_levels[0].peak_seats, 0.012);
    // 12 ms of 60 s, in thousandths.
    let longer: Vec<_> = (0..6000)
        .map(|id| event(id, "alice", 0, 1, None, 200).replace("00.001000Z", "00.000200Z"))
        .collect();
    let minutes = self::report(&accounting("Reject"), &longer).minutes;
    assert_eq!(minutes[0].mean_seats, 0.02);
}

#[test]
fn the_stored_objects_of_a_sum_are_those_of_every_part() {
    let stored = |number: u32| {
        let metric =
            format!("apiserver_resource_objects{{group=\"\",resource=\"nodes\"}} {number}\n");
        accounting("Queue").stored(StoredObjects::parse(&metric))
    };
    let part = |ids, number| partial(ids, 0, &stored(number));
    let same = merged([part(0..1, 1), part(1..2, 1)]);
    assert_eq!(
        same.stored_objects.as_ref(),
        Some(stored(1).stored_objects())
    );
    // Different numbers are not unknown ones: lists have the seats of their part.
    for others in [
        [part(0..1, 1), part(1..2, 2), part(2..3, 1)],
        [
            part(0..1, 2),
            part(1..2, 1),
            partial(2..3, 0, &accounting("Queue")),
        ],
    ] {
        assert_eq!(merged(others).stored_objects, None);
    }
}

#[test]
fn parts_with_and_without_a_proposed_configuration_have_no_sum() {
    let without = accounting("Queue");
    let with = accounting("Queue").compare(&[schema()], &[level("Queue")]);
    let mut all = partial(0..1, 0, &with);
    assert!(all.merge(partial(1..2, 0, &without)).is_err());
    // Also without requests, and in either order.
    assert!(all.merge(partial(0..0, 0, &without)).is_err());
    let mut all = partial(0..0, 0, &without);
    assert!(all.merge(partial(0..1, 0, &with)).is_err());
    // Another proposed configuration.
    let other = accounting("Queue").compare(&[], &[level("Queue")]);
    let mut all = partial(0..1, 0, &with);
    assert!(all.merge(partial(1..2, 0, &other)).is_err());
    all.merge(partial(1..2, 0, &with)).unwrap();
}

/// Short values would take many times the memory of their text.
#[test]
fn partial_results_that_no_run_writes_are_not_read() {
    let known = partial(0..1, 0, &accounting("Queue")).to_json().unwrap();
    let text = String::from_utf8(known).unwrap();
    let read = |text: &str| Some(Traffic::from_json(text.as_bytes()).err()?.to_string());
    assert_eq!(read(&text), None);
    let ended = r#""ended":["0 2026-01-01T00:00:00.000000Z"]"#;
    let with = |number: usize| {
        let list = vec![r#""""#; number].join(",");
        assert!(text.contains(ended), "{text}");
        read(&text.replace(ended, &format!(r#""ended":[{list}]"#)))
    };
    assert_eq!(with(1 << 20), None);
    let error = with((1 << 20) + 1).unwrap();
    assert!(
        error.contains("expected a list of at most 1048576 requests"),
        "{error}"
    );
    let stored = r#""storedObjects":{}"#;
    let with = |number: u32| {
        let resources: Vec<_> = (0..number).map(|id| format!(r#""{id}":{{}}"#)).collect();
        assert!(text.contains(stored), "{text}");
        let list = resources.join(",");
        read(&text.replace(stored, &format!(r#""storedObjects":{{{list}}}"#)))
    };
    assert_eq!(with(1 << 16), None);
    let error = with((1 << 16) + 1).unwrap();
    assert!(
        error.contains("expected the stored objects of at most 65536 resources"),
        "{error}"
    );
    for (seconds, is_read) in [(59, false), (60, true), (61, false)] {
        let minute = format!("[{}]", vec!["0"; seconds].join(","));
        let begin = text.find(r#""inUse":[["#).unwrap();
        let end = begin + text[begin..].find(r#","atMost""#).unwrap();
        let other = format!(
            r#"{}"inUse":[["batch",{{"1":{minute}}}]]{}"#,
            &text[..begin],
            &text[end..]
        );
        assert_eq!(read(&other).is_none(), is_read, "{seconds}");
    }
}

#[test]
fn a_flow_schema_that_is_given_twice_is_named_once() {
    let accounting = Accounting::new(
        &[schema(), schema()],
        &[level("Queue")],
        20,
        Release::NEWEST,
    );
    let unused = report(&accounting, &[]).unused_flow_schemas;
    assert_eq!(unused.len(), 1, "{unused:?}");
}
