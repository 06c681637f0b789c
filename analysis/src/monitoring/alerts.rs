//! Alerts, each with the steps that help.

use super::recording::{
    ARRIVED, CURRENT, DISPATCHED, IN_USE, NOMINAL, REJECTED, SEATS, UPPER, UTILIZATION, WAIT,
    WAITING,
};
use super::series::Series;
use crate::metrics::catalog::{CURRENT_LIMIT_SEATS, REQUESTED_DEPRECATED_APIS};
use k8s_flowcontrol_types::GROUP;
use serde_json::{Value, json};

/// The chapter that describes every alert under a heading of its name.
const RUNBOOK: &str =
    "https://github.com/k8s-flowcontrol/k8s-flowcontrol/blob/main/docs/src/monitoring.md";
/// The levels of nodes, leader election and the controllers of the control plane.
const SYSTEM: &str = "leader-election|node-high|system|workload-high";

/// More seats for one level are fewer for others, and none help a server that something else limits.
macro_rules! before_a_change {
    () => {
        concat!(
            "Before you change shares or limits, `kubectl flowcontrol diagnose --audit-log LOG` tells whether the processor, etcd or the memory ",
            "limits the server, and simulates who gains and who pays."
        )
    };
}

pub(super) struct Alert {
    pub(super) name: &'static str,
    pub(super) expression: String,
    /// The minutes after which it fires.
    pub(super) minutes: u32,
    pub(super) severity: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
}

impl Alert {
    pub(super) fn json(&self, is_alpha: bool) -> Value {
        let mut labels = json!({"severity": self.severity});
        if is_alpha {
            labels["stability"] = "alpha".into();
        }
        json!({
            "alert": self.name,
            "expr": self.expression,
            "for": format!("{}m", self.minutes),
            "labels": labels,
            "annotations": {
                "summary": self.summary,
                "description": self.description,
                "runbook_url": format!("{RUNBOOK}#{}", self.name.to_ascii_lowercase()),
            },
        })
    }
}

/// The alerts of a release.
pub(super) fn rules(series: &Series<'_>) -> Vec<Alert> {
    let mut alerts = rejections();
    alerts.extend(waits());
    alerts.extend(seats(series));
    alerts.extend(classification(series));
    alerts
}

fn rejections() -> Vec<Alert> {
    let rejected = format!(
        "sum by (cluster, priority_level, reason) (\n    {REJECTED}{{reason!=\"cancelled\"}}\n  )"
    );
    vec![
        Alert {
            name: "FlowControlRequestsRejected",
            expression: format!(
                "(\n  {rejected}\n  / on (cluster, priority_level) group_left ()\n  {ARRIVED}\n) > 0.01\nand\n  {rejected} > 0.05"
            ),
            minutes: 10,
            severity: "warning",
            summary: "The API server rejects requests of the priority level {{ $labels.priority_level }}.",
            description: concat!(
                "{{ $value | humanizePercentage }} of the requests of the priority level {{ $labels.priority_level }} get the status 429 ",
                "with the reason {{ $labels.reason }}. ",
                "{{ if eq $labels.reason \"queue-full\" }}The queues of some flows are full: `kubectl flowcontrol traffic` names the busiest flow, ",
                "whose client can send fewer requests at a time. ",
                "{{ else if eq $labels.reason \"time-out\" }}The requests waited as long as the server permits: `kubectl flowcontrol traffic` names ",
                "the flows that take the seats of the level. ",
                "{{ else if eq $labels.reason \"concurrency-limit\" }}The level does not queue requests, and all of its seats were in use. ",
                "{{ else }}`kubectl flowcontrol top` shows the seats and queues of every level. {{ end }}",
                before_a_change!(),
            ),
        },
        Alert {
            name: "FlowControlSystemRequestsRejected",
            expression: format!(
                "sum by (cluster, priority_level) (\n  {REJECTED}{{priority_level=~\"{SYSTEM}\",reason!=\"cancelled\"}}\n) > 0"
            ),
            minutes: 5,
            severity: "critical",
            summary: "The API server rejects requests of nodes or of the control plane.",
            description: concat!(
                "{{ $value | humanize }} requests per second of the priority level {{ $labels.priority_level }} are rejected. Nodes can ",
                "become NotReady and controllers can lose their leases. Look for a flow schema that sends other traffic to this level with ",
                "`kubectl flowcontrol traffic`. ",
                before_a_change!(),
            ),
        },
    ]
}

