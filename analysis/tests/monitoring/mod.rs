//! Metrics, rules and dashboards, and the metrics of real servers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod catalog;
mod dashboard;
mod live;
mod rules;

use k8s_flowcontrol_analysis::metrics::catalog::{Metric, MetricKind, find};
use k8s_flowcontrol_types::Release;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const OF_1_36: &str = include_str!("../fixtures/metrics/1.36.txt");

fn release(text: &str) -> Release {
    text.parse().unwrap()
}

/// The recorded metrics by name: stability, type and labels.
fn recorded(text: &str) -> BTreeMap<&str, (&str, &str, BTreeSet<&str>)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let [name, stability, kind, labels, ..] = line.split(' ').collect::<Vec<_>>()[..]
            else {
                panic!("{line}");
            };
            let labels = labels.split(',').filter(|label| *label != "-").collect();
            (name, (stability, kind, labels))
        })
        .collect()
}

/// The metrics of an expression of PromQL, each with the labels that name it in matchers.
fn metrics_of(expression: &str) -> Vec<(&'static Metric, String)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(start) = rest.find("apiserver_") {
        let before = rest[..start].chars().next_back();
        let end = rest[start..].find(|c| !is_part(c));
        let end = end.map_or(rest.len(), |end| start + end);
        let name = &rest[start..end];
        let after = &rest[end..];
        if !before.is_some_and(is_part) {
            let metric = find(name).unwrap_or_else(|| panic!("{name} in {expression}"));
            let is_series = name != metric.name();
            assert_eq!(is_series, metric.kind() == MetricKind::Histogram, "{name}");
            let matchers = after.strip_prefix('{').and_then(|own| own.split_once('}'));
            found.push((metric, matchers.map_or("", |(own, _)| own).to_owned()));
        }
        rest = after;
    }
    found
}

fn expressions(value: &Value, key: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == key => into.push(text.clone()),
                    value => expressions(value, key, into),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, key, into)),
        _ => {}
    }
}
