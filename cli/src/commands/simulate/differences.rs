//! The differences that another configuration makes, beside the errors of the prediction.

use super::outcome::time;
use super::trust::name_of_flow;
use k8s_flowcontrol_analysis::simulation::{Counts, Prediction, Report, Waits};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub(super) const HEAD: [&str; 7] = [
    "DIFFERENCE",
    "STATUS 429",
    "ERROR",
    "WAIT P50",
    "ERROR",
    "P99",
    "ERROR",
];

/// The requests of a level, or of a flow, with one configuration.
type Simulated<'a> = (&'a Counts, &'a Waits);

/// The differences that the other configuration makes, beside the error of the prediction, and whether each is that of a flow.
pub(super) fn rows(
    before: &Report,
    after: &Report,
    predictions: &[Prediction],
) -> Vec<(bool, Vec<String>)> {
    let (levels_before, levels_after) = (levels_of(before), levels_of(after));
    let (flows_before, flows_after) = (flows_of(before), flows_of(after));
    let found: BTreeMap<_, _> = predictions
        .iter()
        .map(|found| match &found.flow {
            None => ((found.priority_level.as_str(), None), found),
            Some((schema, flow)) => ((schema.as_str(), Some(flow.as_str())), found),
        })
        .collect();
    let mut rows = Vec::new();
    let mut add = |key: (&str, Option<&str>), name, before, after| {
        let found = found.get(&key).copied();
        if let Some(cells) = difference(before, after, found) {
            let only = match (before, after) {
                (Some(_), None) => " (only before)",
                (None, Some(_)) => " (only after)",
                _ => "",
            };
            let row = [format!("{name}{only}")].into_iter().chain(cells);
            rows.push((key.1.is_some(), row.collect()));
        }
    };
    let names: BTreeSet<_> = levels_before.keys().chain(levels_after.keys()).collect();
    for level in names {
        let [before, after] = [&levels_before, &levels_after].map(|of| of.get(level).copied());
        add((level, None), format!("level {level}"), before, after);
    }
    let names: BTreeSet<_> = flows_before.keys().chain(flows_after.keys()).collect();
    for flow in names {
        let [before, after] = [&flows_before, &flows_after].map(|of| of.get(flow).copied());
        let name = name_of_flow(*flow);
        add((flow.0, Some(flow.1)), name, before, after);
    }
    rows
}

/// The levels that have requests.
fn levels_of(report: &Report) -> BTreeMap<&str, Simulated<'_>> {
    let levels = report.levels.iter();
    let levels = levels.filter(|level| level.counts.arrived > 0);
    levels
        .map(|level| (level.name.as_str(), (&level.counts, &level.waits)))
        .collect()
}

/// The flows that have requests, by flow schema and flow distinguisher.
fn flows_of(report: &Report) -> BTreeMap<(&str, &str), Simulated<'_>> {
    let flows = report.flows.iter();
    let flows = flows.filter(|flow| flow.counts.arrived > 0);
    flows
        .map(|flow| {
            let key = (flow.flow_schema.as_str(), flow.flow_distinguisher.as_str());
            (key, (&flow.counts, &flow.waits))
        })
        .collect()
}

/// The cells of a difference; none if there is nothing to show.
fn difference(
    before: Option<Simulated<'_>>,
    after: Option<Simulated<'_>>,
    found: Option<&Prediction>,
) -> Option<[String; 6]> {
    let rejected =
        |(counts, _): Simulated<'_>| i128::from(counts.rejected) + i128::from(counts.timed_out);
    let percentiles =
        |(_, waits): Simulated<'_>| [50.0, 99.0].map(|percent| waits.percentile(percent));
    let none = || "-".to_owned();
    let cells = match (before, after) {
        (None, None) => return None,
        (Some(old), Some(new)) => {
            let (old_waits, new_waits) = (percentiles(old), percentiles(new));
            let more = rejected(new) - rejected(old);
            if found.is_none() && old_waits == new_waits && more == 0 {
                return None;
            }
            let [median, p99] = [0, 1].map(|index| signed(old_waits[index], new_waits[index]));
            [format!("{more:+}"), median, p99]
        }
        (Some(only), None) | (None, Some(only)) => {
            if found.is_none() && rejected(only) == 0 && percentiles(only) == [Duration::ZERO; 2] {
                return None;
            }
            [none(), none(), none()]
        }
    };
    let [rejections, median, p99] = cells;
    let error = found.map_or_else(none, |found| {
        let rejected = found.rejected;
        rejected.observed.abs_diff(rejected.predicted).to_string()
    });
    let waits = found.and_then(|found| found.waits);
    let errors = [0, 1].map(|index: usize| {
        waits.map_or_else(none, |waits| {
            let wait = waits[index];
            time(wait.observed.abs_diff(wait.predicted))
        })
    });
    let [error_p50, error_p99] = errors;
    Some([rejections, error, median, error_p50, p99, error_p99])
}

fn signed(before: Duration, after: Duration) -> String {
    let sign = match after.cmp(&before) {
        std::cmp::Ordering::Less => "-",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "+",
    };
    format!("{sign}{}", time(after.abs_diff(before)))
}
