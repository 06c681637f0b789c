//! The table of metrics, from servers and from the lists that Kubernetes publishes with each release. Their releases are facts of
//! `k8s-flowcontrol-types`.

use super::{Metric, MetricKind};

const LEVEL: &[&str] = &["priority_level"];
const SCHEMA: &[&str] = &["flow_schema", "priority_level"];

/// The requests that are executing.
pub const CURRENT_EXECUTING_REQUESTS: Metric = gauge(
    "apiserver_flowcontrol_current_executing_requests",
    SCHEMA,
    "The requests that are executing.",
);

/// The seats of the executing requests.
pub const CURRENT_EXECUTING_SEATS: Metric = gauge(
    "apiserver_flowcontrol_current_executing_seats",
    SCHEMA,
    "The seats of the executing requests.",
);

/// The requests that wait in queues.
pub const CURRENT_INQUEUE_REQUESTS: Metric = gauge(
    "apiserver_flowcontrol_current_inqueue_requests",
    SCHEMA,
    "The requests that wait in queues.",
);

/// The seats of the requests that wait in queues.
pub const CURRENT_INQUEUE_SEATS: Metric = gauge(
    "apiserver_flowcontrol_current_inqueue_seats",
    SCHEMA,
    "The seats of the requests that wait in queues.",
);

/// The seats of a level after lending and borrowing.
pub const CURRENT_LIMIT_SEATS: Metric = gauge(
    "apiserver_flowcontrol_current_limit_seats",
    LEVEL,
    "The seats of a level after lending and borrowing.",
);

/// The progress of virtual time at the last change.
pub const CURRENT_R: Metric = gauge(
    "apiserver_flowcontrol_current_r",
    LEVEL,
    "The progress of virtual time at the last change.",
);

/// The demand for seats over time, as a fraction of the nominal limit.
pub const DEMAND_SEATS: Metric = histogram(
    "apiserver_flowcontrol_demand_seats",
    LEVEL,
    "The demand for seats over time, as a fraction of the nominal limit.",
);

/// The mean of the demand for seats in the last adjustment period.
pub const DEMAND_SEATS_AVERAGE: Metric = gauge(
    "apiserver_flowcontrol_demand_seats_average",
    LEVEL,
    "The mean of the demand for seats in the last adjustment period.",
);

/// The maximum of the demand for seats in the last adjustment period.
pub const DEMAND_SEATS_HIGH_WATERMARK: Metric = gauge(
    "apiserver_flowcontrol_demand_seats_high_watermark",
    LEVEL,
    "The maximum of the demand for seats in the last adjustment period.",
);

/// The demand for seats, smoothed over adjustment periods.
pub const DEMAND_SEATS_SMOOTHED: Metric = gauge(
    "apiserver_flowcontrol_demand_seats_smoothed",
    LEVEL,
    "The demand for seats, smoothed over adjustment periods.",
);

/// The standard deviation of the demand for seats in the last adjustment period.
pub const DEMAND_SEATS_STDEV: Metric = gauge(
    "apiserver_flowcontrol_demand_seats_stdev",
    LEVEL,
    "The standard deviation of the demand for seats in the last adjustment period.",
);

/// The progress of virtual time at the last dispatch.
pub const DISPATCH_R: Metric = gauge(
    "apiserver_flowcontrol_dispatch_r",
    LEVEL,
    "The progress of virtual time at the last dispatch.",
);

/// The requests whose execution began.
pub const DISPATCHED_REQUESTS_TOTAL: Metric = counter(
    "apiserver_flowcontrol_dispatched_requests_total",
    SCHEMA,
    "The requests whose execution began.",
);

/// The times that virtual time was set back.
pub const EPOCH_ADVANCE_TOTAL: Metric = counter(
    "apiserver_flowcontrol_epoch_advance_total",
    &["priority_level", "success"],
    "The times that virtual time was set back.",
);

/// The virtual start of the request that was dispatched last.
pub const LATEST_S: Metric = gauge(
    "apiserver_flowcontrol_latest_s",
    LEVEL,
    "The virtual start of the request that was dispatched last.",
);

