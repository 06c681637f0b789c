//! The result of a simulation as tables.

use super::outcome::{Outcome, counts, delayed, time};
use super::trust;
use crate::commands::traffic::flow_name;
use crate::failure::Failure;
use crate::output::{Streams, Table, plural};
use k8s_flowcontrol_analysis::simulation::{Counts, FlowReport, LevelReport, Report, Waits};
use std::io::Write;

/// The most flows of a table.
const MOST_FLOWS: usize = 20;

/// Writes tables of levels, of the flows that waited longest or were rejected, and the comparison with the logs.
pub(super) fn tables(outcome: &Outcome, streams: &mut Streams) -> Result<(), Failure> {
    match &outcome.after {
        None => both_tables(&outcome.before, streams)?,
        Some(after) => {
            for level in &after.levels {
                let before = outcome.before.levels.iter();
                let before = before.clone().find(|before| before.name == level.name);
                let before = before.map_or_else(Counts::default, |before| before.counts);
                let rejected = |counts: &Counts| counts.rejected + counts.timed_out;
                let arrived = level.counts.arrived;
                if before.arrived + arrived > 0 {
                    let text = format!(
                        "{}, {} → {} with status 429",
                        plural(arrived, "request"),
                        rejected(&before),
                        rejected(&level.counts)
                    );
                    streams.fact(&level.name, text);
                }
            }
            writeln!(streams.out, "before:")?;
            both_tables(&outcome.before, streams)?;
            writeln!(streams.out, "\nafter:")?;
            both_tables(after, streams)?;
        }
    }
    trust::write(outcome, streams)?;
    streams.out.paragraph(&outcome.facts())?;
    if let Some(text) = outcome.waits_are_estimated() {
        streams.out.paragraph(text)?;
    }
    streams.out.paragraph(outcome.limits_of_model())?;
    Ok(())
}

fn both_tables(report: &Report, streams: &mut Streams) -> Result<(), Failure> {
    levels(report).write(&mut streams.out)?;
    let flows = delayed(report);
    if !flows.is_empty() {
        writeln!(streams.out)?;
        table(&flows[..flows.len().min(MOST_FLOWS)], report).write(&mut streams.out)?;
    }
    if flows.len() > MOST_FLOWS {
        let rest = flows.len() - MOST_FLOWS;
        writeln!(
            streams.out,
            "{} with shorter waits: see -o json",
            plural(rest, "more flow")
        )?;
    }
    Ok(())
}

fn levels(report: &Report) -> Table {
    let mut table = Table::new([
        "LEVEL",
        "REQUESTS",
        "DISPATCHED",
        "REJECTED",
        "TIMED OUT",
        "RETRIED",
        "FAILED",
        "WAIT P50",
        "P99",
        "MAX",
        "PEAKINUSE",
        "LIMIT",
    ]);
    for level in report
        .levels
        .iter()
        .filter(|level| level.counts.arrived > 0)
    {
        let mut row = vec![level.name.clone()];
        row.extend(counts(&level.counts));
        row.extend(waits(&level.waits));
        row.push(level.peak_seats_in_use.to_string());
        row.push(limits(level));
        table.add(row);
    }
    table
}

/// The smallest and the largest limit; an exempt level has none.
fn limits(level: &LevelReport) -> String {
    match level.limits {
        None => "-".to_owned(),
        Some([least, most]) if least == most => most.to_string(),
        Some([least, most]) => format!("{least}–{most}"),
    }
}

fn table(flows: &[&FlowReport], report: &Report) -> Table {
    let mut table = Table::new([
        "FLOW SCHEMA",
        "FLOW",
        "REQUESTS",
        "DISPATCHED",
        "REJECTED",
        "TIMED OUT",
        "RETRIED",
        "FAILED",
        "WAIT P50",
        "P99",
        "MAX",
    ])
    .keys(2);
    for flow in flows {
        let name = name_of_flow(flow, report).to_owned();
        let mut row = vec![flow.flow_schema.clone(), name];
        row.extend(counts(&flow.counts));
        row.extend(waits(&flow.waits));
        table.add(row);
    }
    table
}

/// The name of a flow of the report.
pub(super) fn name_of_flow<'a>(flow: &'a FlowReport, report: &'a Report) -> &'a str {
    let name = |flow: &'a FlowReport| (&*flow.flow_schema, &*flow.flow_distinguisher);
    flow_name(name(flow), report.flows.iter().map(name))
}

fn waits(waits: &Waits) -> [String; 3] {
    [
        waits.percentile(50.0),
        waits.percentile(99.0),
        waits.longest(),
    ]
    .map(time)
}
