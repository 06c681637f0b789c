//! Levels that are created, removed and created again while requests wait and execute.

use k8s_flowcontrol_rules::controller::{Admission, FlowController, Ticket};
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// A level with queues; `a` and `b` reject instead.
fn level(name: &str) -> PriorityLevelConfiguration {
    let response = match name {
        "a" | "b" => json!({"type": "Reject"}),
        _ => json!({"type": "Queue",
            "queuing": {"queues": 4, "handSize": 2, "queueLengthLimit": 5}}),
    };
    serde_json::from_value(
        json!({"metadata": {"name": name}, "spec": {"type": "Limited",
        "limited": {"nominalConcurrencyShares": 10, "limitResponse": response}}}),
    )
    .unwrap()
}

#[derive(Clone, Debug)]
enum Step {
    /// These levels are configured, and no others.
    Configure(BTreeSet<&'static str>),
    Arrive(&'static str, u64, Work),
    /// Any earlier request; it can be over.
    Finish(prop::sample::Index),
    Cancel(prop::sample::Index),
    Advance,
}

fn step() -> impl Strategy<Value = Step> {
    let name = || prop::sample::select(&NAMES[..]);
    let work = (1..4_u32, 0..4_u32, 0..20_u64).prop_map(|(initial, last, latency)| Work {
        initial_seats: initial,
        final_seats: last,
        additional_latency: Duration::from_millis(latency),
    });
    prop_oneof![
        2 => prop::collection::btree_set(name(), 0..4).prop_map(Step::Configure),
        5 => (name(), any::<u64>(), work).prop_map(|(name, hash, work)| Step::Arrive(name, hash, work)),
        4 => any::<prop::sample::Index>().prop_map(Step::Finish),
        1 => any::<prop::sample::Index>().prop_map(Step::Cancel),
        1 => Just(Step::Advance),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Executing,
    Over,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn requests_stay_in_their_levels_and_places_do_not_grow(
        steps in vec((0..30_u64, step()), 1..120),
    ) {
        let mut now = Duration::ZERO;
        let mut server = FlowController::new(&[], &[], 20, Release::NEWEST, now).unwrap();
        let mut configured = BTreeSet::new();
        let mut requests: Vec<(Ticket, &str)> = Vec::new();
        let mut phases: BTreeMap<Ticket, Phase> = BTreeMap::new();
        let mut most = 0;
        for (pause, step) in steps {
            now += Duration::from_millis(pause);
            server.advance(now);
            for ticket in server.dispatched() {
                phases.insert(ticket, Phase::Executing);
            }
            match step {
                Step::Configure(names) => {
                    let levels: Vec<_> = names.iter().map(|name| level(name)).collect();
                    server.configure(now, &[], &levels).unwrap();
                    configured = names;
                }
                Step::Arrive(name, hash, work) => {
                    let Some(place) = server.level(name) else { continue };
                    let (Admission::Dispatched(ticket) | Admission::Queued(ticket)) =
                        server.arrive(now, place, hash, work) else { continue };
                    prop_assert_eq!(phases.insert(ticket, Phase::Waiting), None, "a ticket is new");
                    requests.push((ticket, name));
                }
                Step::Finish(which) if !requests.is_empty() => {
                    let (ticket, _) = *which.get(&requests);
                    server.finish(now, ticket);
                    let phase = phases.get_mut(&ticket).unwrap();
                    if *phase == Phase::Executing {
                        *phase = Phase::Over;
                    }
                }
                Step::Cancel(which) if !requests.is_empty() => {
                    let (ticket, _) = *which.get(&requests);
                    let was_waiting = phases[&ticket] == Phase::Waiting;
                    prop_assert_eq!(server.cancel(now, ticket), was_waiting);
                    if was_waiting {
                        phases.insert(ticket, Phase::Over);
                    }
                }
                Step::Finish(_) | Step::Cancel(_) => {}
                Step::Advance => {
                    now += Duration::from_secs(10);
                    server.advance(now);
                }
            }
            for ticket in server.dispatched() {
                phases.insert(ticket, Phase::Executing);
            }
            check(&server, &configured, &requests, &phases)?;
            let open = requests.iter().filter(|(ticket, _)| phases[ticket] != Phase::Over);
            let used: BTreeSet<_> = open.map(|(_, name)| *name).chain(configured.iter().copied()).collect();
            most = most.max(used.len());
            // With the mandatory levels.
            prop_assert!(server.levels().count() <= most + 2);
        }
    }
}

fn check(
    server: &FlowController,
    configured: &BTreeSet<&str>,
    requests: &[(Ticket, &str)],
    phases: &BTreeMap<Ticket, Phase>,
) -> Result<(), TestCaseError> {
    let states: Vec<_> = server.levels().collect();
    for name in NAMES {
        let of_level = requests.iter().filter(|(_, of)| *of == name);
        let open: Vec<_> = of_level
            .filter(|(ticket, _)| phases[ticket] != Phase::Over)
            .collect();
        let is_used = configured.contains(name) || !open.is_empty();
        prop_assert_eq!(server.limits().level(name).is_some(), is_used, "{}", name);
        let place = server.level(name);
        prop_assert_eq!(place.is_some(), is_used, "{}", name);
        let Some(place) = place else { continue };
        let state = &states[place.index()];
        prop_assert_eq!(state.name, name);
        prop_assert_eq!(state.is_quiescing, !configured.contains(name));
        let count = |phase| {
            let of_phase = open.iter().filter(|(ticket, _)| phases[ticket] == phase);
            of_phase.count()
        };
        prop_assert_eq!(state.queues.waiting(), count(Phase::Waiting), "{}", name);
        prop_assert_eq!(
            state.queues.executing(),
            count(Phase::Executing),
            "{}",
            name
        );
        for (ticket, _) in open {
            prop_assert_eq!(ticket.level, place);
        }
    }
    Ok(())
}
