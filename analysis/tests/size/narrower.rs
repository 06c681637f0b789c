//! Lists take fewer seats on a smaller server, so that fewer seats can be enough although more are not.

use super::brute_force::{Random, Structures, fewest_of_levels, sum_of_levels};
use super::{RELEASE, built_in, holds, level, requests_with_verbs};
use crate::tries_all;
use k8s_flowcontrol_analysis::size::{Answer, Check, Intents, Sizer};
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::json;
use std::fmt::Write;
use std::ops::ControlFlow;

type Log = Vec<(&'static str, &'static str, u32, u32)>;

/// Requests of half a second for so many milliseconds, so many of them at a time.
fn steady(log: &mut Log, user: &'static str, verb: &'static str, at_a_time: u32, end: u32) {
    let starts = (0..end * at_a_time / 500).map(|request| 10_000 + request * 500 / at_a_time);
    log.extend(starts.map(|start| (user, verb, start, start + 490)));
}

/// A level that has all seats of the server, but for one share in a thousand.
fn one_level(hand_size: u32) -> (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>) {
    let limited = json!({
        "nominalConcurrencyShares": 10_000, "lendablePercent": 0, "borrowingLimitPercent": 0,
        "limitResponse": {"type": "Queue", "queuing": {"queues": 8, "handSize": hand_size, "queueLengthLimit": 1000}},
    });
    let (schema, level) = level("batch", limited, &["user-0", "user-1"]);
    (vec![schema], vec![level])
}

/// Nine requests of one seat at a time, and two lists, which take 15 % of the seats each: 13 seats have room for both, with lists of two seats,
/// but 14 do not, with lists of three.
#[test]
fn the_search_goes_on_below_a_server_with_too_few_seats() {
    let (schemas, levels) = one_level(1);
    let mut log = Log::new();
    steady(&mut log, "user-0", "list", 2, 20_000);
    steady(&mut log, "user-1", "get", 9, 20_000);
    let requests = requests_with_verbs(&log, &schemas, &levels).unwrap();
    let intents =
        b"server: {seats: unknown}\nkeep: all\nintents:\n- level: batch\n  waits: {max: 0s}\n";
    let intents = Intents::read(intents).unwrap();
    for busiest_first_from in [usize::MAX, 0] {
        let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, Some(&requests)).unwrap();
        let sizer = sizer.busiest_first_from(busiest_first_from);
        let is_met = |seats| holds(&sizer, &schemas, &levels, seats);
        assert_eq!([12, 13, 14, 15].map(is_met), [false, true, false, true]);
        let Answer::Sized(sizing) = sizer.size(|_| ControlFlow::Continue(())).unwrap() else {
            panic!("impossible")
        };
        assert_eq!(sizing.seats, 13);
        assert!(sizing.is_complete && sizing.proof.is_met());
    }
}

/// The answer beside the fewest seats of all servers on which the level holds.
#[test]
fn no_smaller_server_is_missed() {
    let mut random = Random(3);
    let (cases, mut equal, mut with_gaps) = (if tries_all() { 40 } else { 6 }, 0, 0);
    for case in 0..cases {
        let (schemas, levels) = one_level(1 + random.below(4) as u32);
        let mut log = Log::new();
        steady(
            &mut log,
            "user-0",
            "list",
            1 + random.below(5) as u32,
            10_000,
        );
        steady(
            &mut log,
            "user-1",
            "get",
            1 + random.below(12) as u32,
            10_000,
        );
        let requests = requests_with_verbs(&log, &schemas, &levels).unwrap();
        let (percent, limit) = (
            random.one_of(&["p50", "p90", "max"]),
            random.one_of(&[0, 50, 200]),
        );
        let text = format!(
            "server: {{seats: unknown}}\nkeep: all\nintents:\n- level: batch\n  waits: {{{percent}: {limit}ms}}\n"
        );
        let intents = Intents::read(text.as_bytes()).unwrap();
        let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, Some(&requests)).unwrap();
        let sizer = sizer.busiest_first_from(random.one_of(&[usize::MAX, 0]));
        let Answer::Sized(sizing) = sizer.size(|_| ControlFlow::Continue(())).unwrap() else {
            panic!("impossible: {text}")
        };
        let holds: Vec<_> = (1..sizing.seats + 20)
            .map(|seats| holds(&sizer, &schemas, &levels, seats))
            .collect();
        let best = 1 + holds.iter().position(|holds| *holds).unwrap() as u32;
        with_gaps += u32::from(holds.windows(2).any(|pair| pair[0] && !pair[1]));
        println!("case {case}: {} seats, possible {best}", sizing.seats);
        assert!(
            sizing.seats <= best + 1,
            "case {case}: {} {best} {text}",
            sizing.seats
        );
        equal += u32::from(sizing.seats == best);
    }
    assert!(equal * 100 >= cases * 95, "{equal}");
    assert!(with_gaps * 3 > cases, "{with_gaps}: the cases are too easy");
}

