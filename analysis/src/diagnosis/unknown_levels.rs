//! Priority levels whose requests wait or are rejected, and which are not among the objects.

use super::evidence::{Evidence, ServerEvidence};
use super::load::{Counters, moments};
use super::moment::Moment;
use super::observation::{Observation, Period};
use crate::metrics::Quantity;
use k8s_flowcontrol_rules::objects::{LevelInUse, level_named};
use std::collections::BTreeSet;

/// A priority level that is not among the objects: they lack it, it was deleted, or they are of another time or cluster.
pub(super) struct UnknownLevel<'a> {
    pub(super) server: &'a ServerEvidence,
    pub(super) name: String,
    /// The requests that wait; 0 for none.
    pub(super) waiting: i64,
    /// The requests that were rejected in the interval.
    pub(super) rejected: i64,
    pub(super) evidence: Vec<Observation>,
}

/// The levels of all servers.
pub(super) fn of<'a>(evidence: &'a Evidence, levels: &[LevelInUse]) -> Vec<UnknownLevel<'a>> {
    let mut found = Vec::new();
    for server in &evidence.servers {
        let counters = Counters::of(server);
        for name in names(server) {
            if level_named(levels, name).is_none() {
                found.extend(of_level(server, name, &counters));
            }
        }
    }
    found
}

/// The levels in the metrics and the dumps of a server.
fn names(server: &ServerEvidence) -> BTreeSet<&str> {
    let metrics = server.metrics.iter();
    let mut names: BTreeSet<&str> = metrics.flat_map(|one| one.priority_levels()).collect();
    let levels = server.priority_levels.iter().flatten();
    names.extend(levels.map(|row| row.name.as_str()));
    let queues = server.queues.iter().flatten();
    names.extend(queues.map(|row| row.priority_level.as_str()));
    let requests = server.requests.iter().flatten();
    names.extend(requests.map(|row| row.priority_level.as_str()));
    names
}

fn of_level<'a>(
    server: &'a ServerEvidence,
    name: &str,
    counters: &Counters,
) -> Option<UnknownLevel<'a>> {
    let moments = moments(server, name);
    let waiting = Moment::ALL.into_iter().find_map(|moment| {
        let waiting = moments.at(moment).waiting.clone();
        waiting.filter(|waiting| waiting.value > 0)
    });
    let mut evidence: Vec<_> = waiting.iter().map(|waiting| waiting.from.clone()).collect();
    let mut rejected = 0_i64;
    if let Some((metrics, period @ Period::Interval(_))) = counters.increase() {
        for series in metrics.series(Quantity::RejectedRequests, name) {
            if series.value > 0 {
                rejected = rejected.saturating_add(series.value);
                let from = Observation::metric(&server.name, series, series.value, Some(*period));
                evidence.push(from);
            }
        }
    }
    (!evidence.is_empty()).then(|| UnknownLevel {
        server,
        name: name.to_owned(),
        waiting: waiting.map_or(0, |waiting| waiting.value),
        rejected,
        evidence,
    })
}
