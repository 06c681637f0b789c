//! Recording rules: the numbers that several alerts need.

use super::series::Series;
use crate::metrics::catalog::{
    CURRENT_INQUEUE_REQUESTS, CURRENT_LIMIT_SEATS, DISPATCHED_REQUESTS_TOTAL,
    REJECTED_REQUESTS_TOTAL, REQUEST_WAIT_DURATION_SECONDS, UPPER_LIMIT_SEATS,
};
use serde_json::{Value, json};

/// Requests per second that arrived at a level.
pub(super) const ARRIVED: &str = "priority_level:apiserver_flowcontrol_requests:rate5m";
/// Requests per second that were rejected, with the reason.
pub(super) const REJECTED: &str =
    "flow_schema_priority_level_reason:apiserver_flowcontrol_rejected_requests:rate5m";
/// Requests per second whose execution began.
pub(super) const DISPATCHED: &str =
    "flow_schema_priority_level:apiserver_flowcontrol_dispatched_requests:rate5m";
/// The time that the slowest hundredth of the requests of a level waited.
pub(super) const WAIT: &str =
    "priority_level:apiserver_flowcontrol_request_wait_duration_seconds:p99_rate5m";
/// The seats in use of a level in one server.
pub(super) const IN_USE: &str =
    "instance_priority_level:apiserver_flowcontrol_executing_seats:avg5m";
/// The requests of a level in one server that waited at every moment.
pub(super) const WAITING: &str =
    "instance_priority_level:apiserver_flowcontrol_inqueue_requests:min5m";
/// The nominal limits of the levels in one server.
pub(super) const NOMINAL: &str =
    "instance_priority_level:apiserver_flowcontrol_nominal_limit_seats:max";
/// All seats of one server.
pub(super) const SEATS: &str = "instance:apiserver_flowcontrol_seats:max";
/// The seats in use of one server, as a fraction of all its seats.
pub(super) const UTILIZATION: &str = "instance:apiserver_flowcontrol_executing_seats:ratio_avg5m";
/// The seats of a level after lending and borrowing, in one server.
pub(super) const CURRENT: &str =
    "instance_priority_level:apiserver_flowcontrol_current_limit_seats:max";
/// The seats of a level in one server when it borrows as many as it may.
pub(super) const UPPER: &str =
    "instance_priority_level:apiserver_flowcontrol_upper_limit_seats:max";

/// The labels of a level in one server.
const LEVEL: &str = "cluster, instance, priority_level";

pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) expression: String,
    /// The part of the expression that is enough, if a server lacks the metrics of the rest.
    pub(super) enough: Option<String>,
}

impl Rule {
    fn new(name: &'static str, expression: String) -> Self {
        Self {
            name,
            expression,
            enough: None,
        }
    }

    /// The expression whose metrics the rule needs.
    pub(super) fn needed(&self) -> &str {
        self.enough.as_deref().unwrap_or(&self.expression)
    }

    pub(super) fn json(&self) -> Value {
        json!({"record": self.name, "expr": self.expression})
    }
}

/// The rules of a release. A rule uses only those before it.
pub(super) fn rules(series: &Series<'_>) -> Vec<Rule> {
    let rate = |metric| format!("rate({}[5m])", series.all(metric));
    let (dispatched, rejected) = (
        rate(&DISPATCHED_REQUESTS_TOTAL),
        rate(&REJECTED_REQUESTS_TOTAL),
    );
    let buckets = series.matching(&REQUEST_WAIT_DURATION_SECONDS, "_bucket", "");
    let mut rules = vec![
        Rule::new(
            DISPATCHED,
            format!("sum by (cluster, flow_schema, priority_level) ({dispatched})"),
        ),
        Rule::new(
            REJECTED,
            format!("sum by (cluster, flow_schema, priority_level, reason) ({rejected})"),
        ),
        Rule::new(
            // The label `reason` keeps the two sides of `or` apart, so that neither hides the other.
            ARRIVED,
            format!("sum by (cluster, priority_level) (\n  {dispatched}\n  or\n  {rejected}\n)"),
        ),
        Rule::new(
            WAIT,
            format!(
                "histogram_quantile(0.99,\n  sum by (cluster, priority_level, le) (rate({buckets}[5m]))\n)"
            ),
        ),
        Rule::new(
            IN_USE,
            format!(
                "sum by ({LEVEL}) (avg_over_time({}[5m]))",
                series.all(series.in_use())
            ),
        ),
        Rule::new(
            WAITING,
            format!(
                "sum by ({LEVEL}) (min_over_time({}[5m]))",
                series.all(&CURRENT_INQUEUE_REQUESTS)
            ),
        ),
        Rule::new(
            NOMINAL,
            format!("max by ({LEVEL}) ({})", series.all(series.limit())),
        ),
        seats(series),
        Rule::new(
            UTILIZATION,
            format!("sum by (cluster, instance) ({IN_USE})\n/\n{SEATS}"),
        ),
    ];
    for (name, metric) in [(CURRENT, &CURRENT_LIMIT_SEATS), (UPPER, &UPPER_LIMIT_SEATS)] {
        if metric.is_exposed_by(series.release) {
            let expression = format!("max by ({LEVEL}) ({})", series.all(metric));
            rules.push(Rule::new(name, expression));
        }
    }
    rules
}

/// All seats of a server.
///
/// A server keeps the series of deleted levels, so the sum of the nominal limits can be too large. The upper limit of a level that may borrow
/// without a limit is its nominal limit plus all seats, and catch-all is such a level: it always exists, and its spec cannot change. A server
/// before 1.26 has no such metric. There the sum is that of the levels with requests in the last day, which no level has a day after it was
/// deleted; or of all levels, if none has.
fn seats(series: &Series<'_>) -> Rule {
    let dispatched = series.all(&DISPATCHED_REQUESTS_TOTAL);
    let sum = format!("sum by (cluster, instance) ({NOMINAL})");
    let in_use = format!(
        "sum by (cluster, instance) (\n  {NOMINAL}\n  and on ({LEVEL})\n  sum by ({LEVEL}) (increase({dispatched}[1d])) > 0\n)\nor\n{sum}"
    );
    if !UPPER_LIMIT_SEATS.is_exposed_by(series.release) {
        return Rule {
            name: SEATS,
            expression: in_use,
            enough: Some(sum),
        };
    }
    let of_catch_all = |metric| series.matching(metric, "", "priority_level=\"catch-all\"");
    let (upper, nominal) = (
        of_catch_all(&UPPER_LIMIT_SEATS),
        of_catch_all(series.limit()),
    );
    Rule {
        name: SEATS,
        expression: format!(
            "max by (cluster, instance) (\n  {upper}\n  -\n  {nominal}\n)\nor\n{in_use}"
        ),
        enough: Some(sum),
    }
}
