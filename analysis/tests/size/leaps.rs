//! Accounting the periods in which nothing can wait without events changes no figure.

use super::{RELEASE, built_in, level, requests};
use k8s_flowcontrol_analysis::size::{Answer, Examined, Intents, Sizer};
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::json;
use std::fmt::Write;
use std::ops::ControlFlow;

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

const USERS: [&str; 5] = ["alice", "bob", "carol", "dave", "erin"];

/// Requests of so many minutes: a few all the time, some long ones, bursts that fill the levels, and a client that waits for its responses for a
/// while. Some come exactly when the server adjusts its limits.
fn log(random: &mut Random, minutes: u32, is_awaited: bool) -> Vec<(&'static str, u32, u32)> {
    let mut log = vec![("alice", 0, 3)];
    let mut at = 0;
    while at < minutes * 60_000 {
        at += 1 + random.below(1500);
        let at = match random.below(20) {
            0 => at / 10_000 * 10_000,
            _ => at,
        };
        let took = match random.below(30) {
            0 => 2000 + random.below(9000),
            1 => 0,
            _ => 1 + random.below(300),
        };
        log.push((USERS[random.below(5) as usize], at, at + took));
    }
    for _ in 0..2 + random.below(3) {
        let (user, start) = (
            USERS[random.below(5) as usize],
            random.below(minutes * 60_000 - 20_000),
        );
        let (between, took) = (1 + random.below(60), 100 + random.below(900));
        for number in 0..40 + random.below(160) {
            let at = start + number * between + random.below(20);
            log.push((user, at, at + took + random.below(200)));
        }
    }
    if is_awaited {
        let mut at = minutes * 10_000 + random.below(minutes * 20_000);
        for _ in 0..60 + random.below(100) {
            let took = 50 + random.below(400);
            log.push(("frank", at, at + took));
            at += took + random.below(40);
        }
    }
    log
}

/// The built-in objects, with three small levels, of which one rejects and one borrows nothing.
fn objects(random: &mut Random) -> (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>) {
    let (mut schemas, mut levels) = built_in();
    let queue = |random: &mut Random| json!({"type": "Queue", "queuing": {"queues": 1 << random.below(5), "handSize": 1, "queueLengthLimit": 2 + random.below(40)}});
    for (name, users) in [
        ("first", &["alice", "frank"][..]),
        ("second", &["bob", "carol"]),
        ("third", &["dave"]),
    ] {
        let response = match name {
            "third" if random.below(2) == 0 => json!({"type": "Reject"}),
            _ => queue(random),
        };
        let mut limited = json!({
            "nominalConcurrencyShares": 2 + random.below(20), "lendablePercent": random.below(2) * 50, "limitResponse": response,
        });
        if random.below(2) == 0 {
            limited["borrowingLimitPercent"] = (random.below(3) * 50).into();
        }
        let (schema, level) = level(name, limited, users);
        schemas.push(schema);
        levels.push(level);
    }
    (schemas, levels)
}

/// Intents that show the waits of every user and of every level.
fn intents(random: &mut Random, users: &[&str], with_generated: bool) -> String {
    let times = ["1", "1.5", "2"][random.below(3) as usize];
    let mut text = format!(
        "server: {{seats: {}}}\nduration: 12s\nintents:\n",
        60 + random.below(80)
    );
    let waits = "waits: {p50: 1s, p90: 1s, p99: 1s, p99.9: 1s, max: 1s}";
    for user in users {
        writeln!(
            text,
            "- name: {user}\n  client: {{user: {user}}}\n  {waits}\n  atLoad: {{fromLog: true, times: {times}}}"
        )
        .unwrap();
    }
    for level in ["first", "second", "third", "global-default"] {
        writeln!(text, "- name: level {level}\n  level: {level}\n  {waits}").unwrap();
    }
    if with_generated {
        text.push_str("- name: made\n  client: {user: made}\n  waits: {p99: 1s}\n  neverStarvedBy: [{user: bob}]\n  atLoad: {concurrent: 5, meanSeconds: 0.2}\n");
    }
    text
}

fn counted(examined: &mut [Examined]) -> u64 {
    let quiet = examined
        .iter_mut()
        .map(|examined| std::mem::take(&mut examined.quiet));
    quiet.sum()
}

