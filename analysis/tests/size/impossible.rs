//! Intents that cannot all be satisfied: their contradiction, and the ways out.

use super::{RELEASE, built_in, size};
use k8s_flowcontrol_analysis::size::{Answer, Intents, Sizer};
use std::ops::ControlFlow;

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

/// The server has more seats for one share than the client may use, so that no dedicated level fits.
#[test]
fn the_last_simulated_checks_are_named_if_nothing_fits() {
    let answer = size(
        "
server: {seats: 600}
duration: 2s
intents:
- name: A
  client: {user: a}
  neverMoreThan: {seats: 1}
  atLoad: {concurrent: 1, meanSeconds: 0.1}
",
    );
    let Answer::Impossible(impossible) = answer else {
        panic!("{answer:?}")
    };
    let [check] = &impossible.failing[..] else {
        panic!("{impossible:?}")
    };
    assert_eq!((check.name.as_str(), check.is_met()), ("A", false));
}

/// A level without a borrowing limit has a maximum of more seats than a server has, which no client can use.
#[test]
fn no_client_can_use_more_seats_than_there_are() {
    let answer = |limit| {
        size(&format!(
            "
server: {{seats: 600}}
duration: 2s
intents:
- name: A
  client: {{user: a}}
  neverMoreThan: {{seats: {limit}}}
  atLoad: {{concurrent: 1, meanSeconds: 0.1}}
- name: B
  client: {{user: b}}
  waits: {{p99: 10ms}}
  atLoad: {{concurrent: 1, meanSeconds: 0.1}}
"
        ))
    };
    let Answer::Sized(sizing) = answer(600) else {
        panic!("the present level is enough")
    };
    assert!(sizing.changes.is_empty(), "{:?}", sizing.changes);
    let before = sizing.before.iter().map(ToString::to_string);
    let before: Vec<_> = before.collect();
    assert!(
        before.contains(&"can use 600 seats, at most 600".to_owned()),
        "{before:?}"
    );
    let Answer::Impossible(impossible) = answer(1) else {
        panic!("one seat of 600 is less than a share")
    };
    let failing = impossible.failing.iter().map(ToString::to_string);
    let failing: Vec<_> = failing.collect();
    assert_eq!(failing, ["can use 600 seats, at most 1"]);
}

/// Each answer without a configuration names a contradiction or a check that fails.
#[test]
fn every_search_that_finds_nothing_names_a_check() {
    let mut found_none = 0;
    for server in [
        "{seats: 1}",
        "{seats: 12}",
        "{seats: 600}",
        "{seats: unknown}",
    ] {
        for keep in ["nothing", "all"] {
            for (target, limits) in [
                ("client: {user: a}", "neverMoreThan: {seats: 1}"),
                ("client: {user: a}", "waits: {max: 0s}"),
                (
                    "client: {user: a}",
                    "waits: {max: 0s}\n  neverMoreThan: {seats: 2}",
                ),
                ("level: global-default", "waits: {max: 0s}"),
            ] {
                let text = format!(
                    "server: {server}\nduration: 1s\nkeep: {keep}\nintents:\n- name: A\n  {target}\n  {limits}\n\
                     - name: B\n  client: {{user: b}}\n  waits: {{max: 0s}}\n  atLoad: {{concurrent: 3, meanSeconds: 0.1}}\n"
                );
                let load = "  atLoad: {concurrent: 4, meanSeconds: 0.1}\n";
                let text = match target.starts_with("client") {
                    true => text.replacen("- name: B", &format!("{load}- name: B"), 1),
                    false => text,
                };
                let intents =
                    Intents::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"));
                let (schemas, levels) = built_in();
                let Ok(sizer) = Sizer::new(&intents, &schemas, &levels, RELEASE, None) else {
                    continue;
                };
                if let Ok(Answer::Impossible(impossible)) =
                    sizer.size(|_| ControlFlow::Continue(()))
                {
                    found_none += 1;
                    let is_named =
                        !impossible.failing.is_empty() || impossible.contradiction.is_some();
                    assert!(is_named, "{text}{impossible:?}");
                }
            }
        }
    }
    assert!(found_none > 5, "{found_none}");
}

/// The intents that are left when the search is stopped are named.
#[test]
fn ways_out_that_were_not_tried_are_named() {
    let mut text = String::from("server: {seats: 20}\nduration: 5s\nintents:\n");
    for name in ["a", "b", "c"] {
        text.push_str(&format!(
            "- name: {name}\n  client: {{user: {name}}}\n  waits: {{max: 0s}}\n  atLoad: {{concurrent: 8, meanSeconds: 0.2}}\n"
        ));
    }
    let intents = Intents::read(text.as_bytes()).unwrap();
    let (schemas, levels) = built_in();
    let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap();
    let before = |end: u64| {
        let answer = sizer.size(|progress| match progress.trials < end {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        });
        match answer.unwrap() {
            Answer::Impossible(impossible) => impossible,
            other => panic!("{other:?}"),
        }
    };
    let all = before(u64::MAX);
    assert!(all.is_complete && all.not_tried.is_empty(), "{all:?}");
    assert_eq!(all.give_up, ["a", "b", "c"]);
    let most = before(all.trials);
    assert!(!most.is_complete && most.needed == all.needed, "{most:?}");
    let [last] = &most.not_tried[..] else {
        panic!("{most:?}")
    };
    assert!(!most.give_up.contains(last) && most.give_up.len() == 2);
}

/// The contradiction of an intent in itself does not need a simulation, and the way out only the intents that are left.
#[test]
fn an_intent_that_contradicts_itself_is_named_whatever_the_seats_are() {
    for server in [
        "{seats: unknown}",
        "{seats: 600}",
        "{tiers: [{name: L, seats: 600, price: 1}]}",
    ] {
        let text = format!(
            "
server: {server}
duration: 2s
intents:
- name: A
  client: {{user: a}}
  waits: {{max: 100ms}}
  neverMoreThan: {{seats: 5}}
  atLoad: {{concurrent: 25, meanSeconds: 0.5}}
- name: B
  client: {{user: b}}
  waits: {{max: 1s}}
  atLoad: {{concurrent: 3, meanSeconds: 0.5}}
"
        );
        let intents = Intents::read(text.as_bytes()).unwrap();
        let (schemas, levels) = built_in();
        let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap();
        let known = intents.contradiction().unwrap();
        assert_eq!(known.to_string(), "A needs at least 18 of 5 seats");
        let Answer::Impossible(impossible) = sizer.size(|_| ControlFlow::Continue(())).unwrap()
        else {
            panic!("{text}")
        };
        assert_eq!(impossible.contradiction, Some(known));
        assert_eq!(impossible.give_up, ["A"]);
        assert!(impossible.needed.is_none() && impossible.is_complete);
        // A search that is stopped at once has the contradiction, too.
        let stopped = sizer.size(|_| ControlFlow::Break(())).unwrap();
        let Answer::Impossible(impossible) = stopped else {
            panic!("{text}")
        };
        assert!(impossible.contradiction.is_some() && !impossible.is_complete);
    }
}
