//! The rows of the tables behind the charts.

use crate::commands::simulate::outcome::{self, counts};
use crate::commands::simulate::report::name_of_flow;
use crate::output::html::Rows;
use k8s_flowcontrol_analysis::simulation::{FlowReport, Report, Waits};
use std::time::Duration;

const COUNT_HEAD: [&str; 10] = [
    "Requests",
    "Dispatched",
    "Rejected",
    "Timed out",
    "Retried",
    "Failed",
    "p50 seconds",
    "p90 seconds",
    "p99 seconds",
    "Longest seconds",
];

/// The columns of a flow, after the first ones.
pub(super) fn flow_head<'a>(first: &[&'a str]) -> Vec<&'a str> {
    let own = ["Flow schema", "Flow", "Priority level"];
    [first, &own, &COUNT_HEAD].concat()
}

pub(super) fn levels(report: &Report) -> Rows {
    let mut table = Rows::new(&[&["Priority level"][..], &COUNT_HEAD].concat());
    for level in report
        .levels
        .iter()
        .filter(|level| level.counts.arrived > 0)
    {
        let mut row = vec![level.name.clone()];
        row.extend(counts(&level.counts));
        row.extend(waits(&level.waits));
        table.add(row);
    }
    table
}

pub(super) fn flow_row(flow: &FlowReport, report: &Report) -> Vec<String> {
    let mut row = vec![
        flow.flow_schema.clone(),
        name_of_flow(flow, report).to_owned(),
        flow.priority_level.clone(),
    ];
    row.extend(counts(&flow.counts));
    row.extend(waits(&flow.waits));
    row
}

pub(super) fn waits(waits: &Waits) -> [String; 4] {
    [
        waits.percentile(50.0),
        waits.percentile(90.0),
        waits.percentile(99.0),
        waits.longest(),
    ]
    .map(seconds)
}

pub(super) fn name(flow: &FlowReport) -> String {
    match flow.flow_distinguisher.as_str() {
        "" => flow.flow_schema.clone(),
        distinguisher => format!("{}/{distinguisher}", flow.flow_schema),
    }
}

/// Seconds as in the JSON.
pub(super) fn seconds(time: Duration) -> String {
    outcome::seconds(time).to_string()
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