#[test]
fn leaps_over_quiet_periods_change_no_figure() {
    let mut random = Random(11);
    let (mut requests_of_all, mut quiet_of_all, mut with_waits) = (0, 0, 0);
    // Of all cases a fifth of the requests is accounted without events, of the first ones a bit less.
    let (cases, least_share) = if crate::tries_all() { (40, 5) } else { (10, 6) };
    for case in 0..cases {
        let is_awaited = case % 3 == 0;
        let log = log(&mut random, 5, is_awaited);
        let (schemas, levels) = objects(&mut random);
        let users = match is_awaited {
            true => &["alice", "bob", "dave", "erin", "frank"][..],
            false => &["alice", "bob", "dave", "erin"],
        };
        let text = intents(&mut random, users, case % 4 == 0);
        let intents = Intents::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        let requests = requests(&log, &schemas, &levels).unwrap();
        let seats = 40 + random.below(200);
        let sizer = || Sizer::new(&intents, &schemas, &levels, RELEASE, Some(&requests)).unwrap();
        let of_case = match case % 2 {
            0 => sizer(),
            // As for a large log: in two threads, and with sums of whole minutes.
            _ => sizer().busiest_first_from(0),
        };
        let mut found = of_case
            .examine(&schemas, &levels, seats)
            .unwrap()
            .proof
            .examined;
        let all = sizer().without_leaps();
        let mut expected = all
            .examine(&schemas, &levels, seats)
            .unwrap()
            .proof
            .examined;
        // The first one has charts, which need every event.
        requests_of_all += found[1..]
            .iter()
            .map(|examined| examined.requests)
            .sum::<u64>();
        quiet_of_all += counted(&mut found);
        assert_eq!(counted(&mut expected), 0);
        assert_eq!(
            format!("{found:#?}"),
            format!("{expected:#?}"),
            "case {case}: {text}"
        );
        let is_wait = |examined: &Examined| examined.checks.iter().any(|check| !check.is_met());
        with_waits += usize::from(expected.iter().any(is_wait));
    }
    assert!(with_waits * 8 > cases * 5, "{with_waits}");
    assert!(
        quiet_of_all * least_share > requests_of_all,
        "{quiet_of_all} of {requests_of_all}"
    );
}

/// The search takes the same steps to the same answer, with the same reasons.
#[test]
fn leaps_do_not_change_the_answer() {
    let mut random = Random(5);
    let (mut sized, mut compared) = (0, 0);
    for case in 0..6 {
        // The server was idle before, so that the present objects do not suffice.
        let busy = log(&mut random, 2, case == 0).into_iter();
        let busy = busy.map(|(user, start, end)| (user, start + 10_000, end + 10_000));
        let log: Vec<_> = std::iter::once(("erin", 0, 1)).chain(busy).collect();
        let (schemas, levels) = objects(&mut random);
        let text = intents(&mut random, &["alice", "dave"], false);
        let text = text.replace("p50: 1s, p90: 1s, p99: 1s, p99.9: 1s, max: 1s", "p99: 1s");
        // Two answers with changes, and a proof that there is none; the others are proofs, too, and take long. A quick run has the first answer.
        if case < 3 || (sized > 0 && !crate::tries_all()) {
            continue;
        }
        let intents = Intents::read(text.as_bytes()).unwrap();
        let requests = requests(&log, &schemas, &levels).unwrap();
        let sizer = || Sizer::new(&intents, &schemas, &levels, RELEASE, Some(&requests)).unwrap();
        let answer = |sizer: Sizer<'_>| {
            let mut answer = sizer.size(|_| ControlFlow::Continue(())).unwrap();
            if let Answer::Sized(sizing) = &mut answer {
                counted(&mut sizing.proof.examined);
            }
            answer
        };
        let (found, expected) = (answer(sizer()), answer(sizer().without_leaps()));
        compared += 1;
        sized += usize::from(matches!(&found, Answer::Sized(sizing) if !sizing.changes.is_empty()));
        assert_eq!(
            format!("{found:#?}"),
            format!("{expected:#?}"),
            "case {case}"
        );
    }
    let expected = if crate::tries_all() {
        (2, 3)
    } else {
        (1, compared)
    };
    assert_eq!((sized, compared), expected);
}