/// As `brute_force::nothing_cheaper_exists`, with the requests of a log, of which many are lists, and levels of the clients' own. The server was idle
/// before, as there.
#[test]
fn nothing_cheaper_exists_for_lists() {
    let (schemas, levels) = built_in();
    let mut random = Random(11);
    let mut structures = Structures::default();
    let (cases, mut worse) = (if tries_all() { 40 } else { 8 }, 0);
    for case in 0..cases {
        let clients = 1 + random.below(2) as usize;
        let mut log = vec![("erin", "get", 0, 1)];
        for user in ["user-0", "user-1"].into_iter().take(clients) {
            let (lists, others) = (random.below(4) as u32, 1 + random.below(4) as u32);
            steady(&mut log, user, "list", lists, 5000);
            steady(&mut log, user, "get", others, 5000);
        }
        let requests = requests_with_verbs(&log, &schemas, &levels).unwrap();
        let is_known = random.below(2) == 0;
        let seats = 4 + random.below(16) as u32;
        let server = match is_known {
            true => seats.to_string(),
            false => "unknown".to_owned(),
        };
        let mut text = format!("server: {{seats: {server}}}\nintents:\n");
        for client in 0..clients {
            let (percent, limit) = (
                random.one_of(&["p50", "p90", "max"]),
                random.one_of(&[0, 50, 200]),
            );
            writeln!(
                text,
                "- client: {{user: user-{client}}}\n  waits: {{{percent}: {limit}ms}}"
            )
            .unwrap();
        }
        let intents = Intents::read(text.as_bytes()).unwrap();
        let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, Some(&requests)).unwrap();
        let (own, best) = match sizer.size(|_| ControlFlow::Continue(())).unwrap() {
            Answer::Sized(sizing) => {
                let checks = sizer
                    .check(&sizing.flow_schemas, &sizing.priority_levels, sizing.seats)
                    .unwrap();
                assert!(checks.iter().all(Check::is_met), "{text}");
                match is_known {
                    true => (
                        sum_of_levels(&sizing),
                        fewest_of_levels(&mut structures, &sizer, clients, seats)
                            .unwrap_or(i64::MAX),
                    ),
                    false => {
                        let own = i64::from(sizing.seats);
                        let best = (1..sizing.seats).find(|seats| {
                            fewest_of_levels(&mut structures, &sizer, clients, *seats).is_some()
                        });
                        (own, best.map_or(own, i64::from))
                    }
                }
            }
            Answer::Impossible(_) if is_known => {
                let best = fewest_of_levels(&mut structures, &sizer, clients, seats);
                assert_eq!(best, None, "case {case}: {text}");
                (0, 0)
            }
            other => panic!("{text}{other:?}"),
        };
        println!("case {case}: {own}, possible {best}");
        assert!(own <= best + 1, "case {case}: {own} and {best}: {text}");
        worse += u32::from(own > best);
    }
    assert!(worse * 20 <= cases, "{worse}");
}
