//! Answers, and their reasons.

use crate::{RELEASE, built_in, size, sized};
use k8s_flowcontrol_analysis::size::{Answer, Intents, Sizer};
use k8s_flowcontrol_types::Resource;
use serde_json::json;
use std::ops::ControlFlow;

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

#[test]
fn a_present_level_gets_other_shares_and_loses_what_servers_fill_in() {
    let (mut schemas, mut levels) = built_in();
    let mut level = levels
        .iter()
        .find(|level| level.name() == "workload-low")
        .unwrap()
        .clone();
    level.metadata.name = Some("batch".into());
    level.metadata.annotations.clear();
    level.metadata.resource_version = Some("216".into());
    level.metadata.uid = Some("e3d2af77".into());
    let limited = level.spec.limited.get_or_insert_default();
    limited.nominal_concurrency_shares = Some(1);
    limited.borrowing_limit_percent = Some(0);
    let schema = serde_json::from_value(json!({
        "metadata": {"name": "batch", "resourceVersion": "218"},
        "spec": {
            "matchingPrecedence": 2000,
            "priorityLevelConfiguration": {"name": "batch"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": "alice"}}],
                "resourceRules": [{
                    "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true,
                }],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            }],
        },
    }));
    levels.push(level);
    schemas.push(schema.unwrap());
    let intents = Intents::read(
        b"
server: {seats: 60}
duration: 10s
intents:
- name: alice
  client: {user: alice}
  waits: {p99: 1s}
  atLoad: {concurrent: 20, meanSeconds: 0.2}
",
    )
    .unwrap();
    let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap();
    let Answer::Sized(sizing) = sizer.size(|_| ControlFlow::Continue(())).unwrap() else {
        panic!("impossible")
    };
    let [change] = &sizing.changes[..] else {
        panic!("{:#?}", sizing.changes)
    };
    assert_eq!(change.priority_level.name(), "batch");
    let manifests = sizing.manifests();
    for field in ["resourceVersion", "uid", "status"] {
        assert!(!manifests.contains(field), "{manifests}");
    }
}
