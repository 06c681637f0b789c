//! Random small cases: every answer satisfies its intents, and trying every configuration finds nothing cheaper.

use super::{RELEASE, built_in, holds};
use k8s_flowcontrol_analysis::recipes::{Client, Recipes};
use k8s_flowcontrol_analysis::size::{Answer, Check, Intents, Sizer, Sizing};
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::ControlFlow;

/// The random cases; the limits of the differences hold for all of them together.
const CASES: u64 = 200;
/// The cases of a quick run.
const FEW_CASES: u64 = 20;
/// The most seats of a server whose configurations are all tried.
const MOST_SEATS: u32 = 10;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }

    pub(super) fn one_of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A file with one or two intents, and their number.
fn case(random: &mut Random) -> (String, usize) {
    let clients = 1 + usize::from(random.below(5) == 0);
    let mut text = String::from("duration: 2s\nintents:\n");
    for client in 0..clients {
        let (percent, at_most) = (
            random.one_of(&["p50", "p90", "p99", "max"]),
            random.one_of(&[0, 20, 60, 150, 400]),
        );
        let mean = random.one_of(&[0.02, 0.05, 0.1, 0.2]);
        let constant = random.one_of(&["true", "false"]);
        let arrivals = match random.below(2) {
            0 => format!(
                "concurrent: {}, thinkSeconds: {}",
                2 + random.below(8),
                random.one_of(&[0.0, 0.1])
            ),
            _ => format!("perSecond: {}", 10 + random.below(40)),
        };
        writeln!(
            text,
            "- client: {{user: user-{client}}}\n  waits: {{{percent}: {at_most}ms}}\n  atLoad: {{{arrivals}, meanSeconds: {mean}, constant: {constant}}}"
        )
        .unwrap();
    }
    (text, clients)
}

/// The built-in objects with a level of one share for each of some clients, and the names of these levels.
type Structure = (
    Vec<FlowSchema>,
    Vec<PriorityLevelConfiguration>,
    Vec<String>,
);

/// The structures for each set of clients.
#[derive(Default)]
pub(super) struct Structures(HashMap<Vec<usize>, Structure>);

impl Structures {
    fn of(&mut self, clients: Vec<usize>) -> &Structure {
        let structure = |clients: &Vec<usize>| {
            let (mut schemas, mut levels) = built_in();
            let mut names = Vec::new();
            for index in clients {
                let name = format!("user-{index}");
                let client = Client::User { name, groups: None };
                let recipes = Recipes::new(&schemas, &levels, 600, RELEASE);
                let recipe = recipes.protect(&client, 1).unwrap();
                names.push(recipe.flow_schema.name().to_owned());
                (schemas, levels) = (recipe.flow_schemas, recipe.priority_levels);
            }
            for level in &mut levels {
                if names.iter().any(|name| name == level.name()) {
                    let limited = level.spec.limited.as_mut().unwrap();
                    limited.nominal_concurrency_shares = Some(1);
                    let queuing = limited.limit_response.queuing.as_mut().unwrap();
                    queuing.queue_length_limit = Some(10_000);
                }
            }
            (schemas, levels, names)
        };
        self.0.entry(clients).or_insert_with_key(structure)
    }
}

/// The built-in objects with a level for each client that has at least so many seats. None if the server has too few.
fn configuration(
    structures: &mut Structures,
    wanted: &[i64],
    seats: u32,
) -> Option<(Vec<FlowSchema>, Vec<PriorityLevelConfiguration>, i64)> {
    let with_level = (0..wanted.len()).filter(|index| wanted[*index] > 0);
    let (schemas, mut levels, names) = structures.of(with_level.collect()).clone();
    let wanted = wanted.iter().copied().filter(|wanted| *wanted > 0);
    let names: Vec<_> = names.into_iter().zip(wanted).collect();
    // Each pass gives a level the fewest shares beside the others, which takes seats from these.
    for _ in 0..100 {
        let limits = ServerLimits::new(&levels, seats, RELEASE);
        let nominal = |name: &str| limits.level(name).unwrap().nominal;
        let Some((name, wanted)) = names.iter().find(|(name, wanted)| nominal(name) < *wanted)
        else {
            let sum = names.iter().map(|(name, _)| nominal(name)).sum();
            return Some((schemas, levels, sum));
        };
        let all: i64 = limits.levels().iter().map(|level| level.shares).sum();
        let others = all - limits.level(name).unwrap().shares;
        let level = levels
            .iter_mut()
            .find(|level| level.name() == name)
            .unwrap();
        let shares = (wanted - 1) * others / (i64::from(seats) - wanted + 1) + 1;
        let limited = level.spec.limited.as_mut().unwrap();
        limited.nominal_concurrency_shares = Some(i32::try_from(shares).ok()?);
    }
    None
}

