//! `--verify`: predicted seats and waits beside the histograms of a server.

use super::{Args, Output};
use crate::audit_logs::read_logs;
use crate::cluster::block_on;
use crate::configuration::Configuration;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, write_report};
use crate::stored_objects::MetricsFile;
use k8s_flowcontrol_analysis::verification::{
    Bucket, LevelVerification, Quantity, QuantityVerification, ServerMetrics, Verification,
    Verifier,
};
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn run(
    args: &Args,
    configuration: &Configuration<'_>,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let before = MetricsFile::read(args.metrics_before.as_deref())?.map(|file| file.text);
    let file = MetricsFile::read(args.metrics.as_deref())?;
    let seats = configuration.seats_of_log(args.seats, file.as_ref())?.seats;
    let after = match (file, configuration.cluster) {
        (Some(file), _) => file.text,
        (None, Some(cluster)) => block_on(async {
            let client = cluster.client().await?;
            let metrics = client.get_raw("/metrics").accept("text/plain").await?;
            Ok::<_, Failure>(String::from_utf8_lossy(&metrics).into_owned())
        })?,
        (None, None) => {
            return Err(Failure::usage("`--verify` needs the metrics of the server")
                .hint("give `--metrics FILE`, or `--live` for the metrics of a cluster"));
        }
    };
    let metrics = ServerMetrics::parse(before.as_deref(), &after);
    let (objects, release) = (&configuration.objects, configuration.release);
    let (schemas, levels) = (&objects.flow_schemas, &objects.levels);
    let mut verifier = Verifier::new(schemas, levels, seats, release, metrics)
        .map_err(|error| Failure::input(format!("cannot simulate the priority levels: {error}")))?;
    read_logs(&args.audit_log, streams, |event, _, _| {
        verifier.add(event);
        Ok(())
    })?;
    let verification = verifier.compare();
    if verification.levels.is_empty() {
        return Err(Failure::input(
            "no priority level has requests both in the metrics and in the audit logs",
        )
        .hint("`--metrics` needs the histograms apiserver_flowcontrol_request_wait_duration_seconds of the same server, and `--metrics-before` those of an earlier time"));
    }
    if verification
        .levels
        .iter()
        .all(LevelVerification::is_incomplete)
    {
        let counts = verification.levels.iter().map(|level| {
            format!(
                "{} {} and {}",
                level.priority_level, level.counted, level.logged
            )
        });
        let counts: Vec<_> = counts.collect();
        return Err(Failure::input(format!(
            "the audit logs and the metrics do not have the same requests: the metrics and the logs have of {}",
            counts.join(", of ")
        ))
        .hint(
            "give the logs of one server for the time between `--metrics-before` and `--metrics`; without `--metrics-before`, all logs since the start of the server",
        ));
    }
    match args.output {
        Output::Table => streams
            .out
            .data()
            .write_all(verification.report().as_bytes())?,
        Output::Json => write_report(&mut streams.out, report(&verification))?,
    }
    Ok(Exit::of_findings(!verification.is_explained()))
}

fn report(verification: &Verification) -> Value {
    let time = |us| {
        jiff::Timestamp::from_microsecond(us)
            .map(|time| time.to_string())
            .ok()
    };
    let (first, last) = verification.period_us;
    json!({
        "isExplained": verification.is_explained(),
        "release": verification.release.to_string(),
        "serverSeats": verification.seats,
        "period": {"first": time(first), "last": time(last)},
        "levels": verification.levels.iter().map(level_json).collect::<Vec<_>>(),
    })
}

fn level_json(level: &LevelVerification) -> Value {
    let quantity = |quantity: &QuantityVerification| {
        json!({
            "quantity": match quantity.quantity {
                Quantity::Seats => "estimatedSeats",
                Quantity::Wait => "waitSeconds",
                _ => "executionSeconds",
            },
            "verdict": match level.verdict(quantity) {
                "explained" => "explained",
                "differs" => "differs",
                _ => "incomplete",
            },
            "observedMean": quantity.observed_mean,
            "predictedMean": quantity.predicted_mean,
            "buckets": quantity.buckets.iter().map(bucket_json).collect::<Vec<_>>(),
        })
    };
    json!({
        "priorityLevel": level.priority_level,
        "counted": level.counted,
        "logged": level.logged,
        "quantities": level.quantities.iter().map(quantity).collect::<Vec<_>>(),
    })
}

fn bucket_json(bucket: &Bucket) -> Value {
    let (least, most) = bucket.explained;
    json!({
        "atMost": bucket.at_most,
        "observed": bucket.observed,
        "predicted": bucket.predicted,
        "least": least,
        "most": most,
        "isExplained": bucket.is_explained(),
    })
}
