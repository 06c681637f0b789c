//! How far the simulation of audit logs is from the logs.

use super::outcome::{Outcome, seconds, time};
use crate::failure::Failure;
use crate::output::{Streams, Table};
use k8s_flowcontrol_analysis::simulation::{Compared, Counts, FlowReport, Prediction, Report};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// Writes predicted beside observed numbers, and whether to rely on the simulation.
pub(super) fn write(outcome: &Outcome, streams: &mut Streams) -> Result<(), Failure> {
    if outcome.period.is_none() {
        return Ok(());
    }
    let predictions = outcome.before.predictions();
    if predictions.is_empty() {
        streams.out.paragraph(NOTHING)?;
        return Ok(());
    }
    writeln!(streams.out)?;
    table(&predictions).write(&mut streams.out)?;
    if let Some(after) = &outcome.after {
        writeln!(streams.out)?;
        differences(&outcome.before, after, &predictions).write(&mut streams.out)?;
    }
    streams.out.paragraph(&verdict(&predictions))?;
    Ok(())
}

const NOTHING: &str = "\
No request waited for more than 10 ms or was rejected, in the logs or in the simulation, so there is nothing to compare.";

/// The limits of errors.
const LIMITS: &str = "rejections within 15 % or 10 requests, median and 99th percentile of waits and response times within 25 % or 10 ms";

/// Fewer requests behind a 99th percentile are named.
const FEW: u64 = 10;

fn verdict(predictions: &[Prediction]) -> String {
    let of = |is_named: fn(&Prediction) -> bool| {
        let named = predictions.iter().filter(|found| is_named(found)).map(name);
        named.collect::<Vec<_>>().join(", ")
    };
    let wrong = of(|found| !found.is_within_limits());
    let mut text = match wrong.is_empty() {
        true => format!(
            "The prediction agrees with the logs for every level and flow of the table: {LIMITS}."
        ),
        false => format!(
            "Do not rely on this simulation: its error exceeds the limits ({LIMITS}) for {wrong}. Give the configuration that the server \
             of the logs had; if it is that, the model does not fit this load."
        ),
    };
    let few = of(|found| found.slowest_requests() < FEW);
    if !few.is_empty() {
        text += &format!(
            " Fewer than {FEW} requests are behind the 99th percentiles of {few}, so that chance can explain their errors."
        );
    }
    let unsteady = of(|found| !found.is_within_limits() && found.is_within_spread());
    if !unsteady.is_empty() {
        text += &format!(
            " Replays of these requests whose executions differ by one percent differ as much from each other for {unsteady}, so that \
             no simulation predicts these times."
        );
    }
    let sum = |of: fn(&Prediction) -> u64| {
        let levels = predictions.iter().filter(|found| found.flow.is_none());
        levels.map(of).sum::<u64>()
    };
    let (recorded, all) = (sum(|found| found.recorded), sum(|found| found.requests));
    text += &format!(
        " The server recorded the waits of {recorded} of the {all} executed requests; the others are estimated from its queues."
    );
    text
}

fn name(prediction: &Prediction) -> String {
    match &prediction.flow {
        None => format!("level {}", prediction.priority_level),
        Some(flow) => name_of_flow(flow),
    }
}

fn name_of_flow((schema, distinguisher): &(String, String)) -> String {
    match distinguisher.is_empty() {
        true => format!("flow {schema}"),
        false => format!("flow {schema}/{distinguisher}"),
    }
}

