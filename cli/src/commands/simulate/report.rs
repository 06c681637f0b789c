//! The result of a simulation as a table and as JSON.

use crate::failure::Failure;
use crate::output::{Streams, Table};
use k8s_flowcontrol::rules::simulation::{Counts, FlowReport, LevelReport, Report, Waits};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// The most flows of a table.
const MOST_FLOWS: usize = 20;

/// A report with the name of its configuration.
pub(super) type Named<'a> = (&'a str, &'a Report);

/// Writes tables of levels and of the flows that waited longest or were rejected.
pub(super) fn tables(reports: &[Named<'_>], streams: &mut Streams) -> Result<(), Failure> {
    for (index, (name, report)) in reports.iter().enumerate() {
        if index > 0 {
            writeln!(streams.out)?;
        }
        if reports.len() > 1 {
            writeln!(streams.out, "{name}:")?;
        }
        levels(report).write(&mut streams.out)?;
        let is_delayed = |flow: &&FlowReport| {
            let counts = &flow.counts;
            !flow.waits.longest().is_zero() || counts.rejected + counts.timed_out > 0
        };
        let mut flows: Vec<_> = report.flows.iter().filter(is_delayed).collect();
        flows.sort_by_key(|flow| std::cmp::Reverse(flow.waits.percentile(99.0)));
        if !flows.is_empty() {
            writeln!(streams.out)?;
            table(&flows[..flows.len().min(MOST_FLOWS)]).write(&mut streams.out)?;
        }
        if flows.len() > MOST_FLOWS {
            let rest = flows.len() - MOST_FLOWS;
            writeln!(
                streams.out,
                "{rest} more flows with shorter waits: see -o json"
            )?;
        }
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
        "SEATS",
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
        let most = level.samples.iter().map(|sample| sample.seats_in_use).max();
        row.push(most.unwrap_or_default().to_string());
        row.push(limits(level));
        table.add(row);
    }
    table
}

/// The smallest and the largest limit.
fn limits(level: &LevelReport) -> String {
    let limits = || level.samples.iter().map(|sample| sample.limit);
    let (least, most) = (
        limits().min().unwrap_or_default(),
        limits().max().unwrap_or_default(),
    );
    match least == most {
        true => most.to_string(),
        false => format!("{least}–{most}"),
    }
}

fn table(flows: &[&FlowReport]) -> Table {
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
        let mut row = vec![flow.flow_schema.clone(), flow.flow_distinguisher.clone()];
        row.extend(counts(&flow.counts));
        row.extend(waits(&flow.waits));
        table.add(row);
    }
    table
}

fn counts(counts: &Counts) -> [String; 6] {
    [
        counts.arrived,
        counts.dispatched,
        counts.rejected,
        counts.timed_out,
        counts.retried,
        counts.failed,
    ]
    .map(|count| count.to_string())
}

fn waits(waits: &Waits) -> [String; 3] {
    [
        waits.percentile(50.0),
        waits.percentile(99.0),
        waits.longest(),
    ]
    .map(time)
}

/// A time with three digits, as people read it.
pub(super) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        0.0 => "0".into(),
        ..0.001 => format!("{:.0}µs", seconds * 1e6),
        ..0.01 => format!("{:.2}ms", seconds * 1e3),
        ..1.0 => format!("{:.0}ms", seconds * 1e3),
        _ => format!("{seconds:.2}s"),
    }
}

/// The report as JSON.
pub(super) fn json(report: &Report) -> Value {
    let level = |level: &LevelReport| {
        let samples = level.samples.iter().map(|sample| {
            json!({
                "atSeconds": sample.at.as_secs_f64(),
                "limit": sample.limit,
                "seatsInUse": sample.seats_in_use,
                "executing": sample.executing,
                "waiting": sample.waiting,
            })
        });
        let samples: Vec<_> = samples.collect();
        let (counts, waits) = (counts_json(&level.counts), waits_json(&level.waits));
        json!({"name": level.name, "counts": counts, "waitSeconds": waits, "samples": samples})
    };
    let flow = |flow: &FlowReport| {
        json!({
            "flowSchema": flow.flow_schema,
            "flowDistinguisher": flow.flow_distinguisher,
            "priorityLevel": flow.priority_level,
            "counts": counts_json(&flow.counts),
            "waitSeconds": waits_json(&flow.waits),
        })
    };
    let client =
        |(name, counts): &(String, Counts)| json!({"name": name, "counts": counts_json(counts)});
    json!({
        "requests": report.requests,
        "endSeconds": report.end.as_secs_f64(),
        "levels": report.levels.iter().map(level).collect::<Vec<_>>(),
        "flows": report.flows.iter().map(flow).collect::<Vec<_>>(),
        "clients": report.clients.iter().map(client).collect::<Vec<_>>(),
    })
}

fn counts_json(counts: &Counts) -> Value {
    json!({
        "arrived": counts.arrived,
        "dispatched": counts.dispatched,
        "rejected": counts.rejected,
        "timedOut": counts.timed_out,
        "retried": counts.retried,
        "failed": counts.failed,
    })
}

fn waits_json(waits: &Waits) -> Value {
    let percentile = |percent| waits.percentile(percent).as_secs_f64();
    json!({
        "average": waits.average().as_secs_f64(),
        "p50": percentile(50.0),
        "p90": percentile(90.0),
        "p99": percentile(99.0),
        "max": waits.longest().as_secs_f64(),
    })
}
