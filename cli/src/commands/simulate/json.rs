//! The result of a simulation as JSON.

use super::outcome::{Outcome, seconds};
use super::trust;
use crate::failure::Failure;
use crate::output::{Streams, write_report};
use k8s_flowcontrol_analysis::simulation::{
    Counts, FlowReport, LevelReport, Observed, Report, Waits,
};
use serde_json::{Value, json};

pub(super) fn write(outcome: &Outcome, streams: &mut Streams) -> Result<(), Failure> {
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
        json!({"name": level.name, "counts": counts, "waitSeconds": waits, "responseSeconds": is_log.then(|| waits_json(&level.responses)), "observed": observed, "samples": samples})
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
        "recordedWaits": observed.recorded,
        "responseSeconds": waits_json(&observed.responses),
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
