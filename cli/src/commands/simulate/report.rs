//! The result of a simulation as a table and as JSON.

use super::trust;
use crate::cluster::ServerSeats;
use crate::failure::Failure;
use crate::output::{Streams, Table, write_report};
use k8s_flowcontrol::Release;
use k8s_flowcontrol_analysis::simulation::{
    Counts, FlowReport, LevelReport, Observed, Report, Waits,
};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// The most flows of a table.
const MOST_FLOWS: usize = 20;

/// The result of a simulation, with a second one for another configuration.
pub(super) struct Outcome {
    pub(super) before: Report,
    pub(super) after: Option<Report>,
    /// The times of the first and the last request of audit logs, in microseconds since 1970.
    pub(super) period: Option<(i64, i64)>,
    pub(super) seats: ServerSeats,
    pub(super) release: Release,
    pub(super) seed: u64,
}

impl Outcome {
    /// The limits of the model.
    pub(super) fn limits_of_model(&self) -> &'static str {
        match self.period {
            None => OF_LOAD,
            Some(_) => OF_LOGS,
        }
    }

    /// The first and the last request of audit logs.
    pub(super) fn period(&self) -> Option<[String; 2]> {
        let time = |us| jiff::Timestamp::from_microsecond(us).map(|time| time.to_string());
        let (first, last) = self.period?;
        Some([time(first).ok()?, time(last).ok()?])
    }

    /// The number of requests with a recorded wait.
    pub(super) fn observed(&self) -> u64 {
        let counts = self.before.levels.iter();
        counts.map(|level| level.observed.waits.count()).sum()
    }

    /// The numbers on which the result depends.
    pub(super) fn facts(&self) -> String {
        let Self { seats, release, .. } = self;
        let requests = self.before.requests;
        match self.period() {
            None => format!(
                "{requests} requests, seed {}, Kubernetes {release}; {seats}",
                self.seed
            ),
            Some([first, last]) => {
                format!("{requests} requests from {first} to {last}, Kubernetes {release}; {seats}")
            }
        }
    }
}

/// The limits of the model, for people.
const OF_LOAD: &str = "\
The model is one API server whose requests execute as long as the load file says. It does not know the load of other API servers, \
the processor's load, or the sizes of objects that the load file does not give.";
const OF_LOGS: &str = "\
The model is one API server, which gets the requests of the logs, with the retries that the logs have. A client (a user with a user \
agent) whose requests follow its responses sends each request after the simulated response; other requests come at their times. A request \
executes as long as in the logs, however many others execute at the same time; waits that are not recorded follow from the queues of the first configuration, \
and a rejected request executes as long as others with its verb and resource. The model does not know the load of other API \
servers, the processor's load, the watches that see a write, or more about the size of objects than the metrics say.";

/// The reason why no waits can be compared.
pub(super) const NOT_OBSERVED: &str = "\
No request has the annotation apiserver.latency.k8s.io/apf-queue-wait, so no waits can be compared. Servers write it since 1.31, for requests that waited and took more than half a second.";

