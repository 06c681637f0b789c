//! The outcome as a web page.

mod rows;

use super::outcome::{Outcome, delayed};
use super::trust;
use crate::output::html::{Bar, Group, Page, Pair, Rows, Series, area, bars, pairs};
use k8s_flowcontrol_analysis::simulation::{Counts, FlowReport, Report, Sample, Waits};
use rows::{flow_head, flow_row, levels, milliseconds, name, seconds};
use std::collections::BTreeMap;
use std::time::Duration;

/// The most flows in a chart.
const MOST_FLOWS: usize = 20;
/// The percentiles of a chart.
const PERCENTILES: [(f64, &str); 3] = [(50.0, "p50"), (90.0, "p90"), (99.0, "p99")];

/// The charts of each result.
const CHARTS: [OverTime; 2] = [OverTime::SEATS, OverTime::WAITING];

pub(super) fn page(outcome: &Outcome) -> String {
    let mut summary: Vec<_> = trust::verdict_of(outcome).into_iter().collect();
    summary.push(outcome.facts());
    summary.extend(outcome.waits_are_estimated().map(str::to_owned));
    summary.push(outcome.limits_of_model().to_owned());
    let mut page = Page::new("Simulation of API Priority and Fairness", &summary);
    let before = &outcome.before;
    match &outcome.after {
        None => {
            over_time(&mut page, before, "", &busy(&[before]), &CHARTS);
            waits_of_flows(&mut page, before);
        }
        Some(after) => {
            let levels = busy(&[before, after]);
            over_time(&mut page, before, ", before", &levels, &CHARTS);
            over_time(&mut page, after, ", after", &levels, &CHARTS);
            compared_levels(&mut page, before, after);
            compared_flows(&mut page, before, after);
        }
    }
    if outcome.period.is_some() {
        observed(&mut page, before);
        trust::add_tables(outcome, &mut page);
    }
    let mut reports = vec![("Priority levels", before)];
    if let Some(after) = &outcome.after {
        reports = vec![
            ("Priority levels, before", before),
            ("Priority levels, after", after),
        ];
    }
    for (heading, report) in reports {
        page.table(heading, &levels(report));
    }
    page.html()
}

/// The levels that have requests in any report. Each has one color in all charts.
pub(in crate::commands) fn busy(reports: &[&Report]) -> Vec<String> {
    let levels = reports.iter().flat_map(|report| &report.levels);
    let mut names: Vec<_> = levels
        .filter(|level| level.counts.arrived > 0)
        .map(|level| level.name.clone())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// A number of the levels over time.
pub(in crate::commands) struct OverTime {
    pub(in crate::commands) heading: &'static str,
    pub(in crate::commands) note: &'static str,
    pub(in crate::commands) value: fn(&Sample) -> f64,
}

impl OverTime {
    pub(in crate::commands) const SEATS: Self = Self {
        heading: "Seats in use over time",
        note: "The mean of the seats of executing requests between two points, final seats included, by priority level.",
        value: |sample| sample.mean_seats_in_use,
    };
    const WAITING: Self = Self {
        heading: "Waiting seats over time",
        note: "The mean of the seats that the requests in queues wait for, by priority level.",
        value: |sample| sample.mean_seats_waiting,
    };
}

/// Numbers of each level over time.
pub(in crate::commands) fn over_time(
    page: &mut Page,
    report: &Report,
    when: &str,
    levels: &[String],
    charts: &[OverTime],
) {
    let first = report.levels.first().map(|level| &level.samples[..]);
    let times: Vec<_> = first
        .unwrap_or_default()
        .iter()
        .map(|sample| sample.at)
        .collect();
    for OverTime {
        heading,
        note,
        value,
    } in charts
    {
        let heading = format!("{heading}{when}");
        let mut head = vec!["Seconds"];
        head.extend(levels.iter().map(String::as_str));
        let mut table = Rows::new(&head);
        for (index, at) in times.iter().enumerate() {
            let mut row = vec![seconds(*at)];
            row.extend(levels.iter().map(|name| {
                let sample = samples(report, name).get(index);
                let mean = sample.map(*value).unwrap_or_default();
                ((mean * 1000.0).round() / 1000.0).to_string()
            }));
            table.add(row);
        }
        let of_level = |name: &String| Series {
            name: name.clone(),
            values: samples(report, name).iter().map(*value).collect(),
        };
        let series: Vec<_> = levels.iter().map(of_level).collect();
        let end = times.last().copied().unwrap_or_default();
        let end = format!("{:.1} s", end.as_secs_f64());
        page.figure(
            &heading,
            note,
            |width| area(width, &heading, &series, "0 s", &end),
            &table,
        );
    }
}

/// The samples of a level; none if the report lacks it.
fn samples<'a>(report: &'a Report, name: &str) -> &'a [Sample] {
    let found = report.levels.iter().find(|level| level.name == name);
    found.map_or(&[], |level| &level.samples)
}

/// The waits of the flows that wait longest.
fn waits_of_flows(page: &mut Page, report: &Report) {
    let flows = delayed(report);
    let groups: Vec<_> = flows
        .iter()
        .take(MOST_FLOWS)
        .map(|flow| Group {
            name: name(flow),
            bars: percentile_bars(&flow.waits),
        })
        .collect();
    let mut table = Rows::new(&flow_head(&[]));
    for flow in &flows {
        table.add(flow_row(flow, report));
    }
    let note = match flows.len() {
        0 => "No flow waits or is rejected.".to_owned(),
        count => format!(
            "Percentiles of the waiting times of dispatched requests, in milliseconds. Of the {count} flows that wait or are rejected, up to {MOST_FLOWS} with the longest waits."
        ),
    };
    page.figure(
        "Waits by flow",
        &note,
        |width| bars(width, "Waits by flow", &groups),
        &table,
    );
}

