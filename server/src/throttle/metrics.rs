//! The metrics of flow control that a client of this server is likely to read.

use super::{Counts, Throttle};
use k8s_flowcontrol_rules::controller::LevelState;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The value of a metric of a flow schema.
type OfSchema = fn(&Counts) -> u64;
/// The value of a metric of a level.
type OfLevel = fn(&LevelState<'_>) -> f64;

const SCHEMA_METRICS: [(&str, &str, &str, OfSchema); 3] = [
    (
        "current_executing_requests",
        "gauge",
        "[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem",
        |counts| counts.executing,
    ),
    (
        "current_inqueue_requests",
        "gauge",
        "[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem",
        |counts| counts.waiting,
    ),
    (
        "dispatched_requests_total",
        "counter",
        "[BETA] Number of requests executed by API Priority and Fairness subsystem",
        |counts| counts.dispatched,
    ),
];

const REASONS: [(&str, OfSchema); 4] = [
    ("queue-full", |counts| counts.queue_full),
    ("concurrency-limit", |counts| counts.concurrency_limit),
    ("time-out", |counts| counts.timed_out),
    ("cancelled", |counts| counts.cancelled),
];

const LEVEL_METRICS: [(&str, &str, OfLevel); 4] = [
    (
        "demand_seats_average",
        "[ALPHA] Time-weighted average, over last adjustment period, of demand_seats",
        |level| level.demand.average,
    ),
    (
        "demand_seats_high_watermark",
        "[ALPHA] High watermark, over last adjustment period, of demand_seats",
        |level| level.demand.high_watermark as f64,
    ),
    (
        "demand_seats_smoothed",
        "[ALPHA] Smoothed seat demands",
        |level| level.demand.smoothed,
    ),
    (
        "demand_seats_stdev",
        "[ALPHA] Time-weighted standard deviation, over last adjustment period, of demand_seats",
        |level| level.demand.deviation,
    ),
];

/// The seats of executing requests, by flow schema and level.
pub(crate) type ExecutingSeats = BTreeMap<(String, String), u64>;

/// The first minor release with the name of today for the seats of executing requests.
const EXECUTING_SEATS_SINCE: u32 = 28;

/// The text of the metrics.
pub(crate) fn text(throttle: &Throttle, seats: &ExecutingSeats) -> String {
    let mut text = executing_seats(throttle, seats);
    for (name, kind, help, value) in SCHEMA_METRICS {
        head(&mut text, name, kind, help);
        for ((schema, level), counts) in &throttle.counts {
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{PREFIX}{name}{{flow_schema=\"{schema}\",priority_level=\"{level}\"}} {}",
                value(counts)
            );
        }
    }
    head(
        &mut text,
        "rejected_requests_total",
        "counter",
        "[BETA] Number of requests rejected by API Priority and Fairness subsystem",
    );
    for ((schema, level), counts) in &throttle.counts {
        for (reason, value) in REASONS.map(|(reason, value)| (reason, value(counts))) {
            if value > 0 {
                let _ = writeln!(
                    text,
                    "{PREFIX}rejected_requests_total{{flow_schema=\"{schema}\",priority_level=\"{level}\",reason=\"{reason}\"}} {value}"
                );
            }
        }
    }
    for (name, help, value) in LEVEL_METRICS {
        head(&mut text, name, "gauge", help);
        for level in throttle
            .controller
            .levels()
            .filter(|level| !level.is_quiescing)
        {
            let _ = writeln!(
                text,
                "{PREFIX}{name}{{priority_level=\"{}\"}} {}",
                level.name,
                value(&level)
            );
        }
    }
    text
}

fn executing_seats(throttle: &Throttle, seats: &ExecutingSeats) -> String {
    let mut text = String::new();
    let (name, help) = match throttle.release.minor() < EXECUTING_SEATS_SINCE {
        true => (
            "request_concurrency_in_use",
            "[ALPHA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem",
        ),
        false => (
            "current_executing_seats",
            "[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem",
        ),
    };
    head(&mut text, name, "gauge", help);
    for key @ (schema, level) in throttle.counts.keys() {
        let value = seats.get(key).copied().unwrap_or_default();
        let _ = writeln!(
            text,
            "{PREFIX}{name}{{flow_schema=\"{schema}\",priority_level=\"{level}\"}} {value}"
        );
    }
    text
}

const PREFIX: &str = "apiserver_flowcontrol_";

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(
        text,
        "# HELP {PREFIX}{name} {help}\n# TYPE {PREFIX}{name} {kind}"
    );
}