/// Writes tables of levels, of the flows that waited longest or were rejected, and of observed waits.
pub(super) fn tables(outcome: &Outcome, streams: &mut Streams) -> Result<(), Failure> {
    match &outcome.after {
        None => both_tables(&outcome.before, streams)?,
        Some(after) => {
            for level in &after.levels {
                let before = outcome.before.levels.iter();
                let before = before.clone().find(|before| before.name == level.name);
                let rejected = before.map_or(0, |before| before.counts.rejected);
                let arrived = level.counts.arrived;
                if arrived > 0 {
                    let text = format!(
                        "{arrived} requests, {rejected} → {} rejected",
                        level.counts.rejected
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
    if outcome.observed() > 0 {
        writeln!(streams.out)?;
        observed(&outcome.before).write(&mut streams.out)?;
    }
    trust::write(outcome, streams)?;
    streams.out.paragraph(&outcome.facts())?;
    if outcome.period.is_some() && outcome.observed() == 0 {
        streams.out.paragraph(NOT_OBSERVED)?;
    }
    streams.out.paragraph(outcome.limits_of_model())?;
    Ok(())
}

fn both_tables(report: &Report, streams: &mut Streams) -> Result<(), Failure> {
    levels(report).write(&mut streams.out)?;
    let flows = delayed(report);
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
    Ok(())
}

/// The flows that waited or were rejected, the longest waits first.
pub(super) fn delayed(report: &Report) -> Vec<&FlowReport> {
    let is_delayed = |flow: &&FlowReport| {
        let counts = &flow.counts;
        !flow.waits.longest().is_zero() || counts.rejected + counts.timed_out > 0
    };
    let mut flows: Vec<_> = report.flows.iter().filter(is_delayed).collect();
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.waits.percentile(99.0)));
    flows
}

/// The observed and the predicted waits of each level.
fn observed(report: &Report) -> Table {
    let mut table = Table::new([
        "LEVEL", "WAIT", "REQUESTS", "P50", "P90", "P99", "MAX", "REJECTED",
    ])
    .keys(2);
    for level in &report.levels {
        let observed = &level.observed;
        let counts = &level.counts;
        let predicted = counts.rejected + counts.timed_out;
        if observed.waits.count() == 0 && observed.rejected + predicted == 0 {
            continue;
        }
        for (name, waits, rejected) in [
            ("observed", &observed.waits, observed.rejected),
            ("predicted", &observed.predicted, predicted),
            (
                "difference",
                &observed.differences,
                observed.rejected.abs_diff(predicted),
            ),
        ] {
            let mut row = vec![
                level.name.clone(),
                name.to_owned(),
                waits.count().to_string(),
            ];
            let percentiles = [50.0, 90.0, 99.0].map(|percent| time(waits.percentile(percent)));
            row.extend(percentiles);
            row.push(time(waits.longest()));
            row.push(rejected.to_string());
            table.add(row);
        }
    }
    table
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

/// Seconds for programs: the nearest number, which has no needless digits.
pub(super) fn seconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e9
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

pub(super) fn write_json(outcome: &Outcome, streams: &mut Streams) -> Result<(), Failure> {
    let is_log = outcome.period.is_some();
    let period = outcome.period();
    let value = json!({
        "seats": outcome.seats.seats,
        "seed": outcome.seed,
        "period": period.map(|[first, last]| json!({"firstRequest": first, "lastRequest": last})),
        "result": json(&outcome.before, is_log),
        "trust": is_log.then(|| trust::json(&outcome.before)),
        "compared": outcome.after.as_ref().map(|after| json(after, false)),
    });
    Ok(write_report(&mut streams.out, value)?)
}

fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The report as JSON, with the observed waits of an audit log.
fn json(report: &Report, is_log: bool) -> Value {
    let level = |level: &LevelReport| {
        let samples = level.samples.iter().map(|sample| {
            json!({
                "atSeconds": seconds(sample.at),
                "limit": sample.limit,
                "seatsInUse": sample.seats_in_use,
                "meanSeatsInUse": thousandths(sample.mean_seats_in_use),
                "meanSeatsWaiting": thousandths(sample.mean_seats_waiting),
                "executing": sample.executing,
                "waiting": sample.waiting,
                "seatsWaiting": sample.seats_waiting,
            })
        });
        let samples: Vec<_> = samples.collect();
        let (counts, waits) = (counts_json(&level.counts), waits_json(&level.waits));
        let observed = is_log.then(|| observed_json(&level.observed));
        json!({"name": level.name, "counts": counts, "waitSeconds": waits, "observed": observed, "samples": samples})
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
        "endSeconds": seconds(report.end),
        "levels": report.levels.iter().map(level).collect::<Vec<_>>(),
        "flows": report.flows.iter().map(flow).collect::<Vec<_>>(),
        "clients": report.clients.iter().map(client).collect::<Vec<_>>(),
    })
}

fn observed_json(observed: &Observed) -> Value {
    json!({
        "requests": observed.waits.count(),
        "rejected": observed.rejected,
        "waitSeconds": waits_json(&observed.waits),
        "predictedSeconds": waits_json(&observed.predicted),
        "differenceSeconds": waits_json(&observed.differences),
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
    let percentile = |percent| seconds(waits.percentile(percent));
    json!({
        "average": seconds(waits.average()),
        "p50": percentile(50.0),
        "p90": percentile(90.0),
        "p99": percentile(99.0),
        "max": seconds(waits.longest()),
    })
}
