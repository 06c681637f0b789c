//! The table of metrics, from servers and from the lists that Kubernetes publishes with each release. Their releases are facts of
//! `k8s-flowcontrol-types`.

use super::{Metric, MetricKind};

const LEVEL: &[&str] = &["priority_level"];
const SCHEMA: &[&str] = &["flow_schema", "priority_level"];

/// Declares the metrics, each with its type, labels and meaning, and the list of all.
macro_rules! metrics {
    ($(#[doc = $help:literal] $name:ident: $kind:ident, $full:literal, $labels:expr $(, stable = $stable:literal)?;)*) => {
        $(
            #[doc = $help]
            pub const $name: Metric = Metric {
                name: $full,
                kind: MetricKind::$kind,
                labels: $labels,
                help: $help.trim_ascii(),
                is_stable: false $(|| $stable)?,
            };
        )*

        /// All metrics, in alphabetical order.
        pub const ALL: &[&Metric] = &[$(&$name),*];
    };
}

metrics! {
    /// The requests that are executing.
    CURRENT_EXECUTING_REQUESTS: Gauge, "apiserver_flowcontrol_current_executing_requests", SCHEMA;
    /// The seats of the executing requests.
    CURRENT_EXECUTING_SEATS: Gauge, "apiserver_flowcontrol_current_executing_seats", SCHEMA;
    /// The requests that wait in queues.
    CURRENT_INQUEUE_REQUESTS: Gauge, "apiserver_flowcontrol_current_inqueue_requests", SCHEMA;
    /// The seats of the requests that wait in queues.
    CURRENT_INQUEUE_SEATS: Gauge, "apiserver_flowcontrol_current_inqueue_seats", SCHEMA;
    /// The seats of a level after lending and borrowing.
    CURRENT_LIMIT_SEATS: Gauge, "apiserver_flowcontrol_current_limit_seats", LEVEL;
    /// The progress of virtual time at the last change.
    CURRENT_R: Gauge, "apiserver_flowcontrol_current_r", LEVEL;
    /// The demand for seats over time, as a fraction of the nominal limit.
    DEMAND_SEATS: Histogram, "apiserver_flowcontrol_demand_seats", LEVEL;
    /// The mean of the demand for seats in the last adjustment period.
    DEMAND_SEATS_AVERAGE: Gauge, "apiserver_flowcontrol_demand_seats_average", LEVEL;
    /// The maximum of the demand for seats in the last adjustment period.
    DEMAND_SEATS_HIGH_WATERMARK: Gauge, "apiserver_flowcontrol_demand_seats_high_watermark", LEVEL;
    /// The demand for seats, smoothed over adjustment periods.
    DEMAND_SEATS_SMOOTHED: Gauge, "apiserver_flowcontrol_demand_seats_smoothed", LEVEL;
    /// The standard deviation of the demand for seats in the last adjustment period.
    DEMAND_SEATS_STDEV: Gauge, "apiserver_flowcontrol_demand_seats_stdev", LEVEL;
    /// The progress of virtual time at the last dispatch.
    DISPATCH_R: Gauge, "apiserver_flowcontrol_dispatch_r", LEVEL;
    /// The requests whose execution began.
    DISPATCHED_REQUESTS_TOTAL: Counter, "apiserver_flowcontrol_dispatched_requests_total", SCHEMA;
    /// The times that virtual time was set back.
    EPOCH_ADVANCE_TOTAL: Counter, "apiserver_flowcontrol_epoch_advance_total", &["priority_level", "success"];
    /// The virtual start of the request that was dispatched last.
    LATEST_S: Gauge, "apiserver_flowcontrol_latest_s", LEVEL;
    /// The seats of a level that it never lends.
    LOWER_LIMIT_SEATS: Gauge, "apiserver_flowcontrol_lower_limit_seats", LEVEL;
    /// The bounds of the virtual starts of waiting requests, less the work in progress.
    NEXT_DISCOUNTED_S_BOUNDS: Gauge, "apiserver_flowcontrol_next_discounted_s_bounds", &["bound", "priority_level"];
    /// The bounds of the virtual starts of waiting requests.
    NEXT_S_BOUNDS: Gauge, "apiserver_flowcontrol_next_s_bounds", &["bound", "priority_level"];
    /// The seats of a level before lending and borrowing.
    NOMINAL_LIMIT_SEATS: Gauge, "apiserver_flowcontrol_nominal_limit_seats", LEVEL;
    /// The executing and waiting requests over time, as a fraction of their limit.
    PRIORITY_LEVEL_REQUEST_UTILIZATION: Histogram, "apiserver_flowcontrol_priority_level_request_utilization", &["phase", "priority_level"];
    /// The seats in use over time, as a fraction of the limit.
    PRIORITY_LEVEL_SEAT_UTILIZATION: Histogram, "apiserver_flowcontrol_priority_level_seat_utilization", &["phase", "priority_level"];
    /// The reading and writing requests over time, as a fraction of their limit.
    READ_VS_WRITE_CURRENT_REQUESTS: Histogram, "apiserver_flowcontrol_read_vs_write_current_requests", &["phase", "request_kind"];
    /// The requests that were rejected.
    REJECTED_REQUESTS_TOTAL: Counter, "apiserver_flowcontrol_rejected_requests_total", &["flow_schema", "priority_level", "reason"];
    /// The seats of the executing requests, under the name that 1.28 replaced.
    REQUEST_CONCURRENCY_IN_USE: Gauge, "apiserver_flowcontrol_request_concurrency_in_use", SCHEMA;
    /// The nominal limit, under the name that 1.26 replaced.
    REQUEST_CONCURRENCY_LIMIT: Gauge, "apiserver_flowcontrol_request_concurrency_limit", LEVEL;
    /// The dispatches that failed because too few seats were free.
    REQUEST_DISPATCH_NO_ACCOMMODATION_TOTAL: Counter, "apiserver_flowcontrol_request_dispatch_no_accommodation_total", SCHEMA;
    /// The time that requests executed; for a watch the time of its beginning.
    REQUEST_EXECUTION_SECONDS: Histogram, "apiserver_flowcontrol_request_execution_seconds", &["flow_schema", "priority_level", "type"];
    /// The length of a queue when a request entered it.
    REQUEST_QUEUE_LENGTH_AFTER_ENQUEUE: Histogram, "apiserver_flowcontrol_request_queue_length_after_enqueue", SCHEMA;
    /// The time that requests waited in queues.
    REQUEST_WAIT_DURATION_SECONDS: Histogram, "apiserver_flowcontrol_request_wait_duration_seconds", &["execute", "flow_schema", "priority_level"];
    /// The fraction of its target that every level gets which can use it.
    SEAT_FAIR_FRAC: Gauge, "apiserver_flowcontrol_seat_fair_frac", &[];
    /// The seats that a level should have for its demand.
    TARGET_SEATS: Gauge, "apiserver_flowcontrol_target_seats", LEVEL;
    /// The seats of a level when it borrows as many as it may.
    UPPER_LIMIT_SEATS: Gauge, "apiserver_flowcontrol_upper_limit_seats", LEVEL;
    /// The watches that see a write.
    WATCH_COUNT_SAMPLES: Histogram, "apiserver_flowcontrol_watch_count_samples", SCHEMA;
    /// The estimated seats of requests, the larger of initial and final seats.
    WORK_ESTIMATED_SEATS: Histogram, "apiserver_flowcontrol_work_estimated_seats", SCHEMA;
    /// The deprecated API versions that were requested since the server started, each as 1.
    REQUESTED_DEPRECATED_APIS: Gauge, "apiserver_requested_deprecated_apis", &["group", "removed_release", "resource", "subresource", "version"], stable = true;
}
