//! Answers, and their reasons.

use super::{RELEASE, built_in, requests, size, sized};
use k8s_flowcontrol_analysis::size::{Answer, Intents, SizeError, Sizer};
use k8s_flowcontrol_rules::limits::ServerLimits;
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
fn a_search_tells_its_progress_and_can_be_stopped() {
    let intents = "
server: {seats: 100}
duration: 10s
intents:
- name: flux
  client: {serviceAccount: flux-system/kustomize-controller}
  waits: {p99: 1s}
  atLoad: {concurrent: 150, meanSeconds: 0.2}
";
    let intents = Intents::read(intents.as_bytes()).unwrap();
    let (schemas, levels) = built_in();
    let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap();
    let mut told = Vec::new();
    let answer = sizer.size(|progress| {
        told.push((progress.trials, progress.seats));
        ControlFlow::Continue(())
    });
    let Answer::Sized(sizing) = answer.unwrap() else {
        panic!("no answer")
    };
    assert!(told.len() > 3 && told.is_sorted(), "{told:?}");
    assert!(told.iter().all(|(_, seats)| *seats == 100));
    assert!(told.last().unwrap().0 <= sizing.trials);
    let stopped = sizer.size(|progress| match progress.trials < 3 {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    });
    assert!(matches!(stopped.unwrap(), Answer::Stopped { trials: 3 }));
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

#[test]
fn the_cheapest_tier_that_is_enough_is_chosen() {
    let load = "
intents:
- name: a
  client: {user: a}
  waits: {max: 100ms}
  atLoad: {concurrent: 20, meanSeconds: 0.5}
";
    let tiers = "server: {tiers: [{name: 4XL, seats: 400, price: 60}, {name: S, seats: 10, price: 5}, {name: XL, seats: 60, price: 15}]}";
    let sizing = sized(&format!("{tiers}\nduration: 5s{load}"));
    let tier = sizing.tier.as_ref().unwrap();
    assert_eq!((tier.name.as_str(), sizing.seats), ("XL", 60));
    let tried: Vec<_> = sizing
        .tiers
        .iter()
        .map(|(tier, fits)| (tier.name.as_str(), *fits))
        .collect();
    assert_eq!(tried, [("S", false), ("XL", true)]);

    // The fewest seats are more than the tier has that is too small, and at most as many as the sufficient tier has.
    let sizing = sized(&format!("server: {{seats: unknown}}\nduration: 5s{load}"));
    assert!(sizing.seats > 10 && sizing.seats <= 60, "{}", sizing.seats);
    let Answer::Impossible(impossible) = size(&format!(
        "server: {{seats: {}}}\nduration: 5s{load}",
        sizing.seats - 1
    )) else {
        panic!("one seat less is enough too")
    };
    assert_eq!(impossible.needed, Some(sizing.seats));

    let answer = size(&format!(
        "server: {{tiers: [{{name: S, seats: 10, price: 5}}]}}\nduration: 5s{load}"
    ));
    let Answer::Impossible(impossible) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(impossible.seats, 10);
}

#[test]
fn a_client_gets_at_most_its_seats() {
    let sizing = sized(
        "
server: {seats: 100}
duration: 5s
intents:
- name: scanner
  client: {user: scanner}
  neverMoreThan: {seats: 5}
  atLoad: {concurrent: 50, meanSeconds: 0.2}
",
    );
    assert!(
        sizing.before.iter().any(|check| !check.is_met()),
        "{:?}",
        sizing.before
    );
    assert!(sizing.proof.is_met());
    let [change] = &sizing.changes[..] else {
        panic!("{:#?}", sizing.changes)
    };
    assert!(change.peak_seats <= 5, "{change:?}");
    let limited = change.priority_level.spec.limited.as_ref().unwrap();
    assert_eq!(limited.borrowing_limit_percent, Some(0));
    // One share more, and it gets one seat more.
    let shares = limited.nominal_concurrency_shares.unwrap();
    let nominal = |shares| {
        let mut levels = sizing.priority_levels.clone();
        let name = change.priority_level.name();
        let level = levels.iter_mut().find(|level| level.name() == name);
        let limited = level.unwrap().spec.limited.as_mut().unwrap();
        limited.nominal_concurrency_shares = Some(shares);
        let limits = ServerLimits::new(&levels, 100, RELEASE);
        limits.level(name).unwrap().nominal
    };
    assert_eq!([shares, shares + 1].map(nominal), [5, 6]);
}

#[test]
fn a_client_is_not_starved_by_another() {
    let sizing = sized(
        "
server: {seats: 60}
duration: 5s
intents:
- name: small
  client: {user: small}
  waits: {p99: 200ms}
  neverStarvedBy: [{user: greedy}]
  atLoad: {concurrent: 2, meanSeconds: 0.1}
- name: greedy
  client: {user: greedy}
  waits: {p99: 60s}
  atLoad: {concurrent: 200, meanSeconds: 1}
",
    );
    assert!(sizing.proof.is_met());
    // In a simulation the other client sends more than in the intents.
    let titles: Vec<_> = sizing
        .proof
        .examined
        .iter()
        .map(|examined| &examined.title)
        .collect();
    assert!(
        titles.iter().any(|title| title.contains("greedy")),
        "{titles:?}"
    );
}

/// The answer for a log of alice's requests, each with its start and end in seconds.
fn of_log(times: &[(u32, u32)], intents: &str) -> Result<Answer, SizeError> {
    let (schemas, levels) = built_in();
    let times = times
        .iter()
        .map(|(start, end)| ("alice", start * 1000, end * 1000));
    let requests = requests(&times.collect::<Vec<_>>(), &schemas, &levels)?;
    let intents = Intents::read(intents.as_bytes()).unwrap();
    let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, Some(&requests))?;
    sizer.size(|_| ControlFlow::Continue(()))
}

