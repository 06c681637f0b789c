//! The metrics of flow control that a client of this server is likely to read.

use super::histogram::Histogram;
use super::observed::{OfLevel as ObservedLevel, OfSchema as ObservedSchema};
use super::{Counts, Throttle};
use crate::metrics::{PREFIX, head, seats};
use k8s_flowcontrol_rules::controller::LevelState;
use k8s_flowcontrol_rules::queueing::{LastDispatch, SeatSeconds};
use k8s_flowcontrol_types::{Fact, Release};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

/// The value of a metric of a flow schema.
type OfSchema = fn(&Counts) -> u64;
/// The value of a metric of a level.
type OfLevel = fn(&LevelState<'_>) -> f64;

const SCHEMA_METRICS: [(&str, &str, &str, OfSchema); 5] = [
    (
        "current_executing_seats",
        "gauge",
        "[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem",
        |counts| counts.executing_seats,
    ),
    (
        "current_inqueue_seats",
        "gauge",
        "[ALPHA] Number of seats currently pending in queues of the API Priority and Fairness subsystem",
        |counts| counts.waiting_seats,
    ),
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

fn reasons(counts: &Counts, release: Release) -> [(&'static str, u64); 4] {
    let [timed_out, cancelled] = match release.has(Fact::OwnWaitLimits) {
        true => [counts.timed_out + counts.cancelled, 0],
        false => [counts.timed_out, counts.cancelled],
    };
    [
        ("queue-full", counts.queue_full),
        ("concurrency-limit", counts.concurrency_limit),
        ("time-out", timed_out),
        ("cancelled", cancelled),
    ]
}

const LEVEL_METRICS: [(&str, &str, OfLevel); 5] = [
    ("current_r", "[ALPHA] R(time of last change)", |level| {
        level.queues.current_r().as_f64()
    }),
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

/// A histogram of the requests of a flow schema.
type SchemaHistogram = fn(&ObservedSchema) -> &Histogram;
/// A name, a help text, and histograms with the label that tells them apart.
type Histograms<H> = (&'static str, &'static str, &'static [(&'static str, H)]);

/// The histograms of flow schemas, with the label that distinguishes histograms of the same name.
const SCHEMA_HISTOGRAMS: [Histograms<SchemaHistogram>; 5] = [
    (
        "request_execution_seconds",
        "[ALPHA] Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem",
        &[
            (",type=\"regular\"", |observed| &observed.regular),
            (",type=\"watch\"", |observed| &observed.watches),
        ],
    ),
    (
        "request_queue_length_after_enqueue",
        "[ALPHA] Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued",
        &[("", |observed| &observed.queue_lengths)],
    ),
    (
        "request_wait_duration_seconds",
        "[BETA] Length of time a request spent waiting in its queue",
        &[
            (",execute=\"false\"", |observed| &observed.other_waits),
            (",execute=\"true\"", |observed| &observed.executed_waits),
        ],
    ),
    (
        "watch_count_samples",
        "[ALPHA] count of watchers for mutating requests in API Priority and Fairness",
        &[("", |observed| &observed.watchers)],
    ),
    (
        "work_estimated_seats",
        "[ALPHA] Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness",
        &[("", |observed| &observed.seats)],
    ),
];

/// A histogram of a level over time.
type LevelHistogram = fn(&ObservedLevel) -> &Histogram;

/// The histograms of levels, with the label of the phase before that of the level.
const LEVEL_HISTOGRAMS: [Histograms<LevelHistogram>; 3] = [
    (
        "demand_seats",
        "EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (nominal number of seats for that level)",
        &[("", |level| &level.demand.histogram)],
    ),
    (
        "priority_level_request_utilization",
        "EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)",
        &[
            ("phase=\"executing\",", |level| &level.executing.histogram),
            ("phase=\"waiting\",", |level| &level.waiting.histogram),
        ],
    ),
    (
        "priority_level_seat_utilization",
        "EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes)",
        &[("phase=\"executing\",", |level| &level.seats.histogram)],
    ),
];

fn histograms(text: &mut String, throttle: &Throttle) {
    for (name, help, parts) in SCHEMA_HISTOGRAMS {
        head(text, name, "histogram", help);
        for ((schema, level), observed) in &throttle.observed {
            for (label, histogram) in parts {
                let histogram = histogram(observed);
                if !histogram.is_empty() {
                    let labels =
                        format!("flow_schema=\"{schema}\",priority_level=\"{level}\"{label}");
                    histogram.write(text, &format!("{PREFIX}{name}"), &labels);
                }
            }
        }
    }
    for (name, help, parts) in LEVEL_HISTOGRAMS {
        head(text, name, "histogram", help);
        for (level, observed) in &throttle.levels {
            for (label, histogram) in parts {
                let labels = format!("{label}priority_level=\"{level}\"");
                histogram(observed).write(text, &format!("{PREFIX}{name}"), &labels);
            }
        }
    }
}

/// The text of the metrics, as of now.
pub(crate) fn text(throttle: &mut Throttle) -> String {
    throttle.advance();
    observe_gauges(throttle);
    let throttle = &*throttle;
    let mut text = String::new();
    let is_old = !throttle.release.has(Fact::MetricsCountSeats);
    for (name, kind, help, value) in SCHEMA_METRICS {
        let name = match (is_old, name) {
            (true, "current_executing_seats") => "request_concurrency_in_use",
            (true, "current_inqueue_seats") => continue,
            _ => name,
        };
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
        for (reason, value) in reasons(counts, throttle.release) {
            if value > 0 {
                let _ = writeln!(
                    text,
                    "{PREFIX}rejected_requests_total{{flow_schema=\"{schema}\",priority_level=\"{level}\",reason=\"{reason}\"}} {value}"
                );
            }
        }
    }
    throttle.gauges.write(&mut text);
    histograms(&mut text, throttle);
    text
}

/// Sets the gauges of the levels that exist, and of deleted ones that still execute requests.
pub(super) fn observe_gauges(throttle: &mut Throttle) {
    let mut gauges = std::mem::take(&mut throttle.gauges);
    let of = throttle.limits().levels().iter();
    let names: HashSet<_> = of.map(|level| level.name.as_str()).collect();
    let all = throttle.controller.levels();
    let levels: BTreeMap<_, _> = all
        .filter(|level| names.contains(level.name))
        .map(|level| (level.name, level))
        .collect();
    seats::set(&mut gauges, throttle.limits(), throttle.release, |name| {
        Some(levels.get(name)?.limit)
    });
    for level in levels.values() {
        let labels = |more: &str| format!("{{{more}priority_level=\"{}\"}}", level.name);
        for (name, help, value) in LEVEL_METRICS {
            gauges.set(name, help, labels(""), value(level));
        }
        // Of levels that have queues and were used.
        if let Some(last) = level.queues.last_dispatch() {
            for (name, help, values) in DISPATCH_METRICS {
                for (label, value) in values {
                    gauges.set(name, help, labels(label), value(&last).as_f64());
                }
            }
        }
    }
    // Servers without borrowing do not adjust limits.
    let found = throttle.controller.adjustment();
    if let Some(adjustment) = found.filter(|_| throttle.release.has(Fact::Lending)) {
        let help = "[ALPHA] Fair fraction of server's concurrency to allocate to each priority level that can use it";
        gauges.set(
            "seat_fair_frac",
            help,
            String::new(),
            adjustment.fair_fraction,
        );
        for level in &adjustment.levels {
            let labels = format!("{{priority_level=\"{}\"}}", level.name);
            let target = level.target.unwrap_or(level.current as f64);
            gauges.set(
                "target_seats",
                "[ALPHA] Seat allocation targets",
                labels,
                target,
            );
        }
    }
    throttle.gauges = gauges;
}

/// A value of the last dispatch of a level, with the label that distinguishes it from others of the same name.
type OfDispatch = (&'static str, fn(&LastDispatch) -> SeatSeconds);

const DISPATCH_METRICS: [(&str, &str, &[OfDispatch]); 4] = [
    (
        "dispatch_r",
        "[ALPHA] R(time of last dispatch)",
        &[("", |last| last.r)],
    ),
    (
        "latest_s",
        "[ALPHA] S(most recently dispatched request)",
        &[("", |last| last.start_r)],
    ),
    (
        "next_discounted_s_bounds",
        "[ALPHA] min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress",
        &[
            ("bound=\"max\",", |last| last.discounted_bounds.1),
            ("bound=\"min\",", |last| last.discounted_bounds.0),
        ],
    ),
    (
        "next_s_bounds",
        "[ALPHA] min and max, over queues, of S(oldest waiting request in queue)",
        &[
            ("bound=\"max\",", |last| last.start_bounds.1),
            ("bound=\"min\",", |last| last.start_bounds.0),
        ],
    ),
];
