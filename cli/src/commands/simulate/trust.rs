//! How far the simulation of audit logs is from the logs.

use super::outcome::{Outcome, seconds, time};
use crate::failure::Failure;
use crate::output::{Streams, Table};
use k8s_flowcontrol_analysis::simulation::{Compared, Prediction, Report};
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
The logs have no rejection and fewer than 20 recorded waits on every priority level, so the prediction cannot be compared with them.";

/// The limits of errors.
const LIMITS: &str = "rejections within 15 % or 10 requests, median and 99th percentile of waits within 25 % or 10 ms";

fn verdict(predictions: &[Prediction]) -> String {
    let wrong: Vec<_> = predictions
        .iter()
        .filter(|prediction| !prediction.is_within_limits())
        .map(name)
        .collect();
    let compared = match predictions.iter().any(|found| found.waits.is_some()) {
        true => "",
        false => " The logs have too few recorded waits, so only rejections were compared.",
    };
    match wrong.is_empty() {
        true => format!(
            "The prediction agrees with the logs for every level and flow of the table: {LIMITS}.{compared}"
        ),
        false => format!(
            "Do not rely on this simulation: its error exceeds the limits ({LIMITS}) for {}. Give the configuration that the server \
             of the logs had; if it is that, the model does not fit this load.{compared}",
            wrong.join(", ")
        ),
    }
}

fn name(prediction: &Prediction) -> String {
    match &prediction.flow {
        None => format!("level {}", prediction.priority_level),
        Some((schema, flow)) if flow.is_empty() => format!("flow {schema}"),
        Some((schema, flow)) => format!("flow {schema}/{flow}"),
    }
}

/// The observed and the predicted numbers.
fn table(predictions: &[Prediction]) -> Table {
    let mut table = Table::new([
        "COMPARED WITH THE LOGS",
        "REJECTED",
        "PREDICTED",
        "WAIT P50",
        "PREDICTED",
        "P99",
        "PREDICTED",
        "TRUST",
    ])
    .keys(1);
    for prediction in predictions {
        let rejected = prediction.rejected;
        let mut row = vec![
            name(prediction),
            rejected.observed.to_string(),
            rejected.predicted.to_string(),
        ];
        match &prediction.waits {
            Some(waits) => {
                let times = waits
                    .iter()
                    .flat_map(|wait| [wait.observed, wait.predicted]);
                row.extend(times.map(time));
            }
            None => row.extend(std::iter::repeat_n("-".to_owned(), 4)),
        }
        row.push(
            if prediction.is_within_limits() {
                "yes"
            } else {
                "no"
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
        "LEVEL", "REJECTED", "ERROR", "WAIT P50", "ERROR", "P99", "ERROR",
    ])
    .keys(1);
    for old in before
        .levels
        .iter()
        .filter(|level| level.counts.arrived > 0)
    {
        let Some(new) = after.levels.iter().find(|level| level.name == old.name) else {
            continue;
        };
        let found = predictions
            .iter()
            .find(|found| found.flow.is_none() && found.priority_level == old.name);
        let rejected = |counts: &k8s_flowcontrol_analysis::simulation::Counts| {
            i128::from(counts.rejected + counts.timed_out)
        };
        let mut row = vec![
            old.name.clone(),
            format!("{:+}", rejected(&new.counts) - rejected(&old.counts)),
            found.map_or("-".into(), |found| {
                let Compared {
                    observed,
                    predicted,
                } = found.rejected;
                observed.abs_diff(predicted).to_string()
            }),
        ];
        for (index, percent) in [50.0, 99.0].into_iter().enumerate() {
            row.push(signed(
                old.waits.percentile(percent),
                new.waits.percentile(percent),
            ));
            let wait = found
                .and_then(|found| found.waits)
                .map(|waits| waits[index]);
            row.push(wait.map_or("-".into(), |wait| {
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
            "waitSecondsP50": found.waits.map(|[median, _]| wait(median)),
            "waitSecondsP99": found.waits.map(|[_, p99]| wait(p99)),
            "isWithinLimits": found.is_within_limits(),
        })
    };
    json!({
        "isReliable": (!predictions.is_empty()).then_some(is_reliable),
        "predictions": predictions.iter().map(one).collect::<Vec<_>>(),
    })
}
