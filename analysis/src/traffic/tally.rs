//! The sums of a report: they add up exactly, in any order and on any number of machines.

use super::coverage::CoverageTally;
use super::sample::{Cell, Deprecated, Load, Sample};
use super::seats_in_use::SeatsInUse;
use crate::saved::numbers::{Count, Time};
use crate::times::widen;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A flow: the requests of a flow schema with one flow distinguisher.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Flow {
    pub(super) flow_schema: String,
    pub(super) distinguisher: String,
}

/// A minute of a priority level.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Minute {
    /// The minutes since 1970.
    pub(super) minute: Time<MINUTE>,
    pub(super) priority_level: String,
    /// Whether the level is that of the proposed configuration.
    pub(super) proposed: bool,
}

/// The sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) events: Count,
    pub(super) requests: Count,
    pub(super) incomplete: Count,
    pub(super) broken: Count,
    /// The first and the last time at which a request arrived, in microseconds since 1970.
    pub(super) period: Option<(i64, i64)>,
    pub(super) cells: BTreeMap<Cell, Load>,
    pub(super) flows: BTreeMap<Flow, Load>,
    pub(super) minutes: BTreeMap<Minute, Load>,
    pub(super) deprecated: BTreeMap<Deprecated, Count>,
    /// The seats in use by priority level, without the estimated waits.
    pub(super) in_use: BTreeMap<String, SeatsInUse>,
    /// The same if no request waited that the log does not say so of.
    pub(super) at_most: BTreeMap<String, SeatsInUse>,
    /// The requests whose wait the logs have.
    pub(super) waits: Count,
    pub(super) coverage: CoverageTally,
}

/// The microseconds of a minute.
pub(super) const MINUTE: i64 = 60_000_000;

impl Tally {
    /// Adds a request.
    pub(super) fn add(&mut self, sample: Sample) {
        self.requests += 1;
        let load = sample.load;
        self.coverage.add(&sample);
        self.waits += u64::from(sample.has_wait);
        if let (Some(class), Some((begin, end))) = (&sample.cell.class, sample.executed_us) {
            let level = class.priority_level.clone();
            let at_most = self.at_most.entry(level.clone()).or_default();
            at_most.add(load.seats, begin, end);
            let in_use = self.in_use.entry(level).or_default();
            in_use.add(load.seats, sample.began_us.unwrap_or(begin), end);
        }
        if let Some(time) = sample.received_us {
            widen(&mut self.period, time);
            let classes = [(&sample.cell.class, false), (&sample.cell.proposed, true)];
            for (class, proposed) in classes {
                let Some(class) = class else { continue };
                let minute = Minute {
                    minute: Time(time.div_euclid(MINUTE)),
                    priority_level: class.priority_level.clone(),
                    proposed,
                };
                self.minutes.entry(minute).or_default().add(load);
            }
        }
        if let Some(class) = &sample.cell.class {
            let flow = Flow {
                flow_schema: class.flow_schema.clone(),
                distinguisher: sample.distinguisher,
            };
            self.flows.entry(flow).or_default().add(load);
        }
        if let Some(deprecated) = sample.deprecated {
            *self.deprecated.entry(deprecated).or_default() += 1;
        }
        self.cells.entry(sample.cell).or_default().add(load);
    }

    /// Adds the sums of other requests.
    pub(super) fn merge(&mut self, other: Self) {
        self.events += other.events;
        self.requests += other.requests;
        self.incomplete += other.incomplete;
        self.broken += other.broken;
        if let Some((from, to)) = other.period {
            widen(&mut self.period, from);
            widen(&mut self.period, to);
        }
        add_all(&mut self.cells, other.cells);
        add_all(&mut self.flows, other.flows);
        add_all(&mut self.minutes, other.minutes);
        for (level, in_use) in other.in_use {
            self.in_use.entry(level).or_default().merge(in_use);
        }
        for (level, at_most) in other.at_most {
            self.at_most.entry(level).or_default().merge(at_most);
        }
        self.waits += other.waits;
        self.coverage.merge(other.coverage);
        for (key, count) in other.deprecated {
            *self.deprecated.entry(key).or_default() += count;
        }
    }

    /// Whether requests were also classified by a proposed configuration.
    pub(super) fn is_compared(&self) -> bool {
        self.cells.keys().any(|cell| cell.proposed.is_some())
    }
}

fn add_all<K: Ord>(to: &mut BTreeMap<K, Load>, from: BTreeMap<K, Load>) {
    for (key, load) in from {
        to.entry(key).or_default().add(load);
    }
}