/// The seats of a level that it never lends.
pub const LOWER_LIMIT_SEATS: Metric = gauge(
    "apiserver_flowcontrol_lower_limit_seats",
    LEVEL,
    "The seats of a level that it never lends.",
);

/// The bounds of the virtual starts of waiting requests, less the work in progress.
pub const NEXT_DISCOUNTED_S_BOUNDS: Metric = gauge(
    "apiserver_flowcontrol_next_discounted_s_bounds",
    &["bound", "priority_level"],
    "The bounds of the virtual starts of waiting requests, less the work in progress.",
);

/// The bounds of the virtual starts of waiting requests.
pub const NEXT_S_BOUNDS: Metric = gauge(
    "apiserver_flowcontrol_next_s_bounds",
    &["bound", "priority_level"],
    "The bounds of the virtual starts of waiting requests.",
);

/// The seats of a level before lending and borrowing.
pub const NOMINAL_LIMIT_SEATS: Metric = gauge(
    "apiserver_flowcontrol_nominal_limit_seats",
    LEVEL,
    "The seats of a level before lending and borrowing.",
);

/// The executing and waiting requests over time, as a fraction of their limit.
pub const PRIORITY_LEVEL_REQUEST_UTILIZATION: Metric = histogram(
    "apiserver_flowcontrol_priority_level_request_utilization",
    &["phase", "priority_level"],
    "The executing and waiting requests over time, as a fraction of their limit.",
);

/// The seats in use over time, as a fraction of the limit.
pub const PRIORITY_LEVEL_SEAT_UTILIZATION: Metric = histogram(
    "apiserver_flowcontrol_priority_level_seat_utilization",
    &["phase", "priority_level"],
    "The seats in use over time, as a fraction of the limit.",
);

/// The reading and writing requests over time, as a fraction of their limit.
pub const READ_VS_WRITE_CURRENT_REQUESTS: Metric = histogram(
    "apiserver_flowcontrol_read_vs_write_current_requests",
    &["phase", "request_kind"],
    "The reading and writing requests over time, as a fraction of their limit.",
);

/// The requests that were rejected.
pub const REJECTED_REQUESTS_TOTAL: Metric = counter(
    "apiserver_flowcontrol_rejected_requests_total",
    &["flow_schema", "priority_level", "reason"],
    "The requests that were rejected.",
);

/// The seats of the executing requests, under the name that 1.28 replaced.
pub const REQUEST_CONCURRENCY_IN_USE: Metric = gauge(
    "apiserver_flowcontrol_request_concurrency_in_use",
    SCHEMA,
    "The seats of the executing requests, under the name that 1.28 replaced.",
);

/// The nominal limit, under the name that 1.26 replaced.
pub const REQUEST_CONCURRENCY_LIMIT: Metric = gauge(
    "apiserver_flowcontrol_request_concurrency_limit",
    LEVEL,
    "The nominal limit, under the name that 1.26 replaced.",
);

/// The dispatches that failed because too few seats were free.
pub const REQUEST_DISPATCH_NO_ACCOMMODATION_TOTAL: Metric = counter(
    "apiserver_flowcontrol_request_dispatch_no_accommodation_total",
    SCHEMA,
    "The dispatches that failed because too few seats were free.",
);

/// The time that requests executed; for a watch the time of its beginning.
pub const REQUEST_EXECUTION_SECONDS: Metric = histogram(
    "apiserver_flowcontrol_request_execution_seconds",
    &["flow_schema", "priority_level", "type"],
    "The time that requests executed; for a watch the time of its beginning.",
);

/// The length of a queue when a request entered it.
pub const REQUEST_QUEUE_LENGTH_AFTER_ENQUEUE: Metric = histogram(
    "apiserver_flowcontrol_request_queue_length_after_enqueue",
    SCHEMA,
    "The length of a queue when a request entered it.",
);

/// The time that requests waited in queues.
pub const REQUEST_WAIT_DURATION_SECONDS: Metric = histogram(
    "apiserver_flowcontrol_request_wait_duration_seconds",
    &["execute", "flow_schema", "priority_level"],
    "The time that requests waited in queues.",
);