/// The observed and the predicted numbers.
fn table(predictions: &[Prediction]) -> Table {
    let mut table = Table::new([
        "OBSERVED / PREDICTED",
        "REQUESTS",
        "REJECTED",
        "WAIT P50",
        "WAIT P99",
        "RESPONSE P50",
        "RESPONSE P99",
        "BEHIND P99",
        "P99 OF REPLAYS",
        "TRUST",
    ])
    .keys(1);
    for prediction in predictions {
        let Compared {
            observed,
            predicted,
        } = prediction.rejected;
        let mut row = vec![
            name(prediction),
            prediction.requests.to_string(),
            format!("{observed} / {predicted}"),
        ];
        for times in [prediction.waits, prediction.responses] {
            match times {
                Some(times) => {
                    row.extend(times.map(|found| {
                        format!("{} / {}", time(found.observed), time(found.predicted))
                    }))
                }
                None => row.extend(["-".to_owned(), "-".to_owned()]),
            }
        }
        row.push(prediction.slowest_requests().to_string());
        row.push(match prediction.spread {
            Some(spread) if prediction.waits.is_some() => spread.p99.map(time).join("–"),
            _ => "-".into(),
        });
        row.push(
            match prediction.is_within_limits() {
                true => "yes",
                false => "no",
            }
            .into(),
        );
        table.add(row);
    }
    table
}

/// The differences that the other configuration makes, beside the error of the prediction.
fn differences(before: &Report, after: &Report, predictions: &[Prediction]) -> Table {
    let mut table = Table::new([
        "DIFFERENCE",
        "REJECTED",
        "ERROR",
        "WAIT P50",
        "ERROR",
        "P99",
        "ERROR",
    ])
    .keys(1);
    let levels = before.levels.iter().map(|level| {
        let new = after.levels.iter().find(|new| new.name == level.name);
        let new = new.map(|new| (&new.counts, &new.waits));
        let key = (level.name.as_str(), None);
        (key, (&level.counts, &level.waits), new)
    });
    let flows = before.flows.iter().map(|flow| {
        let (schema, distinguisher) = (&flow.flow_schema, &flow.flow_distinguisher);
        let is_same = |new: &&FlowReport| {
            new.flow_schema == *schema && new.flow_distinguisher == *distinguisher
        };
        let new = after.flows.iter().find(is_same);
        let new = new.map(|new| (&new.counts, &new.waits));
        let key = Some((schema.clone(), distinguisher.clone()));
        let key = (flow.priority_level.as_str(), key);
        (key, (&flow.counts, &flow.waits), new)
    });
    for ((level, flow), (counts, waits), new) in levels.chain(flows) {
        let found = predictions
            .iter()
            .find(|found| found.priority_level == level && found.flow == flow);
        let Some((new_counts, new_waits)) = new else {
            continue;
        };
        let rejected = |counts: &Counts| i128::from(counts.rejected + counts.timed_out);
        let difference = rejected(new_counts) - rejected(counts);
        let percentiles = [50.0, 99.0].map(|percent| {
            let (old, new) = (waits.percentile(percent), new_waits.percentile(percent));
            (old, new)
        });
        let is_changed = percentiles.iter().any(|(old, new)| old != new) || difference != 0;
        if counts.arrived == 0 || (found.is_none() && !is_changed) {
            continue;
        }
        let name = match &flow {
            None => format!("level {level}"),
            Some(flow) => name_of_flow(flow),
        };
        let mut row = vec![
            name,
            format!("{difference:+}"),
            found.map_or("-".into(), |found| {
                let rejected = found.rejected;
                rejected.observed.abs_diff(rejected.predicted).to_string()
            }),
        ];
        for (index, (old, new)) in percentiles.into_iter().enumerate() {
            row.push(signed(old, new));
            let wait = found.and_then(|found| found.waits);
            row.push(wait.map_or("-".into(), |waits| {
                let wait = waits[index];
                time(wait.observed.abs_diff(wait.predicted))
            }));
        }
        table.add(row);
    }
    table
}

fn signed(before: Duration, after: Duration) -> String {
    let sign = match after.cmp(&before) {
        std::cmp::Ordering::Less => "-",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "+",
    };
    format!("{sign}{}", time(after.abs_diff(before)))
}

/// The predictions as JSON. `isReliable` is null where nothing could be compared.
pub(super) fn json(report: &Report) -> Value {
    let predictions = report.predictions();
    let is_reliable = predictions.iter().all(Prediction::is_within_limits);
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
        "isReliable": (!predictions.is_empty()).then_some(is_reliable),
        "slowdown": report.slowdown,
        "predictions": predictions.iter().map(one).collect::<Vec<_>>(),
    })
}
