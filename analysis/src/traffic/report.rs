//! The report: sums over the cells of a tally.

use super::sample::{Cell, Class, Deprecated, Load};
use super::tally::{MINUTE, Tally};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A report about the requests of logs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Report {
    /// The arrival of the first request, in RFC 3339.
    pub first_request: Option<String>,
    /// The arrival of the last request, in RFC 3339.
    pub last_request: Option<String>,
    /// The events in the logs.
    pub events: u64,
    /// The lines that are not events.
    pub broken_lines: u64,
    /// The number of requests.
    pub requests: u64,
    /// The requests without an end in the logs.
    pub incomplete: u64,
    /// The requests that flow control does not see.
    pub unseen: u64,
    /// The priority levels, the busiest first.
    pub priority_levels: Vec<LevelTraffic>,
    /// The flow schemas, the busiest first.
    pub flow_schemas: Vec<SchemaTraffic>,
    /// The flow schemas without a request.
    pub unused_flow_schemas: Vec<Class>,
    /// The flows, by seat-seconds and requests.
    pub flows: Vec<FlowTraffic>,
    /// The clients of deprecated API versions.
    pub deprecated: Vec<Caller>,
    /// The priority levels by minute.
    pub minutes: Vec<Minute>,
    /// The effect of the proposed configuration, if there is one.
    pub comparison: Option<Comparison>,
    /// The sums by classification, user and verb, which all other sums follow from; not a part of the serialized report.
    #[serde(skip)]
    pub cells: Vec<(Cell, Sums)>,
}

/// Sums of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sums {
    /// The number of requests.
    pub requests: u64,
    /// The sum of the initial seats.
    pub seats: u64,
    /// The sum of the initial seats, each times the duration of its request; in seconds, with milliseconds.
    pub seat_seconds: f64,
    /// The requests that flow control rejected.
    pub rejected: u64,
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

/// The requests of a priority level.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LevelTraffic {
    /// The name.
    pub name: String,
    /// The requests and their work.
    #[serde(flatten)]
    pub sums: Sums,
    /// The number of users.
    pub users: usize,
    /// The largest mean of the seats in use during a minute.
    pub peak_seats: f64,
}

/// The requests of a flow schema.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SchemaTraffic {
    /// The flow schema and its priority level.
    #[serde(flatten)]
    pub class: Class,
    /// The requests and their work.
    #[serde(flatten)]
    pub sums: Sums,
    /// The users, the busiest first.
    pub users: Vec<Named>,
    /// The verbs, the busiest first.
    pub verbs: Vec<Named>,
}

/// A user or a verb with its requests.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Named {
    /// The name.
    pub name: String,
    /// The number of requests.
    pub requests: u64,
    /// The sum of the initial seats.
    pub seats: u64,
}

/// The requests of a flow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FlowTraffic {
    /// The name of the flow schema.
    pub flow_schema: String,
    /// The flow distinguisher; empty if the flow schema has none.
    pub flow: String,
    /// The requests and their work.
    #[serde(flatten)]
    pub sums: Sums,
}

/// A client of a deprecated API version.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Caller {
    /// The client.
    #[serde(flatten)]
    pub client: Deprecated,
    /// The number of requests.
    pub requests: u64,
}

/// A minute of a priority level.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Minute {
    /// The begin of the minute, in RFC 3339.
    pub minute: String,
    /// The name of the priority level.
    pub priority_level: String,
    /// The number of requests.
    pub requests: u64,
    /// The mean of the seats in use.
    pub mean_seats: f64,
}

/// The effect of the proposed configuration.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Comparison {
    /// The requests with another flow schema or priority level.
    pub moved_requests: u64,
    /// The moves, the largest first.
    pub moves: Vec<Move>,
    /// The priority levels, by name.
    pub priority_levels: Vec<LevelChange>,
}

/// Requests with another classification in the proposed configuration.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Move {
    /// The class in the current configuration.
    pub from: Class,
    /// The class in the proposed configuration.
    pub to: Class,
    /// The requests and their work.
    #[serde(flatten)]
    pub sums: Sums,
    /// The users, the busiest first.
    pub users: Vec<Named>,
}

/// A priority level in the current and in the proposed configuration.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct LevelChange {
    /// The name.
    pub name: String,
    /// In the current configuration.
    pub before: Sums,
    /// In the proposed configuration.
    pub after: Sums,
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
            .map(|(name, (load, users))| LevelTraffic {
                name: name.to_owned(),
                sums: load.into(),
                users: users.len(),
                peak_seats: peak(&tally, name),
            })
            .collect();
        priority_levels.sort_by_key(|level| std::cmp::Reverse(level.sums.requests));
        let mut flow_schemas: Vec<_> = schemas
            .into_iter()
            .map(|(class, sorts)| SchemaTraffic {
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
            cells: cells(&tally),
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

fn cells(tally: &Tally) -> Vec<(Cell, Sums)> {
    let cells = tally.cells.iter();
    cells
        .map(|(cell, load)| (cell.clone(), (*load).into()))
        .collect()
}

fn flows(tally: &Tally) -> Vec<FlowTraffic> {
    let mut flows: Vec<_> = tally.flows.iter().collect();
    // By work, then by requests.
    flows.sort_by_key(|(_, load)| std::cmp::Reverse((load.seat_us, load.requests)));
    flows
        .into_iter()
        .map(|(flow, load)| FlowTraffic {
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
