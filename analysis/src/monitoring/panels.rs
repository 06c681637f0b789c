//! The panels of the dashboard.

use super::series::Series;
use crate::metrics::catalog::{
    CURRENT_INQUEUE_REQUESTS, CURRENT_INQUEUE_SEATS, CURRENT_LIMIT_SEATS,
    DEMAND_SEATS_HIGH_WATERMARK, DISPATCHED_REQUESTS_TOTAL, LOWER_LIMIT_SEATS, Metric,
    REJECTED_REQUESTS_TOTAL, REQUEST_EXECUTION_SECONDS, REQUEST_QUEUE_LENGTH_AFTER_ENQUEUE,
    REQUEST_WAIT_DURATION_SECONDS, REQUESTED_DEPRECATED_APIS, Stability, UPPER_LIMIT_SEATS,
    WORK_ESTIMATED_SEATS,
};
use k8s_flowcontrol_types::GROUP;

pub(super) struct Row {
    pub(super) title: &'static str,
    pub(super) panels: Vec<Panel>,
}

/// A panel with one query.
pub(super) struct Panel {
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) form: Form,
    /// A unit of Grafana.
    pub(super) unit: &'static str,
    pub(super) expression: String,
    /// The template of the names of series.
    pub(super) legend: &'static str,
    /// The metrics of the expression.
    metrics: Vec<&'static Metric>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Lines over time.
    Lines,
    /// Areas on top of one another, over time.
    Stack,
    Number,
    /// The present values in a table.
    Table,
}

impl Panel {
    /// The stability of its least stable metric; `None` if the release lacks a metric.
    pub(super) fn stability(&self, series: &Series<'_>) -> Option<Stability> {
        let stability = |metric: &&Metric| metric.stability(series.release);
        let all: Option<Vec<_>> = self.metrics.iter().map(stability).collect();
        all?.into_iter().max()
    }
}

/// Writes queries that follow the variables of the dashboard.
struct Queries<'a>(&'a Series<'a>);

impl Queries<'_> {
    fn chosen(&self, metric: &Metric, ending: &str) -> String {
        let variables = [
            ("priority_level", "priority_level"),
            ("flow_schema", "flow_schema"),
        ];
        let mut matchers = vec![
            "cluster=~\"$cluster\"".to_owned(),
            "instance=~\"$instance\"".to_owned(),
        ];
        for (label, variable) in variables {
            if metric.labels().contains(&label) {
                matchers.push(format!("{label}=~\"${variable}\""));
            }
        }
        self.0.matching(metric, ending, &matchers.join(","))
    }

    fn sum(&self, metric: &Metric, by: &str) -> String {
        format!("sum by ({by}) ({})", self.chosen(metric, ""))
    }

    fn rate(&self, metric: &Metric, by: &str) -> String {
        let series = self.chosen(metric, "");
        match by.is_empty() {
            true => format!("sum(rate({series}[$__rate_interval]))"),
            false => format!("sum by ({by}) (rate({series}[$__rate_interval]))"),
        }
    }

    /// The value that one in a hundred exceeds.
    fn high(&self, metric: &Metric, by: &str) -> String {
        let series = self.chosen(metric, "_bucket");
        format!("histogram_quantile(0.99, sum by ({by}, le) (rate({series}[$__rate_interval])))")
    }
}

const LEVEL: &str = "{{priority_level}}";
const SCHEMA: &str = "{{flow_schema}}";

/// The rows of a release.
pub(super) fn rows(series: &Series<'_>) -> Vec<Row> {
    let queries = Queries(series);
    vec![
        Row {
            title: "Overview",
            panels: overview(&queries),
        },
        Row {
            title: "Priority levels",
            panels: levels(&queries),
        },
        Row {
            title: "Flow schemas",
            panels: schemas(&queries),
        },
        Row {
            title: "Lending and borrowing",
            panels: borrowing(&queries),
        },
        Row {
            title: "Costs",
            panels: costs(&queries),
        },
        Row {
            title: "Deprecated versions",
            panels: deprecated(series),
        },
    ]
}

