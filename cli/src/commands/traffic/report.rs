//! The report: sums over the cells of a tally.

use super::sample::{Class, Deprecated, Load};
use super::tally::{MINUTE, Tally};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A report about the requests of logs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    pub(super) first_request: Option<String>,
    pub(super) last_request: Option<String>,
    pub(super) events: u64,
    pub(super) broken_lines: u64,
    pub(super) requests: u64,
    pub(super) incomplete: u64,
    /// The requests that flow control does not see.
    pub(super) unseen: u64,
    pub(super) priority_levels: Vec<Level>,
    pub(super) flow_schemas: Vec<Schema>,
    pub(super) unused_flow_schemas: Vec<Class>,
    pub(super) flows: Vec<Flow>,
    pub(super) deprecated: Vec<Caller>,
    pub(super) minutes: Vec<Minute>,
    pub(super) comparison: Option<Comparison>,
}

/// Sums of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sums {
    pub(super) requests: u64,
    pub(super) seats: u64,
    pub(super) seat_seconds: f64,
    pub(super) rejected: u64,
}

impl From<Load> for Sums {
    fn from(load: Load) -> Self {
        Self {
            requests: load.requests,
            seats: load.seats,
            seat_seconds: seconds(load.seat_us),
            rejected: load.rejected,
        }
    }
}