fn waits() -> Vec<Alert> {
    vec![
        Alert {
            name: "FlowControlWaitLong",
            expression: format!("{WAIT} > 1"),
            minutes: 10,
            severity: "warning",
            summary: "Requests of the priority level {{ $labels.priority_level }} wait for more than a second.",
            description: concat!(
                "One in a hundred requests of the priority level {{ $labels.priority_level }} waits for {{ $value | humanizeDuration }} or ",
                "longer before its execution. The latency objectives of the API server leave this time out. ",
                "`kubectl flowcontrol top` shows the seats and queues of the level, and `kubectl flowcontrol traffic` the flows ",
                "that take its seats.",
            ),
        },
        Alert {
            name: "FlowControlWaitNearTimeLimit",
            expression: format!("{WAIT} > 10"),
            minutes: 5,
            severity: "critical",
            summary: "Requests of the priority level {{ $labels.priority_level }} wait for more than 10 seconds.",
            description: concat!(
                "One in a hundred requests of the priority level {{ $labels.priority_level }} waits for {{ $value | humanizeDuration }} or ",
                "longer. The server rejects a request after a quarter of its time limit, which is 15 seconds with the default ",
                "--request-timeout. `kubectl flowcontrol traffic` names the flows that take the seats of the level. ",
                before_a_change!(),
            ),
        },
    ]
}

fn seats(series: &Series<'_>) -> Vec<Alert> {
    let mut alerts = vec![
        Alert {
            name: "FlowControlServerSaturated",
            expression: format!("{UTILIZATION} > 0.9"),
            minutes: 15,
            severity: "warning",
            summary: "The API server {{ $labels.instance }} uses nearly all of its seats.",
            description: concat!(
                "Requests occupy {{ $value | humanizePercentage }} of the seats of {{ $labels.instance }}. Other shares would only move the ",
                "shortage from one priority level to another. Find the clients that take the most seats with ",
                "`kubectl flowcontrol traffic`, and check whether admission webhooks are slow. `kubectl flowcontrol diagnose` tells whether the ",
                "processor, etcd or the memory limits the server; more API servers do not help where etcd does.",
            ),
        },
        Alert {
            name: "FlowControlSeatsIdleWhileRequestsWait",
            expression: format!("{WAITING} > 0\nand on (cluster, instance)\n  {UTILIZATION} < 0.5"),
            minutes: 15,
            severity: "warning",
            summary: "Requests of the priority level {{ $labels.priority_level }} wait while other levels leave seats idle.",
            description: concat!(
                "At least {{ $value }} requests of the priority level {{ $labels.priority_level }} wait in every sample, although less than half of ",
                "the seats of {{ $labels.instance }} are in use on average. The level may not borrow, or the idle seats are guaranteed to other levels, or the ",
                "waiting requests take several seats each. ",
                before_a_change!(),
            ),
        },
        Alert {
            name: "FlowControlExemptSeats",
            expression: format!(
                "{IN_USE}{{priority_level=\"exempt\"}}\n/ on (cluster, instance) group_left ()\n{SEATS}\n> 0.25"
            ),
            minutes: 15,
            severity: "warning",
            summary: "Exempt requests occupy a large part of the API server {{ $labels.instance }}.",
            description: concat!(
                "Requests that flow control does not limit occupy seats worth {{ $value | humanizePercentage }} of {{ $labels.instance }}. ",
                "Flow control cannot delay them when the server is overloaded. Such requests come from users of the group system:masters, or match a flow schema of ",
                "the level exempt: find them with `kubectl flowcontrol traffic`, and give them separate credentials.",
            ),
        },
    ];
    if CURRENT_LIMIT_SEATS.is_exposed_by(series.release) {
        alerts.push(Alert {
            name: "FlowControlBorrowingExhausted",
            expression: format!(
                "{WAITING} > 0\nand\n  {CURRENT} >= {UPPER}\nand\n  {UPPER} > {NOMINAL}"
            ),
            minutes: 10,
            severity: "warning",
            summary: "The priority level {{ $labels.priority_level }} cannot borrow more seats.",
            description: concat!(
                "At least {{ $value }} requests of the priority level {{ $labels.priority_level }} wait in every sample on {{ $labels.instance }}, ",
                "and the level has borrowed as many seats as its borrowingLimitPercent permits. ",
                before_a_change!(),
            ),
        });
    }
    alerts
}

