//! Answers, and their reasons.

use crate::{size, sized};
use k8s_flowcontrol_analysis::size::Answer;
use k8s_flowcontrol_types::Resource;

#[test]
fn a_client_that_waits_too_long_gets_a_level_and_every_number_has_a_reason() {
    let sizing = sized(
        "
server: {seats: 100}
duration: 10s
intents:
- name: flux
  client: {serviceAccount: flux-system/kustomize-controller}
  waits: {p99: 1s}
  atLoad: {concurrent: 150, meanSeconds: 0.2}
",
    );
    let [change] = &sizing.changes[..] else {
        panic!("{:#?}", sizing.changes)
    };
    let reasons: Vec<_> = change
        .reasons
        .iter()
        .map(|reason| reason.text.as_str())
        .collect();
    let shares = reasons[0];
    assert!(shares.starts_with("shares 44: 16 seats of 100, needed 10.0 s after the start when 67 requests of service account flux-system/kustomize-controller run"), "{shares}");
    assert!(
        shares.contains("; with one seat less: flux: p99 of the waits "),
        "{shares}"
    );
    assert_eq!(
        change.priority_level.name(),
        "size-flux-system-kustomize-controller"
    );
    assert!(sizing.proof.is_met());
    let manifests = sizing.manifests();
    let shares = manifests
        .lines()
        .position(|line| line.ends_with(shares))
        .unwrap();
    let next = manifests.lines().nth(shares + 1).unwrap();
    assert_eq!(next.trim(), "nominalConcurrencyShares: 44");
    assert_eq!(manifests.matches("kind: FlowSchema").count(), 1);
    assert!(!sizing.before.iter().all(|check| check.is_met()));
}

#[test]
fn contradictions_have_numbers_and_a_way_out() {
    let answer = size(
        "
server: {seats: 30}
duration: 10s
intents:
- name: A
  client: {user: a}
  waits: {max: 100ms}
  atLoad: {concurrent: 25, meanSeconds: 0.5}
- name: B
  client: {user: b}
  waits: {max: 100ms}
  atLoad: {concurrent: 20, meanSeconds: 0.5}
",
    );
    let Answer::Impossible(impossible) = answer else {
        panic!("{answer:?}")
    };
    let contradiction = impossible.contradiction.unwrap().to_string();
    assert_eq!(
        contradiction,
        "A and B need at least 33 of 30 seats: 18 and 15"
    );
    assert_eq!(impossible.give_up, ["A", "B"]);
    assert!(impossible.needed.unwrap() >= 33 && impossible.is_complete);
    let sum: i64 = impossible.needs.iter().map(|(_, seats)| seats).sum();
    assert!(sum > 30, "{sum}");
}
