//! Borrowing, lending and queues in place of seats.

use super::{RELEASE, built_in, level, requests};
use k8s_flowcontrol_analysis::size::{Answer, Intents, Sizer, Sizing};
use k8s_flowcontrol_types::api::v1::{
    FlowSchema, LimitedPriorityLevelConfiguration, PriorityLevelConfiguration,
};
use serde_json::json;
use std::ops::ControlFlow;

type Objects = (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>);

/// The built-in objects with a level that has 6 of 60 seats.
fn with_level(queuing: serde_json::Value, users: &[&str]) -> Objects {
    let (mut schemas, mut levels) = built_in();
    let limited = json!({
        "nominalConcurrencyShares": 25, "lendablePercent": 0, "borrowingLimitPercent": 0,
        "limitResponse": {"type": "Queue", "queuing": queuing},
    });
    let (schema, level) = level("batch", limited, users);
    schemas.push(schema);
    levels.push(level);
    (schemas, levels)
}

fn sized(intents: &str, objects: &Objects, log: &[(&str, u32, u32)]) -> Answer {
    let intents = Intents::read(intents.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let requests = (!log.is_empty()).then(|| requests(log, &objects.0, &objects.1).unwrap());
    let sizer = Sizer::new(&intents, &objects.0, &objects.1, RELEASE, requests.as_ref()).unwrap();
    sizer.size(|_| ControlFlow::Continue(())).unwrap()
}

fn only_change(answer: Answer) -> (Sizing, LimitedPriorityLevelConfiguration) {
    let Answer::Sized(sizing) = answer else {
        panic!("{answer:?}")
    };
    assert!(sizing.proof.is_met());
    let [change] = &sizing.changes[..] else {
        panic!("{:#?}", sizing.changes)
    };
    let limited = change.priority_level.spec.limited.clone().unwrap();
    (*sizing, limited)
}

/// Requests of half a second for 40 seconds, so many of them at a time, of different clients of one level.
fn steady(at_a_time: u32, users: &[&'static str]) -> Vec<(&'static str, u32, u32)> {
    let starts = (0..80 * at_a_time).map(|request| request * 500 / at_a_time);
    starts
        .enumerate()
        .map(|(number, start)| (users[number % users.len()], start, start + 500))
        .collect()
}

const QUEUES: fn() -> serde_json::Value =
    || json!({"queues": 16, "handSize": 4, "queueLengthLimit": 50});

/// The seats that others leave idle in the logs are enough: nobody loses a seat.
#[test]
fn a_present_level_borrows_before_it_gets_shares() {
    let intents =
        "server: {seats: 60}\nintents:\n- name: batch\n  level: batch\n  waits: {p50: 50ms}\n";
    let log = steady(12, &["alice", "bob"]);
    let objects = with_level(QUEUES(), &["alice", "bob"]);
    let (sizing, limited) = only_change(sized(intents, &objects, &log));
    assert_eq!(limited.nominal_concurrency_shares, Some(25));
    let percent = limited.borrowing_limit_percent.unwrap();
    assert!(percent > 0 && percent % 10 == 0, "{percent}");
    let reasons = &sizing.changes[0].reasons;
    let reason = reasons
        .iter()
        .find(|reason| reason.field == "borrowingLimitPercent")
        .unwrap();
    assert!(
        reason.text.starts_with(&format!(
            "{percent} % borrowing: beside its nominal limit of 6 seats it uses up to "
        )),
        "{reason:?}"
    );
    // Ten percent less is not enough.
    let mut levels = sizing.priority_levels.clone();
    let level = levels.last_mut().unwrap();
    level.spec.limited.as_mut().unwrap().borrowing_limit_percent = Some(percent - 10);
    let intents = Intents::read(intents.as_bytes()).unwrap();
    let requests = requests(&log, &objects.0, &objects.1).unwrap();
    let sizer = Sizer::new(&intents, &objects.0, &objects.1, RELEASE, Some(&requests)).unwrap();
    let checks = sizer.check(&sizing.flow_schemas, &levels, 60).unwrap();
    assert!(!checks.iter().all(|check| check.is_met()));
}

/// Without logs the load of the others is unknown, so that nothing depends on what they leave idle.
#[test]
fn generated_loads_get_shares_and_do_not_borrow() {
    let intents = "server: {seats: 60}\nduration: 5s\nintents:\n- client: {user: alice}\n  waits: {max: 0s}\n  \
        atLoad: {concurrent: 12, meanSeconds: 0.2}\n";
    let objects = with_level(QUEUES(), &["alice"]);
    let (_, limited) = only_change(sized(intents, &objects, &[]));
    assert_eq!(limited.borrowing_limit_percent, Some(0));
    assert!(limited.nominal_concurrency_shares > Some(25));
}

#[test]
fn a_client_without_a_name_for_objects_is_an_error() {
    let intents = "server: {seats: 60}\nduration: 5s\nintents:\n- client: {user: \u{3a9}}\n  waits: {max: 0s}\n  \
        atLoad: {concurrent: 12, meanSeconds: 0.2}\n";
    let intents = Intents::read(intents.as_bytes()).unwrap();
    let objects = with_level(QUEUES(), &["alice"]);
    let sizer = Sizer::new(&intents, &objects.0, &objects.1, RELEASE, None).unwrap();
    let error = sizer.size(|_| ControlFlow::Continue(())).unwrap_err();
    assert!(
        error.to_string().contains("has no ASCII letter or digit"),
        "{error}"
    );
}

/// A user with many requests at a time fills the queues of the others: more queues help where no seat would.
#[test]
fn queues_separate_flows_without_more_seats() {
    let intents = "\
server: {seats: 60}
duration: 10s
intents:
- name: bob
  client: {user: bob}
  waits: {p99: 400ms}
  atLoad: {perSecond: 4, meanSeconds: 0.1, constant: true}
- name: alice
  client: {user: alice}
  waits: {p99: 20s}
  atLoad: {concurrent: 100, meanSeconds: 0.2, constant: true}
";
    let objects = with_level(
        json!({"queues": 1, "handSize": 1, "queueLengthLimit": 1000}),
        &["alice", "bob"],
    );
    let (sizing, limited) = only_change(sized(intents, &objects, &[]));
    assert_eq!(limited.nominal_concurrency_shares, Some(25));
    let queuing = limited.limit_response.queuing.unwrap();
    assert_eq!((queuing.queues, queuing.hand_size), (Some(64), Some(8)));
    let manifests = sizing.manifests();
    assert!(
        manifests.contains("# 64 queues, hands of 8: busy flows share fewer queues"),
        "{manifests}"
    );
}

/// Two levels that are never busy at the same time: one can use the seats of the other.
#[test]
fn levels_lend_only_if_the_seats_are_not_enough_otherwise() {
    let mut log = Vec::new();
    for burst in 0..4 {
        let user = ["alice", "bob"][burst as usize % 2];
        // Six requests at a time.
        for request in 0..150 {
            let start = burst * 840_000 + request * 400;
            log.push((user, start, start + 2400));
        }
    }
    let intents = |seats: u32| {
        let mut text = format!("server: {{seats: {seats}}}\nintents:\n");
        for name in ["a", "b"] {
            text.push_str(&format!("- level: {name}\n  waits: {{p50: 300ms}}\n"));
        }
        text
    };
    let of = |name: &str, user: &str| {
        level(
            name,
            json!({"nominalConcurrencyShares": 10, "lendablePercent": 0,
        "limitResponse": {"type": "Queue", "queuing": {"queues": 1, "handSize": 1, "queueLengthLimit": 50}}}),
            &[user],
        )
    };
    let ((first, a), (second, b)) = (of("a", "alice"), of("b", "bob"));
    let objects = (vec![first, second], vec![a, b]);
    let of_seats = |seats| match sized(&intents(seats), &objects, &log) {
        Answer::Sized(sizing) => sizing,
        other => panic!("{other:?}"),
    };
    assert!(of_seats(14).changes.is_empty());

    let (sizing, limited) = only_change(Answer::Sized(of_seats(10)));
    assert_eq!(limited.lendable_percent, Some(50));
    let reasons = &sizing.changes[0].reasons;
    let reason = "50 % lendable: if it lent less, 10 seats would not be enough for all intents";
    assert!(
        reasons.iter().any(|found| found.text == reason),
        "{reasons:?}"
    );
    // Without lending no shares of the two levels are enough.
    let file = Intents::read(intents(10).as_bytes()).unwrap();
    let requests = requests(&log, &objects.0, &objects.1).unwrap();
    let sizer = Sizer::new(&file, &objects.0, &objects.1, RELEASE, Some(&requests)).unwrap();
    for shares in [5, 8, 10, 13, 20, 40] {
        let mut levels = objects.1.clone();
        levels[0]
            .spec
            .limited
            .as_mut()
            .unwrap()
            .nominal_concurrency_shares = Some(shares);
        let checks = sizer.check(&objects.0, &levels, 10).unwrap();
        assert!(!checks.iter().all(|check| check.is_met()), "{shares}");
    }
}
