//! The rows of the tables behind the charts.

use crate::commands::simulate::outcome::{self, counts};
use crate::commands::traffic::flow_name;
use crate::output::html::Rows;
use k8s_flowcontrol_analysis::simulation::{FlowReport, Report, Waits};
use std::time::Duration;

pub(super) const COUNT_HEAD: [&str; 10] = [
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

pub(super) const FLOW_HEAD: [&str; 13] = [
    "Flow schema",
    "Flow",
    "Priority level",
    COUNT_HEAD[0],
    COUNT_HEAD[1],
    COUNT_HEAD[2],
    COUNT_HEAD[3],
    COUNT_HEAD[4],
    COUNT_HEAD[5],
    COUNT_HEAD[6],
    COUNT_HEAD[7],
    COUNT_HEAD[8],
    COUNT_HEAD[9],
];

pub(super) fn levels(report: &Report) -> Rows {
    let mut head = vec!["Priority level"];
    head.extend(COUNT_HEAD);
    let mut table = Rows::new(&head);
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

pub(super) fn flow_row(flow: &FlowReport) -> Vec<String> {
    let mut row = vec![
        flow.flow_schema.clone(),
        flow_name(&flow.flow_distinguisher).to_owned(),
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
