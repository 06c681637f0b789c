//! A search in the busiest periods of a long log finds what a search in all of it finds, and proves it with all of it.

use super::{RELEASE, built_in, requests};
use crate::tries_all;
use k8s_flowcontrol_analysis::size::{Answer, Check, Intents, Requests, Sizer, Sizing};
use std::fmt::Write;
use std::ops::ControlFlow;

const USERS: [&str; 4] = ["alice", "bob", "carol", "dave"];

struct Random(u64);

impl Random {
    fn below(&mut self, most: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(most)) as u32
    }
}

/// Few requests all the time, and some bursts of each user: at least so many, and fewer than so many more.
fn log(random: &mut Random, end: u32, (least, more): (u32, u32)) -> Vec<(&'static str, u32, u32)> {
    let mut log = Vec::new();
    let mut at = 0;
    while at < end {
        log.push((
            USERS[random.below(4) as usize],
            at,
            at + 1 + random.below(200),
        ));
        at += 1 + random.below(5000);
    }
    for user in USERS {
        for _ in 0..least + random.below(more) {
            let (start, took) = (random.below(end), 100 + random.below(400));
            let between = 5 + random.below(30);
            for number in 0..40 + random.below(60) {
                let at = start + number * between;
                log.push((user, at, at + took + random.below(100)));
            }
        }
    }
    log
}

fn intents(random: &mut Random, seats: &str) -> String {
    let mut text = format!("server: {{seats: {seats}}}\nintents:\n");
    for user in USERS {
        let part = ["p50", "p90", "p99", "max"][random.below(4) as usize];
        let limit = [20, 100, 500, 1500][random.below(4) as usize];
        writeln!(
            text,
            "- client: {{user: {user}}}\n  waits: {{{part}: {limit}ms}}"
        )
        .unwrap();
    }
    text
}

fn answer(intents: &Intents, requests: &Requests, is_busiest_first: bool) -> Answer {
    let (schemas, levels) = built_in();
    let sizer = Sizer::new(intents, &schemas, &levels, RELEASE, Some(requests)).unwrap();
    let sizer = sizer.busiest_first_from(match is_busiest_first {
        true => 0,
        false => usize::MAX,
    });
    let answer = sizer.size(|_| ControlFlow::Continue(())).unwrap();
    if let Answer::Sized(sizing) = &answer {
        let checks = sizer.check(&sizing.flow_schemas, &sizing.priority_levels, sizing.seats);
        assert!(checks.unwrap().iter().all(Check::is_met));
        assert!(sizing.proof.is_met() && sizing.is_complete);
    }
    answer
}

/// The seats of the added levels.
fn added(sizing: &Sizing) -> i64 {
    sizing.changes.iter().map(|change| change.nominal).sum()
}

#[test]
fn a_part_of_the_log_is_enough_to_find_the_answer() {
    let mut random = Random(3);
    let (schemas, levels) = built_in();
    let (mut equal, mut simulated, mut exact) = (0, 0, 0);
    // Nearly an hour, or some minutes without a second search for the same.
    let (cases, repeated, end, bursts, seats) = match tries_all() {
        true => (4, 1, 3_500_000, (2, 4), 40),
        false => (2, 0, 300_000, (1, 1), 25),
    };
    for case in 0..cases {
        let log = log(&mut random, end, bursts);
        let requests = requests(&log, &schemas, &levels).unwrap();
        let wanted = match case % 2 {
            0 => "unknown".to_owned(),
            _ => (seats + random.below(seats)).to_string(),
        };
        let text = intents(&mut random, &wanted);
        let intents = Intents::read(text.as_bytes()).unwrap();
        let found = answer(&intents, &requests, true);
        if case < repeated {
            // In two threads, and always the same.
            let again = answer(&intents, &requests, true);
            assert_eq!(format!("{again:?}"), format!("{found:?}"));
        }
        let expected = answer(&intents, &requests, false);
        let (own, best) = match (&found, &expected) {
            (Answer::Sized(found), Answer::Sized(expected)) => {
                simulated += found.trials;
                exact += expected.trials;
                match case % 2 {
                    0 => (found.seats.into(), expected.seats.into()),
                    _ => (added(found), added(expected)),
                }
            }
            (Answer::Impossible(found), Answer::Impossible(expected)) => {
                assert_eq!(found.give_up, expected.give_up, "{text}");
                (
                    found.needed.unwrap().into(),
                    expected.needed.unwrap().into(),
                )
            }
            _ => panic!("{text}{found:?}{expected:?}"),
        };
        println!("case {case}: {own} {best}");
        assert!(own <= best + 1, "case {case}: {own} and {best}: {text}");
        equal += u32::from(own <= best);
    }
    println!("{equal} equal, {simulated} and {exact} simulations");
    assert!(equal * 100 >= cases * 95, "{equal}");
}