fn overview(queries: &Queries<'_>) -> Vec<Panel> {
    let (in_use, limit) = (queries.0.in_use(), queries.0.limit());
    vec![
        Panel {
            title: "Dispatched requests",
            description: "The requests whose execution begins.",
            form: Form::Number,
            unit: "reqps",
            expression: queries.rate(&DISPATCHED_REQUESTS_TOTAL, ""),
            legend: "",
            metrics: vec![&DISPATCHED_REQUESTS_TOTAL],
        },
        Panel {
            title: "Rejected requests",
            description: "The requests that get the status 429.",
            form: Form::Number,
            unit: "reqps",
            expression: format!(
                "{} or vector(0)",
                queries.rate(&REJECTED_REQUESTS_TOTAL, "")
            ),
            legend: "",
            metrics: vec![&REJECTED_REQUESTS_TOTAL],
        },
        Panel {
            title: "Waiting requests",
            description: "The requests in queues.",
            form: Form::Number,
            unit: "short",
            expression: format!("sum({})", queries.chosen(&CURRENT_INQUEUE_REQUESTS, "")),
            legend: "",
            metrics: vec![&CURRENT_INQUEUE_REQUESTS],
        },
        Panel {
            title: "Seats in use",
            description: "The seats in use, as a fraction of the seats of the chosen servers and levels with requests in the last day.",
            form: Form::Number,
            unit: "percentunit",
            // A server keeps the limits of deleted levels.
            expression: format!(
                "sum({}) / sum({} and on (cluster, instance, priority_level) sum by (cluster, instance, priority_level) (increase({}[1d])) > 0)",
                queries.chosen(in_use, ""),
                queries.chosen(limit, ""),
                queries.chosen(&DISPATCHED_REQUESTS_TOTAL, ""),
            ),
            legend: "",
            metrics: vec![in_use, limit, &DISPATCHED_REQUESTS_TOTAL],
        },
    ]
}

fn levels(queries: &Queries<'_>) -> Vec<Panel> {
    let (in_use, limit) = (queries.0.in_use(), queries.0.limit());
    vec![
        Panel {
            title: "Rejections by level and reason",
            description: "queue-full: the queues of a flow are full. time-out: a request waited as long as the server permits, \
                          or since Kubernetes 1.29 until its client gave up. concurrency-limit: a level without queues had no free seat. \
                          cancelled: the client gave up, before 1.29.",
            form: Form::Lines,
            unit: "reqps",
            expression: queries.rate(&REJECTED_REQUESTS_TOTAL, "priority_level, reason"),
            legend: "{{priority_level}} {{reason}}",
            metrics: vec![&REJECTED_REQUESTS_TOTAL],
        },
        Panel {
            title: "Wait, 99th percentile",
            description: "The time in queues that one in a hundred requests exceeds. The server rejects a request after 15 seconds, a \
                          quarter of the default --request-timeout.",
            form: Form::Lines,
            unit: "s",
            expression: queries.high(&REQUEST_WAIT_DURATION_SECONDS, "priority_level"),
            legend: LEVEL,
            metrics: vec![&REQUEST_WAIT_DURATION_SECONDS],
        },
        Panel {
            title: "Seats in use",
            description: "The seats of the executing requests.",
            form: Form::Stack,
            unit: "short",
            expression: queries.sum(in_use, "priority_level"),
            legend: LEVEL,
            metrics: vec![in_use],
        },
        Panel {
            title: "Seats in use of the nominal limit",
            description: "Above 100 % a level borrows seats. The exempt level has no limit.",
            form: Form::Lines,
            unit: "percentunit",
            expression: format!(
                "{} / (sum by (priority_level) ({}) > 0)",
                queries.sum(in_use, "priority_level"),
                queries.chosen(limit, "")
            ),
            legend: LEVEL,
            metrics: vec![in_use, limit],
        },
        Panel {
            title: "Waiting requests",
            description: "The requests in queues.",
            form: Form::Stack,
            unit: "short",
            expression: queries.sum(&CURRENT_INQUEUE_REQUESTS, "priority_level"),
            legend: LEVEL,
            metrics: vec![&CURRENT_INQUEUE_REQUESTS],
        },
        Panel {
            title: "Nominal limits",
            description: "The seats of each level in each server, before lending and borrowing.",
            form: Form::Table,
            unit: "short",
            expression: format!(
                "max by (instance, priority_level) ({})",
                queries.chosen(limit, "")
            ),
            legend: "",
            metrics: vec![limit],
        },
    ]
}