fn classification(series: &Series<'_>) -> Vec<Alert> {
    let exempt = format!("{DISPATCHED}{{priority_level=\"exempt\"}}");
    let mut alerts = vec![
        Alert {
            name: "FlowControlExemptTrafficSurges",
            expression: format!(
                "sum by (cluster, flow_schema) ({exempt})\n> 3 *\nsum by (cluster, flow_schema) (avg_over_time({exempt}[1d]))\nand\n  sum by (cluster, flow_schema) ({exempt}) > 20"
            ),
            minutes: 15,
            severity: "warning",
            summary: "The flow schema {{ $labels.flow_schema }} takes many more exempt requests than usual.",
            description: concat!(
                "The flow schema {{ $labels.flow_schema }} takes {{ $value | humanize }} exempt requests per second, more than three times its ",
                "mean of one day. Flow control does not limit them. Look for a program that uses credentials of the group system:masters with ",
                "`kubectl flowcontrol traffic`.",
            ),
        },
        Alert {
            name: "FlowControlCatchAllTakesRequests",
            expression: format!(
                "sum by (cluster) ({DISPATCHED}{{flow_schema=\"catch-all\"}} or {REJECTED}{{flow_schema=\"catch-all\"}}) > 0"
            ),
            minutes: 15,
            severity: "warning",
            summary: "Requests match no flow schema but catch-all.",
            description: concat!(
                "The flow schema catch-all takes {{ $value | humanize }} requests per second. It has few seats and no queues. The built-in ",
                "flow schema global-default takes such requests before it, unless it was deleted or changed. ",
                "`kubectl flowcontrol get flowschemas` shows whether it exists, and `kubectl flowcontrol traffic` the users of these requests.",
            ),
        },
    ];
    if series.serves_deprecated_versions() {
        let matchers = format!("group=\"{GROUP}\"");
        let requested = series.matching(&REQUESTED_DEPRECATED_APIS, "", &matchers);
        alerts.push(Alert {
            name: "FlowControlDeprecatedVersionRequested",
            expression: format!(
                "max by (cluster, version, resource, removed_release) ({requested}) > 0"
            ),
            minutes: 15,
            severity: "info",
            summary: "A client requests {{ $labels.resource }} in the deprecated version {{ $labels.version }}.",
            description: concat!(
                "Since an API server started, a client requested {{ $labels.resource }} of flow control in {{ $labels.version }}, which ",
                "Kubernetes {{ $labels.removed_release }} no longer serves. `kubectl flowcontrol scan` finds the client and the stored manifests.",
            ),
        });
    }
    alerts.push(Alert {
        name: "FlowControlMetricsMissing",
        expression: format!("absent({})", series.all(series.limit())),
        minutes: 15,
        severity: "warning",
        summary: "Prometheus does not have metrics of flow control.",
        description: concat!(
            "Prometheus has scraped no metrics of flow control for 15 minutes, so no other alert about flow control can fire. ",
            "Check the scrape configuration of the API servers, and rules that drop metrics by their names.",
        ),
    });
    alerts
}
