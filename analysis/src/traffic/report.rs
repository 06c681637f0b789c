//! The report: sums over the cells of a tally.

use super::comparison::Comparison;
use super::coverage::Coverage;
use super::sample::{Cell, Class, Deprecated, Load};
use super::sums::{Levels, Named, Sorts, Sums, named, thousandths};
use super::tally::{MINUTE, Tally};
use super::work::WaitSource;
use crate::metrics::StoredObjects;
use crate::saved::numbers::{Count, sum};
use crate::times::shown;
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
    /// The formats of the logs, and what is missing in them.
    pub coverage: Coverage,
    /// The priority levels, the busiest first.
    pub priority_levels: Vec<LevelTraffic>,
    /// The flow schemas, the busiest first.
    pub flow_schemas: Vec<SchemaTraffic>,
    /// The flow schemas without a request.
    pub unused_flow_schemas: Vec<Class>,
    /// The source of the waits in queues.
    pub waits: WaitSource,
    /// The stored objects by which the seats of lists were estimated: of no resource if they were not known, and `None` if several runs have
    /// different ones. A report of another run that has the same ones has the same seats.
    pub stored_objects: Option<StoredObjects>,
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
    /// The most seats in use in one second, as the mean of that second.
    pub peak_seats: f64,
    /// The least seat-seconds that unknown waits leave possible.
    pub least_seat_seconds: f64,
    /// The most seat-seconds that the limits of the level leave possible, if no more requests waited than had to.
    pub most_seat_seconds: f64,
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

/// The requests of a flow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FlowTraffic {
    /// The name of the flow schema.
    pub flow_schema: String,
    /// The flow distinguisher; empty if the flow schema has none, or distinguishes namespaces and the request has none.
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

impl Report {
    pub(super) fn new(
        tally: Tally,
        classes: &[Class],
        works: &Levels,
        stored_objects: Option<StoredObjects>,
        are_limits_known: bool,
    ) -> Self {
        let mut levels = BTreeMap::<&str, (Load, BTreeSet<&str>)>::new();
        let mut schemas = BTreeMap::<&Class, Sorts>::new();
        let mut unseen = 0;
        for (cell, load) in &tally.cells {
            let Some(class) = &cell.class else {
                unseen = sum(unseen, load.requests);
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
                sums: Sums::new(&load, name, works),
                users: users.len(),
                peak_seats: works.get(name).map_or(0.0, |level| level.peak_seats),
                least_seat_seconds: works.get(name).map_or(0.0, |level| level.least),
                most_seat_seconds: works.get(name).map_or(0.0, |level| level.most),
            })
            .collect();
        priority_levels.sort_by_key(|level| std::cmp::Reverse(level.sums.requests));
        let mut flow_schemas: Vec<_> = schemas
            .into_iter()
            .map(|(class, sorts)| SchemaTraffic {
                class: class.clone(),
                sums: Sums::new(&sorts.all, &class.priority_level, works),
                users: named(sorts.users),
                verbs: named(sorts.verbs),
            })
            .collect();
        flow_schemas.sort_by_key(|schema| std::cmp::Reverse(schema.sums.requests));
        let comparison = tally.is_compared().then(|| Comparison::new(&tally, works));
        let (first, last) = tally.period.unzip();
        Self {
            first_request: first.map(shown),
            last_request: last.map(shown),
            events: tally.events.0,
            broken_lines: tally.broken.0,
            requests: tally.requests.0,
            incomplete: tally.incomplete.0,
            unseen,
            coverage: tally.coverage.report(tally.requests.0),
            priority_levels,
            flow_schemas,
            unused_flow_schemas,
            comparison,
            waits: match (tally.waits.0, are_limits_known) {
                (1.., true) => WaitSource::Recorded,
                (1.., false) => WaitSource::RecordedAlone,
                (0, true) => WaitSource::Modelled,
                (0, false) => WaitSource::Unknown,
            },
            stored_objects,
            minutes: minutes(&tally, works),
            flows: flows(&tally, classes, works),
            cells: cells(&tally, works),
            deprecated: tally
                .deprecated
                .into_iter()
                .map(|(client, Count(requests))| Caller { client, requests })
                .collect(),
        }
    }
}

fn cells(tally: &Tally, works: &Levels) -> Vec<(Cell, Sums)> {
    let cells = tally.cells.iter();
    cells
        .map(|(cell, load)| {
            let level = cell
                .class
                .as_ref()
                .map(|class| class.priority_level.as_str());
            let sums = Sums::new(load, level.unwrap_or_default(), works);
            (cell.clone(), sums)
        })
        .collect()
}

fn flows(tally: &Tally, classes: &[Class], works: &Levels) -> Vec<FlowTraffic> {
    let levels: BTreeMap<_, _> = classes
        .iter()
        .map(|class| (class.flow_schema.as_str(), class.priority_level.as_str()))
        .collect();
    let flows = tally.flows.iter().map(|(flow, load)| {
        let level = levels.get(flow.flow_schema.as_str());
        FlowTraffic {
            flow_schema: flow.flow_schema.clone(),
            flow: flow.distinguisher.clone(),
            sums: Sums::new(load, level.copied().unwrap_or(CATCH_ALL), works),
        }
    });
    let mut flows: Vec<_> = flows.collect();
    // By work, then by requests.
    flows.sort_by(|a, b| {
        let order = b.sums.seat_seconds.total_cmp(&a.sums.seat_seconds);
        order.then(b.sums.requests.cmp(&a.sums.requests))
    });
    flows
}

/// The level of the flow schema that always exists.
const CATCH_ALL: &str = "catch-all";

fn minutes(tally: &Tally, works: &Levels) -> Vec<Minute> {
    let means: BTreeMap<_, f64> = tally
        .in_use
        .iter()
        .filter_map(|(name, in_use)| Some((name, works.get(name)?.means(in_use))))
        .flat_map(|(name, means)| means.map(move |(minute, mean)| ((minute, name.as_str()), mean)))
        .collect();
    let arrived: BTreeMap<_, u64> = tally
        .minutes
        .iter()
        .filter(|(minute, _)| !minute.proposed)
        .map(|(minute, load)| {
            (
                (minute.minute, minute.priority_level.as_str()),
                load.requests,
            )
        })
        .collect();
    let keys: BTreeSet<_> = means.keys().chain(arrived.keys()).copied().collect();
    keys.into_iter()
        .map(|key| Minute {
            minute: shown(key.0.0.saturating_mul(MINUTE)),
            priority_level: key.1.to_owned(),
            requests: arrived.get(&key).copied().unwrap_or_default(),
            mean_seats: thousandths(means.get(&key).copied().unwrap_or_default()),
        })
        .collect()
}
