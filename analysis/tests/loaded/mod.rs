//! A recorded run of a busy server: the conclusions beside the server's own counts. The table stands in README.md.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod made_up;
mod mixed;
mod predicted;
mod truth;
pub(crate) mod verified;

use flate2::read::MultiGzDecoder;
use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::metrics::Histograms;
use k8s_flowcontrol_analysis::metrics::catalog::REQUEST_WAIT_DURATION_SECONDS;
use k8s_flowcontrol_analysis::simulation::{Compared, Prediction, Report};
use k8s_flowcontrol_analysis::traffic::{self, Accounting, Traffic, WaitSource};
use k8s_flowcontrol_rules::matching::Classifier;
use k8s_flowcontrol_types::Release;
use predicted::{Objects, events, predict, prepare};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, BufReader, Read};
use std::time::Duration;
use verified::{AFTER, BEFORE, unpacked};

const LOG: &[u8] = include_bytes!("../fixtures/loaded/audit.log.gz");
const OBJECTS: &str = include_str!("../fixtures/loaded/objects.json");
const REJECTING_LOG: &[u8] = include_bytes!("../fixtures/rejecting/audit.log.gz");
const REJECTING_OBJECTS: &str = include_str!("../fixtures/rejecting/objects.json");
const ANSWERS: &str = include_str!("../fixtures/loaded/answers.json");
const SERVER: &str = include_str!("../fixtures/loaded/server.json");
const README: &str = include_str!("../../README.md");
const SEATS: u32 = 30;

fn objects() -> Objects {
    objects_of(OBJECTS)
}

fn objects_of(text: &str) -> Objects {
    let list: Value = serde_json::from_str(text).unwrap();
    let (mut schemas, mut levels) = (Vec::new(), Vec::new());
    for item in list["items"].as_array().unwrap() {
        match item["kind"].as_str().unwrap() {
            "FlowSchema" => schemas.push(serde_json::from_value(item.clone()).unwrap()),
            _ => levels.push(serde_json::from_value(item.clone()).unwrap()),
        }
    }
    (schemas, levels)
}