/// The fewest seats of own levels with which the intents hold on a server; none if they cannot.
pub(super) fn fewest_of_levels(
    structures: &mut Structures,
    sizer: &Sizer<'_>,
    clients: usize,
    seats: u32,
) -> Option<i64> {
    let most = i64::from(seats);
    let all: Vec<Vec<i64>> = match clients {
        1 => (0..=most).map(|first| vec![first]).collect(),
        _ => (0..=most)
            .flat_map(|first| {
                (0..=most.min(most + 2 - first)).map(move |second| vec![first, second])
            })
            .collect(),
    };
    let mut all: Vec<_> = all
        .into_iter()
        .filter_map(|wanted| configuration(structures, &wanted, seats))
        .collect();
    all.sort_by_key(|(.., sum)| *sum);
    let found = all
        .into_iter()
        .find(|(schemas, levels, _)| holds(sizer, schemas, levels, seats));
    found.map(|(.., sum)| sum)
}

pub(super) fn sum_of_levels(sizing: &Sizing) -> i64 {
    sizing.changes.iter().map(|change| change.nominal).sum()
}

#[test]
fn nothing_cheaper_exists() {
    let (schemas, levels) = built_in();
    let (mut compared, mut worse, mut impossible, mut with_levels) = (0_u32, Vec::new(), 0, 0);
    let mut random = Random(7);
    let mut structures = Structures::default();
    let tries_all = crate::tries_all();
    for number in 0..if tries_all { CASES } else { FEW_CASES } {
        let (text, clients) = case(&mut random);
        // Half of the cases look for the fewest seats of a server, the others for the fewest of the levels.
        let known = random.below(2) == 0;
        let seats = 2 + random.below(u64::from(MOST_SEATS) - 4) as u32;
        let text = match known {
            true => format!("server: {{seats: {seats}}}\n{text}"),
            false => text,
        };
        let intents =
            Intents::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"));
        let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap();
        let answer = sizer.size(|_| ControlFlow::Continue(())).unwrap();
        let (own, best) = match &answer {
            Answer::Sized(sizing) => {
                let (schemas, levels) = (&sizing.flow_schemas, &sizing.priority_levels);
                let checks = sizer.check(schemas, levels, sizing.seats).unwrap();
                assert!(checks.iter().all(Check::is_met), "{text}{checks:?}");
                assert!(sizing.proof.is_met(), "{text}");
                with_levels += u32::from(!sizing.changes.is_empty());
                match known {
                    true => {
                        let best = fewest_of_levels(&mut structures, &sizer, clients, seats);
                        (
                            sum_of_levels(sizing),
                            best.expect("the answer is one of them"),
                        )
                    }
                    false => {
                        let near = |seats: &u32| *seats <= MOST_SEATS || seats + 2 >= sizing.seats;
                        let best = (1..sizing.seats).filter(near).find(|seats| {
                            fewest_of_levels(&mut structures, &sizer, clients, *seats).is_some()
                        });
                        let own = i64::from(sizing.seats);
                        (own, best.map_or(own, i64::from))
                    }
                }
            }
            Answer::Impossible(_) if known => {
                impossible += 1;
                let best = fewest_of_levels(&mut structures, &sizer, clients, seats);
                assert_eq!(best, None, "{text}{answer:?}");
                (0, 0)
            }
            _ => panic!("{text}{answer:?}"),
        };
        compared += 1;
        if own > best {
            worse.push(format!("{number}: {own} seats, possible {best}\n{text}"));
            assert!(own <= best + 1, "{}", worse.join("\n"));
        }
    }
    println!(
        "{compared} cases, {impossible} of them impossible, {with_levels} with own levels, {} worse by one seat",
        worse.len()
    );
    let equal = compared as usize - worse.len();
    assert!(
        equal * 100 >= compared as usize * 95,
        "{}",
        worse.join("\n")
    );
    let (least_impossible, least_levels) = if tries_all { (10, 80) } else { (0, 5) };
    assert!(
        impossible > least_impossible && with_levels > least_levels,
        "the cases are too easy"
    );
}