fn percentile_bars(waits: &Waits) -> Vec<Bar> {
    let bar = |(color, (percent, label)): (usize, &(f64, &'static str))| Bar {
        label,
        value: milliseconds(waits.percentile(*percent)),
        unit: " ms",
        color,
        is_faint: false,
    };
    PERCENTILES.iter().enumerate().map(bar).collect()
}

pub(in crate::commands) fn compared_levels(page: &mut Page, before: &Report, after: &Report) {
    let mut table = Rows::new(&[
        "Priority level",
        "p99 seconds before",
        "p99 seconds after",
        "Rejected before",
        "Rejected after",
        "Timed out before",
        "Timed out after",
    ]);
    let mut changes = Vec::new();
    let none = (Waits::default(), Counts::default());
    for name in busy(&[before, after]) {
        let of = |report: &Report| {
            let found = report.levels.iter().find(|level| level.name == name);
            found.map_or_else(|| none.clone(), |level| (level.waits.clone(), level.counts))
        };
        let ((waits_before, before), (waits_after, after)) = (of(before), of(after));
        let p99 = [&waits_before, &waits_after].map(|waits| waits.percentile(99.0));
        changes.push(Pair {
            name: name.clone(),
            before: milliseconds(p99[0]),
            after: milliseconds(p99[1]),
        });
        // A level without requests does not have waits.
        let shown = |counts: Counts, p99| match counts.arrived {
            0 => "-".to_owned(),
            _ => seconds(p99),
        };
        table.add(vec![
            name,
            shown(before, p99[0]),
            shown(after, p99[1]),
            before.rejected.to_string(),
            after.rejected.to_string(),
            before.timed_out.to_string(),
            after.timed_out.to_string(),
        ]);
    }
    page.figure(
        "Waits by priority level, before and after",
        "The 99th percentile of the waiting times of dispatched requests, in milliseconds.",
        |width| pairs(width, "Waits by priority level", " ms", &changes),
        &table,
    );
}

fn compared_flows(page: &mut Page, before: &Report, after: &Report) {
    let mut flows = BTreeMap::<String, [Option<&FlowReport>; 2]>::new();
    for (index, report) in [before, after].into_iter().enumerate() {
        for flow in delayed(report) {
            flows.entry(name(flow)).or_default()[index] = Some(flow);
        }
    }
    // A flow that waits in a single result only.
    for (name_of, both) in &mut flows {
        for (found, report) in both.iter_mut().zip([before, after]) {
            *found = found.or_else(|| report.flows.iter().find(|flow| name(flow) == *name_of));
        }
    }
    let p99 =
        |flow: Option<&FlowReport>| flow.map_or(Duration::ZERO, |flow| flow.waits.percentile(99.0));
    let mut sorted: Vec<_> = flows.into_iter().collect();
    sorted.sort_by_key(|(_, both)| std::cmp::Reverse(p99(both[0]).max(p99(both[1]))));
    let mut table = Rows::new(&flow_head(&["Result"]));
    let mut changes = Vec::new();
    for (index, (name, both)) in sorted.into_iter().enumerate() {
        let results = [("before", before), ("after", after)];
        for ((when, report), flow) in results.into_iter().zip(both) {
            if let Some(flow) = flow {
                let mut row = vec![when.to_owned()];
                row.extend(flow_row(flow, report));
                table.add(row);
            }
        }
        if index < MOST_FLOWS {
            changes.push(Pair {
                name,
                before: milliseconds(p99(both[0])),
                after: milliseconds(p99(both[1])),
            });
        }
    }
    page.figure(
        "Waits by flow, before and after",
        &format!(
            "The 99th percentile of the waiting times of dispatched requests, in milliseconds, of up to {MOST_FLOWS} flows with the longest waits."
        ),
        |width| pairs(width, "Waits by flow", " ms", &changes),
        &table,
    );
}

/// The waits in the audit logs, and the waits in the model.
fn observed(page: &mut Page, report: &Report) {
    let mut table = Rows::new(&[
        "Priority level",
        "Wait",
        "Requests",
        "Average seconds",
        "p50 seconds",
        "p90 seconds",
        "p99 seconds",
        "Longest seconds",
    ]);
    let mut groups = Vec::new();
    for level in &report.levels {
        let observed = &level.observed;
        if observed.waits.longest().is_zero() && level.waits.longest().is_zero() {
            continue;
        }
        let mut bars = Vec::new();
        for (percent, label) in PERCENTILES {
            let bar = |waits: &Waits, is_faint| Bar {
                label,
                value: milliseconds(waits.percentile(percent)),
                unit: if is_faint {
                    " ms observed"
                } else {
                    " ms predicted"
                },
                color: 0,
                is_faint,
            };
            bars.push(bar(&observed.waits, true));
            bars.push(bar(&level.waits, false));
        }
        groups.push(Group {
            name: level.name.clone(),
            bars,
        });
        for (name, waits) in [("observed", &observed.waits), ("predicted", &level.waits)] {
            let mut row = vec![
                level.name.clone(),
                name.to_owned(),
                waits.count().to_string(),
                seconds(waits.average()),
            ];
            row.extend(PERCENTILES.map(|(percent, _)| seconds(waits.percentile(percent))));
            row.push(seconds(waits.longest()));
            table.add(row);
        }
    }
    if groups.is_empty() {
        return;
    }
    page.figure(
        "Observed and predicted waits",
        "Percentiles of the waits in the audit logs and of the simulated waits, in milliseconds. Waits that the server did not record are estimated.",
        |width| bars(width, "Observed and predicted waits", &groups),
        &table,
    );
}