#[test]
fn logs_that_cannot_be_sized_have_an_error_each() {
    let intents = |client: &str| {
        format!(
            "server: {{seats: 60}}\nintents:\n- client: {{user: {client}}}\n  waits: {{p99: 1s}}\n  atLoad: {{fromLog: true}}\n"
        )
    };
    let error = |requests: &[(u32, u32)], client: &str| match of_log(requests, &intents(client)) {
        Err(error) => error.to_string(),
        Ok(answer) => panic!("{answer:?}"),
    };
    assert!(
        error(&[], "alice").starts_with("the audit logs contain no request that flow control sees")
    );
    assert!(error(&[(5, 6)], "bob").starts_with(
        "line 3: the intent user bob: no request of the audit logs is one of user bob"
    ));
    let backwards = error(&[(5, 6), (9, 7), (8, 7)], "alice");
    assert!(
        backwards.starts_with("2 requests end before they begin, the first with the audit ID id-1: the clock of the server was wrong"),
        "{backwards}"
    );
    assert!(matches!(
        of_log(&[(5, 6), (6, 7)], &intents("alice")),
        Ok(Answer::Sized(_))
    ));
}

/// Seats of other levels that a level had before the log are there when the log begins; after a quiet start they come ten seconds later.
#[test]
fn a_log_of_a_busy_server_begins_with_its_limits() {
    let intents = "server: {seats: 60}\nintents:\n- client: {user: alice}\n  waits: {p99: 1s}\n  atLoad: {fromLog: true}\n";
    let (schemas, levels) = built_in();
    let changes = |first: u32| {
        let busy = (0..1000).map(|request| 10_000 + request * 25);
        let times = std::iter::once(first).chain(busy);
        let times: Vec<_> = times.map(|start| ("alice", start, start + 500)).collect();
        let requests = requests(&times, &schemas, &levels).unwrap();
        let intents = Intents::read(intents.as_bytes()).unwrap();
        let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, Some(&requests)).unwrap();
        let answer = sizer.size(|_| ControlFlow::Continue(())).unwrap();
        let Answer::Sized(sizing) = answer else {
            panic!("{answer:?}")
        };
        sizing.changes.len()
    };
    assert_eq!([changes(10_000), changes(0)], [0, 1]);
}

/// Without logs, too: the name is what is wrong first.
#[test]
fn a_level_that_the_configuration_lacks_is_named() {
    let intents = b"server: {seats: 60}\nintents:\n- level: workload-lo\n  waits: {p99: 1s}\n";
    let intents = Intents::read(intents).unwrap();
    let (schemas, levels) = built_in();
    let error = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3: the intent priority level workload-lo: the configuration has no priority level workload-lo that queues or rejects requests"
    );
}

/// The limit is part of the search from the start: while it is exceeded, the waits alone do not end it.
#[test]
fn a_limit_and_waits_of_one_client_are_found_together() {
    let sizing = sized(
        "
server: {seats: 100}
duration: 5s
intents:
- name: flux
  client: {serviceAccount: flux-system/kustomize-controller}
  waits: {p99: 1s}
  neverMoreThan: {seats: 50}
  atLoad: {concurrent: 100, meanSeconds: 0.2}
",
    );
    assert!(sizing.proof.is_met());
    let limited = sizing.changes[0].priority_level.spec.limited.as_ref();
    assert_eq!(limited.unwrap().borrowing_limit_percent, Some(0));
}
