//! The metrics of classified traffic, in the text format of Prometheus.

use super::request::LiveSums;
use super::state::Live;
use super::summary::NamedSums;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A metric of callers: the name, the beginning of the help, and the sum.
type OfCallers = (&'static str, &'static str, fn(&NamedSums) -> u64);

const OF_CALLERS: [OfCallers; 6] = [
    ("window_requests", "Requests in the window", |own| {
        own.sums.requests
    }),
    (
        "window_rejected_requests",
        "Requests in the window that flow control rejected",
        |own| own.sums.rejected,
    ),
    (
        "window_retries",
        "Requests in the window that repeat a rejected request within a minute after its response",
        |own| own.sums.retries,
    ),
    (
        "window_newest_lists",
        "Lists in the window without resourceVersion and continue",
        |own| own.sums.newest_lists,
    ),
    (
        "window_unlimited_lists",
        "Lists in the window without limit and continue",
        |own| own.sums.unlimited_lists,
    ),
    (
        "window_short_watches",
        "Watches in the window that ended within a minute",
        |own| own.sums.short_watches,
    ),
];

type OfClasses = (&'static str, &'static str, fn(&LiveSums) -> f64);

const OF_CLASSES: [OfClasses; 3] = [
    (
        "requests_total",
        "Requests that ended. Requests that flow control does not see have empty labels.",
        |sums| sums.requests as f64,
    ),
    (
        "rejected_requests_total",
        "Requests that flow control rejected with status 429.",
        |sums| sums.rejected as f64,
    ),
    (
        "seat_seconds_total",
        "Estimated initial seats times the seconds from arrival to end, without recorded waits.",
        LiveSums::seat_seconds,
    ),
];

/// The beginning of every name.
const PREFIX: &str = "k8s_flowcontrol_traffic_";

impl Live {
    /// The metrics at the time `now_us`, in the text format of Prometheus. Names begin with `k8s_flowcontrol_traffic_`.
    ///
    /// The sums of flow schemas are counters over all time. The sums of callers are gauges over the window, for the 20 busiest callers, so
    /// that the number of series is bounded. `rejected_batches` has the number of batches that were answered with each code from 400 on.
    pub fn metrics(&self, now_us: i64, rejected_batches: &BTreeMap<u16, u64>) -> String {
        let mut text = Text::default();
        for (name, help, value) in OF_CLASSES {
            text.family(name, "counter", help);
            for (class, sums) in &self.totals {
                let (level, schema) = class.split_once('/').unwrap_or_default();
                let labels = labels(&[("priority_level", level), ("flow_schema", schema)]);
                text.sample(&labels, value(sums));
            }
        }
        for (name, help, value) in [
            (
                "events_total",
                "Audit events that were read.",
                self.events.0,
            ),
            (
                "batches_total",
                "Batches of the audit webhook that were counted and answered with status 200.",
                self.batches.0,
            ),
            (
                "duplicate_requests_total",
                "Requests that came again and were not counted again.",
                self.duplicates.0,
            ),
            (
                "late_requests_total",
                "Requests that had ended before the window when they came.",
                self.late.0,
            ),
            (
                "broken_lines_total",
                "Lines without an audit event.",
                self.broken.0,
            ),
            (
                "lost_ends_total",
                "Log files that vanished or were truncated before their end was read.",
                self.lost_ends.0,
            ),
        ] {
            text.family(name, "counter", help);
            text.sample("", value as f64);
        }
        if !rejected_batches.is_empty() {
            text.family(
                "rejected_batches_total",
                "counter",
                "Batches since the start that were answered with an error, by its status.",
            );
        }
        for (code, batches) in rejected_batches {
            text.sample(&labels(&[("code", &code.to_string())]), *batches as f64);
        }
        if let Some(last) = self.last_us {
            text.family(
                "last_request_timestamp_seconds",
                "gauge",
                "The end of the newest request, in seconds since 1970.",
            );
            text.sample("", last as f64 / 1e6);
        }
        let summary = self.summary(now_us);
        text.family(
            "window_seconds",
            "gauge",
            "The length of the rolling window.",
        );
        text.sample("", summary.window_seconds);
        let property = self.by().to_string();
        for (name, help, value) in OF_CALLERS {
            text.family(name, "gauge", &format!("{help}, of the 20 busiest."));
            for caller in &summary.callers {
                text.sample(&labels(&[(&property, &caller.name)]), value(caller) as f64);
            }
        }
        let active = || {
            self.alerts.active.iter().map(|alert| {
                let labels = labels(&[("threshold", &alert.threshold), ("name", &alert.name)]);
                (labels, alert.since_us.0 as f64 / 1e6)
            })
        };
        text.family(
            "alert_active",
            "gauge",
            "1 for a name that exceeds a threshold.",
        );
        for (labels, _) in active() {
            text.sample(&labels, 1.0);
        }
        text.family(
            "alert_since_timestamp_seconds",
            "gauge",
            "The beginning of an active alert, in seconds since 1970.",
        );
        for (labels, since) in active() {
            text.sample(&labels, since);
        }
        text.text
    }
}

#[derive(Default)]
struct Text {
    text: String,
    /// The family of the next samples.
    name: String,
}

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.name = format!("{PREFIX}{name}");
        // Writing to a string does not fail.
        let _ = writeln!(
            self.text,
            "# HELP {} {help}\n# TYPE {} {kind}",
            self.name, self.name
        );
    }

    fn sample(&mut self, labels: &str, value: f64) {
        let _ = writeln!(self.text, "{}{labels} {value}", self.name);
    }
}

/// Labels with their values escaped.
fn labels(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| {
        let value = value
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n");
        format!("{name}=\"{value}\"")
    });
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
}