/// The fraction of its target that every level gets which can use it.
pub const SEAT_FAIR_FRAC: Metric = gauge(
    "apiserver_flowcontrol_seat_fair_frac",
    &[],
    "The fraction of its target that every level gets which can use it.",
);

/// The seats that a level should have for its demand.
pub const TARGET_SEATS: Metric = gauge(
    "apiserver_flowcontrol_target_seats",
    LEVEL,
    "The seats that a level should have for its demand.",
);

/// The seats of a level when it borrows as many as it may.
pub const UPPER_LIMIT_SEATS: Metric = gauge(
    "apiserver_flowcontrol_upper_limit_seats",
    LEVEL,
    "The seats of a level when it borrows as many as it may.",
);

/// The watches that see a write.
pub const WATCH_COUNT_SAMPLES: Metric = histogram(
    "apiserver_flowcontrol_watch_count_samples",
    SCHEMA,
    "The watches that see a write.",
);

/// The estimated seats of requests, the larger of initial and final seats.
pub const WORK_ESTIMATED_SEATS: Metric = histogram(
    "apiserver_flowcontrol_work_estimated_seats",
    SCHEMA,
    "The estimated seats of requests, the larger of initial and final seats.",
);

/// The deprecated API versions that were requested since the server started, each as 1.
pub const REQUESTED_DEPRECATED_APIS: Metric = gauge(
    "apiserver_requested_deprecated_apis",
    &[
        "group",
        "removed_release",
        "resource",
        "subresource",
        "version",
    ],
    "The deprecated API versions that were requested since the server started, each as 1.",
)
.stable();

/// All metrics, in alphabetical order.
pub const ALL: &[&Metric] = &[
    &CURRENT_EXECUTING_REQUESTS,
    &CURRENT_EXECUTING_SEATS,
    &CURRENT_INQUEUE_REQUESTS,
    &CURRENT_INQUEUE_SEATS,
    &CURRENT_LIMIT_SEATS,
    &CURRENT_R,
    &DEMAND_SEATS,
    &DEMAND_SEATS_AVERAGE,
    &DEMAND_SEATS_HIGH_WATERMARK,
    &DEMAND_SEATS_SMOOTHED,
    &DEMAND_SEATS_STDEV,
    &DISPATCH_R,
    &DISPATCHED_REQUESTS_TOTAL,
    &EPOCH_ADVANCE_TOTAL,
    &LATEST_S,
    &LOWER_LIMIT_SEATS,
    &NEXT_DISCOUNTED_S_BOUNDS,
    &NEXT_S_BOUNDS,
    &NOMINAL_LIMIT_SEATS,
    &PRIORITY_LEVEL_REQUEST_UTILIZATION,
    &PRIORITY_LEVEL_SEAT_UTILIZATION,
    &READ_VS_WRITE_CURRENT_REQUESTS,
    &REJECTED_REQUESTS_TOTAL,
    &REQUEST_CONCURRENCY_IN_USE,
    &REQUEST_CONCURRENCY_LIMIT,
    &REQUEST_DISPATCH_NO_ACCOMMODATION_TOTAL,
    &REQUEST_EXECUTION_SECONDS,
    &REQUEST_QUEUE_LENGTH_AFTER_ENQUEUE,
    &REQUEST_WAIT_DURATION_SECONDS,
    &SEAT_FAIR_FRAC,
    &TARGET_SEATS,
    &UPPER_LIMIT_SEATS,
    &WATCH_COUNT_SAMPLES,
    &WORK_ESTIMATED_SEATS,
    &REQUESTED_DEPRECATED_APIS,
];

const fn metric(
    name: &'static str,
    kind: MetricKind,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    Metric {
        name,
        kind,
        labels,
        help,
        is_stable: false,
    }
}

const fn counter(
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    metric(name, MetricKind::Counter, labels, help)
}

const fn gauge(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Metric {
    metric(name, MetricKind::Gauge, labels, help)
}

const fn histogram(
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    metric(name, MetricKind::Histogram, labels, help)
}

impl Metric {
    const fn stable(self) -> Self {
        Self {
            is_stable: true,
            ..self
        }
    }
}