fn schemas(queries: &Queries<'_>) -> Vec<Panel> {
    vec![
        Panel {
            title: "Dispatched requests by flow schema",
            description: "The requests whose execution begins. Requests of the flow schema catch-all match no other one.",
            form: Form::Lines,
            unit: "reqps",
            expression: queries.rate(&DISPATCHED_REQUESTS_TOTAL, "flow_schema"),
            legend: SCHEMA,
            metrics: vec![&DISPATCHED_REQUESTS_TOTAL],
        },
        Panel {
            title: "Rejections by flow schema",
            description: "The requests that get the status 429.",
            form: Form::Lines,
            unit: "reqps",
            expression: queries.rate(&REJECTED_REQUESTS_TOTAL, "flow_schema"),
            legend: SCHEMA,
            metrics: vec![&REJECTED_REQUESTS_TOTAL],
        },
        Panel {
            title: "Seats in use by flow schema",
            description: "The seats of the executing requests.",
            form: Form::Stack,
            unit: "short",
            expression: queries.sum(queries.0.in_use(), "flow_schema"),
            legend: SCHEMA,
            metrics: vec![queries.0.in_use()],
        },
        Panel {
            title: "Wait by flow schema, 99th percentile",
            description: "The time in queues that one in a hundred requests exceeds.",
            form: Form::Lines,
            unit: "s",
            expression: queries.high(&REQUEST_WAIT_DURATION_SECONDS, "flow_schema"),
            legend: SCHEMA,
            metrics: vec![&REQUEST_WAIT_DURATION_SECONDS],
        },
    ]
}

fn borrowing(queries: &Queries<'_>) -> Vec<Panel> {
    let each = |title, description, metric| Panel {
        title,
        description,
        form: Form::Lines,
        unit: "short",
        expression: queries.sum(metric, "priority_level"),
        legend: LEVEL,
        metrics: vec![metric],
    };
    vec![
        each(
            "Current limits",
            "The seats of each level after lending and borrowing. They change every 10 seconds.",
            &CURRENT_LIMIT_SEATS,
        ),
        each(
            "Demand for seats",
            "The maximum of the seats in use and wanted during the last 10 seconds.",
            &DEMAND_SEATS_HIGH_WATERMARK,
        ),
        each(
            "Lower limits",
            "The seats that a level never lends.",
            &LOWER_LIMIT_SEATS,
        ),
        each(
            "Upper limits",
            "The seats of a level when it borrows as many as it may.",
            &UPPER_LIMIT_SEATS,
        ),
    ]
}

fn costs(queries: &Queries<'_>) -> Vec<Panel> {
    let high = |title, description, unit, metric| Panel {
        title,
        description,
        form: Form::Lines,
        unit,
        expression: queries.high(metric, "priority_level"),
        legend: LEVEL,
        metrics: vec![metric],
    };
    vec![
        high(
            "Seats of a request, 99th percentile",
            "The estimated seats of the widest requests. Large lists take the most.",
            "short",
            &WORK_ESTIMATED_SEATS,
        ),
        high(
            "Execution time, 99th percentile",
            "The time that requests occupy their seats.",
            "s",
            &REQUEST_EXECUTION_SECONDS,
        ),
        high(
            "Length of queues, 99th percentile",
            "The length of a queue when a request enters it.",
            "short",
            &REQUEST_QUEUE_LENGTH_AFTER_ENQUEUE,
        ),
        Panel {
            title: "Waiting seats",
            description: "The seats of the requests in queues.",
            form: Form::Stack,
            unit: "short",
            expression: queries.sum(&CURRENT_INQUEUE_SEATS, "priority_level"),
            legend: LEVEL,
            metrics: vec![&CURRENT_INQUEUE_SEATS],
        },
    ]
}

fn deprecated(series: &Series<'_>) -> Vec<Panel> {
    if !series.serves_deprecated_versions() {
        return Vec::new();
    }
    let matchers = format!("group=\"{GROUP}\",cluster=~\"$cluster\",instance=~\"$instance\"");
    let requested = series.matching(&REQUESTED_DEPRECATED_APIS, "", &matchers);
    vec![Panel {
        title: "Deprecated versions that clients requested",
        description: "Since each server started. `kubectl flowcontrol scan` finds the clients.",
        form: Form::Table,
        unit: "short",
        expression: format!(
            "max by (instance, version, resource, subresource, removed_release) ({requested})"
        ),
        legend: "",
        metrics: vec![&REQUESTED_DEPRECATED_APIS],
    }]
}
