//! The predicted seats and waits beside the histograms of the recorded server.

use super::predicted::Objects;
use super::{SEATS, each, objects};
use flate2::read::GzDecoder;
use k8s_flowcontrol_analysis::verification::{
    LevelVerification, Quantity, ServerMetrics, Verification, Verifier,
};
use k8s_flowcontrol_types::Release;
use std::io::Read;

pub(crate) const BEFORE: &[u8] = include_bytes!("../fixtures/loaded/metrics-before.txt.gz");
pub(crate) const AFTER: &[u8] = include_bytes!("../fixtures/loaded/metrics-after.txt.gz");

pub(crate) fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text
}

fn verify(objects: &Objects, seats: u32, after: &str) -> Verification {
    let metrics = ServerMetrics::parse(Some(&unpacked(BEFORE)), after);
    let release = Release::nearest(36);
    let mut verifier = Verifier::new(&objects.0, &objects.1, seats, release, metrics).unwrap();
    each(|event| verifier.add(event));
    verifier.compare()
}

fn level<'a>(verification: &'a Verification, name: &str) -> &'a LevelVerification {
    let mut levels = verification.levels.iter();
    levels.find(|level| level.priority_level == name).unwrap()
}

/// The levels and quantities that differ.
fn differences(verification: &Verification) -> Vec<(&str, Quantity)> {
    let levels = verification.levels.iter();
    levels
        .flat_map(|level| {
            let of = |quantity: Quantity| (level.priority_level.as_str(), quantity);
            level
                .unexplained()
                .map(move |(found, _)| of(found.quantity))
        })
        .collect()
}

#[test]
fn the_histograms_of_the_recorded_server_are_explained() {
    let verification = verify(&objects(), SEATS, &unpacked(AFTER));
    let batch = level(&verification, "batch");
    assert_eq!(batch.counted, 1509);
    assert!(!batch.is_incomplete(), "{batch:?}");
    assert_eq!(batch.quantities.len(), 3);
    assert_eq!(differences(&verification), []);
    // Chance does not explain everything.
    let waits = batch.quantities.iter();
    let waits = waits.filter(|found| found.quantity == Quantity::Wait);
    for bucket in waits.flat_map(|found| &found.buckets) {
        let (least, most) = bucket.explained;
        assert!(most - least < 0.35, "{bucket:?}");
    }
    assert!(
        verification
            .report()
            .contains("Every difference is explained.")
    );
}

/// A server with other seats than the prediction has other waits.
#[test]
fn other_seats_than_those_of_the_server_are_noticed() {
    let verification = verify(&objects(), 2 * SEATS, &unpacked(AFTER));
    let found = differences(&verification);
    assert!(found.contains(&("batch", Quantity::Wait)), "{found:?}");
    let report = verification.report();
    assert!(
        report.contains(
            "### batch: wait in seconds (`apiserver_flowcontrol_request_wait_duration_seconds`)"
        ),
        "{report}"
    );
    assert!(report.contains("kubernetes/kubernetes#138313"), "{report}");
    // Reports are sent to others: no names of users.
    for user in ["alice", "bob", "carol"] {
        assert!(!report.contains(user), "{report}");
    }
}

/// Estimated seats are exact: two requests with two seats in place of one are noticed.
#[test]
fn other_estimates_of_seats_are_noticed() {
    let real = unpacked(AFTER);
    let le =
        "work_estimated_seats_bucket{flow_schema=\"batch\",priority_level=\"batch\",le=\"1\"} 1509";
    assert!(real.contains(le));
    let changed = real.replace(le, &le.replace("1509", "1507"));
    let verification = verify(&objects(), SEATS, &changed);
    let found = differences(&verification);
    assert_eq!(found, [("batch", Quantity::Seats)]);
}

/// Logs of another time do not explain the histograms.
#[test]
fn logs_that_lack_requests_have_no_verdict() {
    let objects = objects();
    let metrics = ServerMetrics::parse(Some(&unpacked(BEFORE)), &unpacked(AFTER));
    let mut verifier = Verifier::new(
        &objects.0,
        &objects.1,
        2 * SEATS,
        Release::nearest(36),
        metrics,
    )
    .unwrap();
    let mut number = 0;
    each(|event| {
        number += 1;
        if number % 2 == 0 {
            verifier.add(event);
        }
    });
    let verification = verifier.compare();
    assert!(level(&verification, "batch").is_incomplete());
    assert!(verification.is_explained());
    let report = verification.report();
    assert!(report.contains("| not compared |"));
    assert!(!report.contains("Every difference"), "{report}");
    let missing = "Not compared, because the logs and the metrics do not have the same requests: batch, global-default";
    assert!(report.contains(missing), "{report}");
    assert!(
        report.contains("The rules of Kubernetes 1.36, 60 seats"),
        "{report}"
    );
}