fn each(add: impl FnMut(&Event<'_>)) {
    each_of(LOG, add);
}

fn each_of(text: &[u8], mut add: impl FnMut(&Event<'_>)) {
    let mut log = AuditLog::new();
    let mut each = |event: &Event<'_>| {
        add(event);
        Ok::<(), io::Error>(())
    };
    log.read(BufReader::new(MultiGzDecoder::new(text)), &mut each)
        .unwrap();
    log.finish(&mut each).unwrap();
}

#[test]
fn seat_seconds_are_near_the_executed_time_of_the_server() {
    let report = traffic(LOG, &objects());
    let server: Value = serde_json::from_str(SERVER).unwrap();
    let mut table = String::new();
    for level in &report.priority_levels {
        let Some(executed) = server[&level.name]["executed"].as_f64() else {
            panic!("{} has no count of the server", level.name);
        };
        let own = level.sums.seat_seconds;
        let error = (own / executed - 1.0) * 100.0;
        // The time that a server spends before flow control and after the response is not execution time.
        assert!((-2.0..9.0).contains(&error), "{}: {error} %", level.name);
        let rounded = 0.001;
        assert!(
            (level.least_seat_seconds - rounded..=level.most_seat_seconds + rounded).contains(&own),
            "{level:?}"
        );
        writeln!(
            table,
            "| {} | {executed:.1} | {own:.1} | {:.1} to {:.1} | {error:.1} % |",
            level.name, level.least_seat_seconds, level.most_seat_seconds
        )
        .unwrap();
    }
    assert!(README.contains(&table), "README.md lacks:\n{table}");
}

fn traffic(log: &[u8], objects: &Objects) -> traffic::Report {
    traffic_of(|add| each_of(log, add), objects)
}

fn traffic_of(
    read: impl FnOnce(&mut dyn FnMut(&Event<'_>)),
    (schemas, levels): &Objects,
) -> traffic::Report {
    let accounting = Accounting::new(schemas, levels, SEATS, Release::nearest(36));
    let mut traffic = Traffic::new(&accounting);
    traffic.begin_log();
    read(&mut |event| traffic.add(event, accounting.sample(event)));
    traffic.report()
}

/// Without the seats of the server nothing is known about the waits that the log lacks.
#[test]
fn seat_seconds_are_upper_bounds_if_the_seats_are_unknown() {
    let (schemas, levels) = objects();
    let accounting = Accounting::new(&schemas, &levels, 600, Release::nearest(36)).without_limits();
    let mut traffic = Traffic::new(&accounting);
    traffic.begin_log();
    each(|event| traffic.add(event, accounting.sample(event)));
    let report = traffic.report();
    assert_eq!(report.waits, WaitSource::RecordedAlone);
    let server: Value = serde_json::from_str(SERVER).unwrap();
    for level in &report.priority_levels {
        let executed = server[&level.name]["executed"].as_f64().unwrap();
        assert!(level.sums.seat_seconds > executed, "{level:?}");
        assert!((level.sums.seat_seconds - level.most_seat_seconds).abs() < 0.01);
    }
}

/// A webhook slept for a known time in each request of that run. Its call and the rest of the request take some milliseconds more.
#[test]
fn seat_seconds_of_flows_are_near_their_known_executions() {
    let report = traffic(REJECTING_LOG, &objects_of(REJECTING_OBJECTS));
    let executed = [
        ("alice", 0.2),
        ("carol", 0.5),
        ("bob", 0.05),
        ("dave", 0.05),
    ];
    for (user, seconds) in executed {
        let flow = report.flows.iter().find(|flow| flow.flow == user).unwrap();
        let sums = &flow.sums;
        let executed = (sums.requests - sums.rejected) as f64;
        let longer = (sums.seat_seconds / executed - seconds) * 1000.0;
        assert!((0.0..8.0).contains(&longer), "{user}: {longer} ms");
    }
}

#[test]
fn every_request_is_classified_as_the_server_answered() {
    let (schemas, levels) = objects();
    let classifier = Classifier::new(&schemas, &levels, Release::nearest(36));
    let mut found = BTreeMap::<[String; 3], u64>::new();
    each(|event| {
        let attributes = event.attributes();
        let taken = classifier.classify(&attributes).unwrap();
        let [user, schema, level] = [
            attributes.user.name.as_str(),
            taken.flow_schema,
            taken.priority_level,
        ];
        *found
            .entry([user, schema, level].map(str::to_owned))
            .or_default() += 1;
    });
    // All requests of a user had the same answer, so that the numbers tell each request.
    let answers: Vec<([String; 3], u64)> = serde_json::from_str(ANSWERS).unwrap();
    assert_eq!(found, answers.into_iter().collect());
    assert_eq!(found.values().sum::<u64>(), 3295);
}

/// The same log as a server before 1.31 would write it.
fn without_waits() -> String {
    let mut text = String::new();
    MultiGzDecoder::new(LOG).read_to_string(&mut text).unwrap();
    without_waits_of(&text)
}

fn without_waits_of(log: &str) -> String {
    log.replace("apiserver.latency.k8s.io/apf-queue-wait", "none")
}

#[test]
fn the_simulation_of_the_run_is_the_one_in_the_table() {
    let objects = objects();
    let report = predict(|add| each(add), [&objects, &objects], Release::nearest(36));
    check(&report);
    assert_eq!(report.start_delay.as_millis(), 8);
    let text = without_waits();
    let release = Release::nearest(29);
    let report = predict(events(&text), [&objects, &objects], release);
    check(&report);
    assert_eq!(report.start_delay, Duration::ZERO);
}

/// The events since a moment at which the server was busy.
fn rotated() -> String {
    rotated_at(LOG, "2026-11-23T10:51:52")
}

fn rotated_at(log: &[u8], first: &str) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(log).read_to_string(&mut text).unwrap();
    let ended = |line: &&str| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["stageTimestamp"].as_str().unwrap() >= first
    };
    let lines: Vec<_> = text.lines().filter(ended).collect();
    lines.join("\n")
}

/// A log that begins while the server is busy does not begin with the limits of an idle one.
#[test]
fn limits_before_a_log_follow_from_its_demand() {
    let objects = objects();
    let log = rotated();
    for (log, minor) in [(&log, 36), (&without_waits_of(&log), 29)] {
        let release = Release::nearest(minor);
        check(&predict(events(log), [&objects, &objects], release));
    }
}

/// Clients had long waited for a `Retry-After` of four seconds when the log begins.
#[test]
fn retry_after_before_a_log_follows_from_its_clients() {
    let objects = objects_of(REJECTING_OBJECTS);
    let log = rotated_at(REJECTING_LOG, "2026-11-24T15:07:10");
    check(&predict(
        events(&log),
        [&objects, &objects],
        Release::nearest(36),
    ));
}

/// Waits from queues with the limits of an idle server would be too long.
#[test]
fn seat_seconds_of_a_rotated_log_are_the_same_without_its_waits() {
    let objects = objects();
    let log = rotated();
    let of = |log: &str| {
        let report = traffic_of(events(log), &objects);
        let levels = report.priority_levels.into_iter();
        let levels = levels.map(|level| (level.name, level.sums.seat_seconds));
        levels.collect::<BTreeMap<_, _>>()
    };
    let (recorded, estimated) = (of(&log), of(&without_waits_of(&log)));
    for level in ["batch", "global-default"] {
        let error = estimated[level] / recorded[level] - 1.0;
        assert!(error.abs() < 0.05, "{level}: {error}");
    }
}

/// A server before 1.31 writes no waits into its log, and its metrics count them.
#[test]
fn counted_waits_show_how_late_requests_begin() {
    let objects = objects();
    let [before, after] = [BEFORE, AFTER]
        .map(|text| Histograms::parse(&unpacked(text), &REQUEST_WAIT_DURATION_SECONDS));
    let simulate = |text: &str| {
        let both = [&objects, &objects];
        let counted = after.since(&before);
        let (recording, requests) =
            prepare(events(text), both, Release::nearest(29), Some(counted));
        recording.replay(requests, |_| ())
    };
    let text = without_waits();
    let report = simulate(&text);
    check(&report);
    assert_eq!(report.start_delay.as_millis(), 7);
    // The counts have more requests than a part of the log.
    let lines: Vec<_> = text.lines().collect();
    let half = lines[..lines.len() / 2].join("\n");
    assert_eq!(simulate(&half).start_delay, Duration::ZERO);
}

/// How long clients pause after a rejection decides how many are rejected.
#[test]
fn rejections_are_those_of_a_server_whose_retry_after_grows() {
    let objects = objects_of(REJECTING_OBJECTS);
    let read = |add: &mut dyn FnMut(&Event<'_>)| each_of(REJECTING_LOG, add);
    let report = predict(read, [&objects, &objects], Release::nearest(36));
    check(&report);
    for prediction in report.predictions() {
        let [observed, predicted] =
            [prediction.rejected.observed, prediction.rejected.predicted].map(|count| count as f64);
        let difference = (observed - predicted).abs();
        assert!(
            difference <= 10.0_f64.max(observed * 0.15),
            "{prediction:?}"
        );
    }
}

fn check(report: &Report) {
    let predictions = report.predictions();
    let busy = |prediction: &&Prediction| {
        ["batch", "global-default", "team"].contains(&prediction.priority_level.as_str())
    };
    let mut table = String::new();
    for prediction in predictions.iter().filter(busy) {
        let name = match &prediction.flow {
            None => format!("level {}", prediction.priority_level),
            Some((schema, flow)) => format!("flow {schema}/{flow}"),
        };
        let both = |times: Option<[Compared<Duration>; 2]>| {
            times.unwrap().map(|found| {
                format!(
                    "{} / {}",
                    found.observed.as_millis(),
                    found.predicted.as_millis()
                )
            })
        };
        let ([median, p99], [response, slowest]) =
            (both(prediction.waits), both(prediction.responses));
        writeln!(
            table,
            "| {name} | {} ({}) | {} / {} | {median} | {p99} | {response} | {slowest} | {} |",
            prediction.requests,
            prediction.recorded,
            prediction.rejected.observed,
            prediction.rejected.predicted,
            if prediction.is_within_limits() {
                "yes"
            } else {
                "no"
            }
        )
        .unwrap();
    }
    assert!(README.contains(&table), "README.md lacks:\n{table}");
}