/// Seconds with milliseconds.
fn seconds(microseconds: u64) -> f64 {
    (microseconds as f64 / 1000.0).round() / 1000.0
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Level {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) sums: Sums,
    pub(super) users: usize,
    /// The largest mean of the seats in use during a minute.
    pub(super) peak_seats: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Schema {
    #[serde(flatten)]
    pub(super) class: Class,
    #[serde(flatten)]
    pub(super) sums: Sums,
    /// The users, the busiest first.
    pub(super) users: Vec<Named>,
    /// The verbs, the busiest first.
    pub(super) verbs: Vec<Named>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) requests: u64,
    pub(super) seats: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Flow {
    pub(super) flow_schema: String,
    pub(super) flow: String,
    #[serde(flatten)]
    pub(super) sums: Sums,
}

#[derive(Debug, Serialize)]
pub(super) struct Caller {
    #[serde(flatten)]
    pub(super) client: Deprecated,
    pub(super) requests: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Minute {
    pub(super) minute: String,
    pub(super) priority_level: String,
    pub(super) requests: u64,
    /// The mean of the seats in use.
    pub(super) mean_seats: f64,
}

/// The effect of the proposed configuration.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Comparison {
    pub(super) moved_requests: u64,
    pub(super) moves: Vec<Move>,
    pub(super) priority_levels: Vec<LevelChange>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Move {
    pub(super) from: Class,
    pub(super) to: Class,
    #[serde(flatten)]
    pub(super) sums: Sums,
    pub(super) users: Vec<Named>,
}

#[derive(Debug, Serialize)]
pub(super) struct LevelChange {
    pub(super) name: String,
    pub(super) before: Sums,
    pub(super) after: Sums,
}

impl Report {
    pub(super) fn new(tally: Tally, classes: &[Class]) -> Self {
        let mut levels = BTreeMap::<&str, (Load, BTreeSet<&str>)>::new();
        let mut schemas = BTreeMap::<&Class, Sorts>::new();
        let mut unseen = 0;
        for (cell, load) in &tally.cells {
            let Some(class) = &cell.class else {
                unseen += load.requests;
                continue;
            };
            let (sum, users) = levels.entry(&class.priority_level).or_default();
            sum.add(*load);
            users.insert(&cell.user);
            schemas
                .entry(class)
                .or_default()
                .add(&cell.user, &cell.verb, *load);
        }
        let unused = classes.iter().filter(|class| !schemas.contains_key(class));
        let unused_flow_schemas = unused.cloned().collect();
        let mut priority_levels: Vec<_> = levels
            .into_iter()
            .map(|(name, (load, users))| Level {
                name: name.to_owned(),
                sums: load.into(),
                users: users.len(),
                peak_seats: peak(&tally, name),
            })
            .collect();
        priority_levels.sort_by_key(|level| std::cmp::Reverse(level.sums.requests));
        let mut flow_schemas: Vec<_> = schemas
            .into_iter()
            .map(|(class, sorts)| Schema {
                class: class.clone(),
                sums: sorts.all.into(),
                users: named(sorts.users),
                verbs: named(sorts.verbs),
            })
            .collect();
        flow_schemas.sort_by_key(|schema| std::cmp::Reverse(schema.sums.requests));
        let comparison = tally.is_compared().then(|| Comparison::new(&tally));
        let (first, last) = tally.period.unzip();
        Self {
            first_request: first.map(shown),
            last_request: last.map(shown),
            events: tally.events,
            broken_lines: tally.broken,
            requests: tally.requests,
            incomplete: tally.incomplete,
            unseen,
            priority_levels,
            flow_schemas,
            unused_flow_schemas,
            comparison,
            minutes: minutes(&tally),
            flows: flows(&tally),
            deprecated: tally
                .deprecated
                .into_iter()
                .map(|(client, requests)| Caller { client, requests })
                .collect(),
        }
    }
}

/// The requests of a flow schema by user and by verb.
#[derive(Default)]
struct Sorts<'a> {
    all: Load,
    users: BTreeMap<&'a str, Load>,
    verbs: BTreeMap<&'a str, Load>,
}

impl<'a> Sorts<'a> {
    fn add(&mut self, user: &'a str, verb: &'a str, load: Load) {
        self.all.add(load);
        self.users.entry(user).or_default().add(load);
        self.verbs.entry(verb).or_default().add(load);
    }
}

impl Comparison {
    fn new(tally: &Tally) -> Self {
        let mut moves = BTreeMap::<(&Class, &Class), Sorts>::new();
        let mut levels = BTreeMap::<&str, (Load, Load)>::new();
        let mut moved_requests = 0;
        for (cell, load) in &tally.cells {
            let (Some(from), Some(to)) = (&cell.class, &cell.proposed) else {
                continue;
            };
            levels.entry(&from.priority_level).or_default().0.add(*load);
            levels.entry(&to.priority_level).or_default().1.add(*load);
            if from != to {
                moved_requests += load.requests;
                moves
                    .entry((from, to))
                    .or_default()
                    .add(&cell.user, &cell.verb, *load);
            }
        }
        let mut moves: Vec<_> = moves
            .into_iter()
            .map(|((from, to), sorts)| Move {
                from: from.clone(),
                to: to.clone(),
                sums: sorts.all.into(),
                users: named(sorts.users),
            })
            .collect();
        moves.sort_by_key(|moved| std::cmp::Reverse(moved.sums.requests));
        Self {
            moved_requests,
            moves,
            priority_levels: levels
                .into_iter()
                .map(|(name, (before, after))| LevelChange {
                    name: name.to_owned(),
                    before: before.into(),
                    after: after.into(),
                })
                .collect(),
        }
    }
}

/// Names with their requests, the busiest first.
fn named(loads: BTreeMap<&str, Load>) -> Vec<Named> {
    let mut named: Vec<_> = loads
        .into_iter()
        .map(|(name, load)| Named {
            name: name.to_owned(),
            requests: load.requests,
            seats: load.seats,
        })
        .collect();
    named.sort_by_key(|named| std::cmp::Reverse(named.requests));
    named
}

fn flows(tally: &Tally) -> Vec<Flow> {
    let mut flows: Vec<_> = tally.flows.iter().collect();
    // By work, then by requests.
    flows.sort_by_key(|(_, load)| std::cmp::Reverse((load.seat_us, load.requests)));
    flows
        .into_iter()
        .map(|(flow, load)| Flow {
            flow_schema: flow.flow_schema.clone(),
            flow: flow.distinguisher.clone(),
            sums: (*load).into(),
        })
        .collect()
}

fn minutes(tally: &Tally) -> Vec<Minute> {
    let current = tally.minutes.iter().filter(|(minute, _)| !minute.proposed);
    current
        .map(|(minute, load)| Minute {
            minute: shown(minute.minute.saturating_mul(MINUTE)),
            priority_level: minute.priority_level.clone(),
            requests: load.requests,
            mean_seats: mean(load),
        })
        .collect()
}

/// The mean of the seats in use during a minute.
fn mean(load: &Load) -> f64 {
    (load.seat_us as f64 / MINUTE as f64 * 1000.0).round() / 1000.0
}

fn peak(tally: &Tally, level: &str) -> f64 {
    let minutes = tally.minutes.iter();
    let own = minutes.filter(|(minute, _)| !minute.proposed && minute.priority_level == level);
    own.map(|(_, load)| mean(load)).fold(0.0, f64::max)
}

/// A time in RFC 3339.
fn shown(microseconds: i64) -> String {
    match Timestamp::from_microsecond(microseconds) {
        Ok(time) => time.to_string(),
        Err(_) => microseconds.to_string(),
    }
}
