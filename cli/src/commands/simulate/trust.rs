//! How far the simulation of audit logs is from the logs.

use super::differences;
use super::outcome::{Outcome, seconds, time};
use crate::failure::Failure;
use crate::output::html::{self, Page};
use crate::output::{Streams, Table, plural};
use k8s_flowcontrol_analysis::simulation::{Compared, Prediction, Report};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// Rows, each with whether it is that of a flow.
type Rows = Vec<(bool, Vec<String>)>;

/// Writes predicted beside observed numbers, and whether to rely on the simulation.
pub(super) fn write(outcome: &Outcome, streams: &mut Streams) -> Result<(), Failure> {
    for (_, head, rows) in of_logs(outcome) {
        writeln!(streams.out)?;
        print(head, rows, streams)?;
    }
    if let Some(verdict) = verdict_of(outcome) {
        streams.out.paragraph(&verdict)?;
    }
    Ok(())
}

/// The tables of audit logs, with their headings and heads; none without rows.
fn of_logs(outcome: &Outcome) -> Vec<(&'static str, &'static [&'static str], Rows)> {
    let mut tables = Vec::new();
    if outcome.period.is_none() {
        return tables;
    }
    let predictions = outcome.before.predictions();
    let rows = predictions
        .iter()
        .map(|found| (found.flow.is_some(), row(found).into()));
    tables.push(("Observed / predicted", &HEAD[..], rows.collect()));
    if let Some(after) = &outcome.after {
        let rows = differences::rows(&outcome.before, after, &predictions);
        let heading = "Differences beside the errors of the prediction";
        tables.push((heading, &differences::HEAD[..], rows));
    }
    tables.retain(|(.., rows): &(_, _, Rows)| !rows.is_empty());
    tables
}

/// Prints rows, of which the first cell is the key, with a bounded number of flows.
fn print(head: &[&str], rows: Rows, streams: &mut Streams) -> Result<(), Failure> {
    let mut table = Table::with_head(head).keys(1);
    let (mut flows, mut more) = (0, 0);
    for (is_flow, row) in rows {
        flows += usize::from(is_flow);
        match is_flow && flows > MOST_FLOWS {
            true => more += 1,
            false => table.add(row),
        }
    }
    table.write(&mut streams.out)?;
    if more > 0 {
        writeln!(streams.out, "{} more: see -o json", plural(more, "flow"))?;
    }
    Ok(())
}

/// Adds the same tables to a web page.
pub(super) fn add_tables(outcome: &Outcome, page: &mut Page) {
    for (heading, head, rows) in of_logs(outcome) {
        let mut table = html::Rows::new(head);
        for (_, row) in rows {
            table.add(row);
        }
        page.table(heading, &table);
    }
}

/// Whether to rely on the simulation of audit logs.
pub(super) fn verdict_of(outcome: &Outcome) -> Option<String> {
    outcome.period?;
    Some(verdict(&outcome.before, &outcome.before.predictions()))
}

const NOTHING: &str = "\
The logs do not show whether to rely on this simulation: neither they nor the simulation have a rejected request, and no level or flow \
with at least 20 executed requests in the logs has a median or 99th percentile of waits above 10 ms, in the logs or in the simulation.";

/// The limits of errors.
const LIMITS: &str = "rejections within 15 % or 10 requests, median and 99th percentile of waits and response times within 25 % or 10 ms";

/// The reason of a missing verdict.
const TOO_FEW: &str = "the logs have fewer than 20 requests of each that were executed, and fewer than 20 rejected ones";

/// Fewer requests behind a 99th percentile are named.
const FEW: u64 = 10;
/// The most names in a sentence, and the most flows in a table.
const MOST_NAMES: usize = 10;
const MOST_FLOWS: usize = 20;

fn verdict(report: &Report, predictions: &[Prediction]) -> String {
    if predictions.is_empty() {
        return NOTHING.to_owned();
    }
    let of = |is_named: fn(&Prediction) -> bool| {
        let named = predictions.iter().filter(|found| is_named(found)).map(name);
        list(&named.collect::<Vec<_>>())
    };
    let wrong = of(|found| !found.is_within_limits());
    let is_compared = predictions.iter().any(Prediction::has_enough_requests);
    let mut text = match (&wrong, is_compared) {
        (None, true) => format!(
            "The prediction agrees with the logs for every level and flow with a verdict: {LIMITS}."
        ),
        (None, false) => "The logs do not show whether to rely on this simulation.".to_owned(),
        (Some(wrong), _) => format!(
            "Do not rely on this simulation: its error exceeds the limits ({LIMITS}) for {wrong}. Give the objects, `--server-seats` and \
             `--metrics` of the server that wrote the logs, and all requests of this server and no others; if they are that, the model does \
             not fit this load."
        ),
    };
    if let Some(unknown) = of(|found| found.is_within_limits() && !found.has_enough_requests()) {
        text += &format!(" There is no verdict about {unknown}: {TOO_FEW}.");
    }
    if let Some(few) = of(|found| found.waits.is_some() && found.slowest_requests() < FEW) {
        text += &format!(
            " Fewer than {FEW} requests are behind the 99th percentiles of {few}, so that chance can explain errors of these percentiles."
        );
    }
    if let Some(unsteady) = of(|found| !found.is_within_limits() && found.is_within_spread()) {
        text += &format!(
            " Replays of these requests whose executions differ by one percent differ as much from each other for {unsteady}, so that \
             no simulation predicts these times."
        );
    }
    let levels = report.levels.iter().filter(|level| {
        let mut names = predictions.iter().map(|found| &found.priority_level);
        names.any(|name| *name == level.name)
    });
    let (recorded, all) = levels.fold((0, 0), |(recorded, all), level| {
        let observed = &level.observed;
        (recorded + observed.recorded, all + observed.waits.count())
    });
    if all == 0 {
        return text;
    }
    text += &format!(
        " The server recorded the waits of {recorded} of the {all} executed requests of these levels{}.",
        if recorded < all {
            "; the others are estimated from its queues"
        } else {
            ""
        }
    );
    text
}

/// Names for a sentence; none without names.
fn list(names: &[String]) -> Option<String> {
    let more = names.len().saturating_sub(MOST_NAMES);
    let named = names.get(..names.len() - more)?.join(", ");
    match (names.len(), more) {
        (0, _) => None,
        (_, 0) => Some(named),
        (_, 1) => Some(format!("{named} and 1 other")),
        (_, more) => Some(format!("{named} and {more} others")),
    }
}

fn name(prediction: &Prediction) -> String {
    match &prediction.flow {
        None => format!("level {}", prediction.priority_level),
        Some((schema, distinguisher)) => name_of_flow((schema, distinguisher)),
    }
}

pub(super) fn name_of_flow((schema, distinguisher): (&str, &str)) -> String {
    match distinguisher.is_empty() {
        true => format!("flow {schema}"),
        false => format!("flow {schema}/{distinguisher}"),
    }
}

const HEAD: [&str; 10] = [
    "OBSERVED / PREDICTED",
    "EXECUTED",
    "STATUS 429",
    "WAIT P50",
    "WAIT P99",
    "RESPONSE P50",
    "RESPONSE P99",
    "BEHIND P99",
    "P99 OF REPLAYS",
    "TRUST",
];

/// The observed and the predicted numbers.
fn row(prediction: &Prediction) -> [String; 10] {
    let none = || "-".to_owned();
    let times = |times: Option<[Compared<Duration>; 2]>| match times {
        Some(times) => {
            times.map(|found| format!("{} / {}", time(found.observed), time(found.predicted)))
        }
        None => [none(), none()],
    };
    let [wait_p50, wait_p99] = times(prediction.waits);
    let [response_p50, response_p99] = times(prediction.responses);
    let (behind, spread) = match prediction.waits {
        None => (none(), none()),
        Some(_) => (
            prediction.slowest_requests().to_string(),
            prediction
                .spread
                .map_or_else(none, |spread| spread.p99.map(time).join("–")),
        ),
    };
    let trust = match (
        prediction.is_within_limits(),
        prediction.has_enough_requests(),
    ) {
        (false, _) => "no",
        (true, true) => "yes",
        (true, false) => "-",
    };
    let Compared {
        observed,
        predicted,
    } = prediction.rejected;
    [
        name(prediction),
        prediction.requests.to_string(),
        format!("{observed} / {predicted}"),
        wait_p50,
        wait_p99,
        response_p50,
        response_p99,
        behind,
        spread,
        trust.to_owned(),
    ]
}

/// The predictions as JSON. `isReliable` is null where the logs do not show it.
pub(super) fn json(report: &Report) -> Value {
    let predictions = report.predictions();
    let is_within_limits = predictions.iter().all(Prediction::is_within_limits);
    let is_shown = predictions.iter().any(Prediction::has_enough_requests);
    let wait = |wait: Compared<Duration>| json!({"observed": seconds(wait.observed), "predicted": seconds(wait.predicted)});
    let one = |found: &Prediction| {
        json!({
            "priorityLevel": found.priority_level,
            "flowSchema": found.flow.as_ref().map(|(schema, _)| schema),
            "flowDistinguisher": found.flow.as_ref().map(|(_, flow)| flow),
            "rejected": {"observed": found.rejected.observed, "predicted": found.rejected.predicted},
            "requests": found.requests,
            "recordedWaits": found.recorded,
            "requestsBehindP99": found.slowest_requests(),
            "waitSecondsP50OfReplays": found.spread.map(|spread| spread.median.map(seconds)),
            "waitSecondsP99OfReplays": found.spread.map(|spread| spread.p99.map(seconds)),
            "waitSecondsP50": found.waits.map(|[median, _]| wait(median)),
            "waitSecondsP99": found.waits.map(|[_, p99]| wait(p99)),
            "responseSecondsP50": found.responses.map(|[median, _]| wait(median)),
            "responseSecondsP99": found.responses.map(|[_, p99]| wait(p99)),
            "isWithinLimits": found.is_within_limits(),
        })
    };
    json!({
        "isReliable": (is_shown || !is_within_limits).then_some(is_within_limits),
        "slowdown": report.slowdown,
        "isSlowdownKnown": report.is_slowdown_known,
        "startDelaySeconds": seconds(report.start_delay),
        "predictions": predictions.iter().map(one).collect::<Vec<_>>(),
    })
}
