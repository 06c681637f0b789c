//! The metrics of a server that queues and rejects requests.

use super::{TOKENS, occupy, queue, request, server, text, until};
use crate::api::support::{Api, GROUP, SCHEMAS};
use serde_json::json;
use std::collections::BTreeSet;

/// The value of a line of the metrics; 0 without it.
pub(super) fn value(metrics: &str, line: &str) -> f64 {
    let found = metrics.lines().find_map(|text| text.strip_prefix(line));
    found.map_or(0.0, |rest| rest.trim().parse().unwrap())
}

#[tokio::test]
async fn waits_and_executions_are_measured() {
    let api = server(queue()).await;
    let slow = occupy(&api).await;
    let path = format!("/apis/{GROUP}/{SCHEMAS}/bob");
    let second = request(&api, "bob", &path);
    let second = crate::spawn(async move { second.send().await.code() });
    until(&api, 1, 1).await;
    assert_eq!(request(&api, "bob", &path).send().await.code(), 429);
    let metrics = text(&api, "/metrics").await;
    let labels = "{flow_schema=\"bob\",priority_level=\"narrow\"";
    let of = |name: &str, more: &str| {
        let line = format!("apiserver_flowcontrol_{name}{labels}{more}}} ");
        value(&metrics, &line)
    };
    assert_eq!(of("current_executing_seats", ""), 1.0);
    assert_eq!(of("current_inqueue_seats", ""), 1.0);
    assert_eq!(of("work_estimated_seats_count", ""), 3.0);
    // A bound belongs to its bucket.
    assert_eq!(of("work_estimated_seats_bucket", ",le=\"1\""), 3.0);
    assert_eq!(of("work_estimated_seats_sum", ""), 3.0);
    assert_eq!(of("request_queue_length_after_enqueue_sum", ""), 2.0);
    let waits = "request_wait_duration_seconds_count";
    assert_eq!(of(waits, ",execute=\"false\""), 1.0);
    assert_eq!(of(waits, ",execute=\"true\""), 1.0);
    slow.abort();
    assert_eq!(second.await.unwrap(), 200);
    let metrics = text(&api, "/metrics").await;
    let of = |name: &str, more: &str| {
        let line = format!("apiserver_flowcontrol_{name}{labels}{more}}} ");
        value(&metrics, &line)
    };
    assert_eq!(of(waits, ",execute=\"true\""), 2.0);
    assert!(of("request_wait_duration_seconds_sum", ",execute=\"true\"") > 0.0);
    let executions = "request_execution_seconds_count";
    assert_eq!(of(executions, ",type=\"regular\""), 2.0);
    assert_eq!(of("current_inqueue_seats", ""), 0.0);
    // The level was busy for a part of its time, of which every nanosecond counts.
    let level = "{phase=\"executing\",priority_level=\"narrow\"";
    let name = "apiserver_flowcontrol_priority_level_seat_utilization";
    let idle = value(&metrics, &format!("{name}_bucket{level},le=\"0\"}} "));
    let all = value(&metrics, &format!("{name}_count{level}}} "));
    assert!(idle > 0.0 && all > idle && all > 1e6, "{idle} of {all}");
    // The one queue in which a request waited was served after the work of its first request.
    let of = |name: &str, labels: &str| {
        let line = format!("apiserver_flowcontrol_{name}{{{labels}priority_level=\"narrow\"}} ");
        value(&metrics, &line)
    };
    let start = of("latest_s", "");
    assert!(start > 0.0 && of("dispatch_r", "") > 0.0, "{start}");
    for bound in ["bound=\"max\",", "bound=\"min\","] {
        assert_eq!(of("next_s_bounds", bound), start);
        assert_eq!(of("next_discounted_s_bounds", bound), start);
    }
}

/// The current limit is the whole, and a tenth of all seats for a level without a limit: exempt has 2 of 20.
#[tokio::test]
async fn seats_and_demand_are_parts_of_the_current_limit() {
    let api = server(queue()).await;
    for _ in 0..3 {
        text(&api, "/version").await;
    }
    let metrics = text(&api, "/metrics").await;
    for (name, phase, bound) in [
        (
            "priority_level_seat_utilization",
            "phase=\"executing\",",
            "0.5",
        ),
        (
            "priority_level_request_utilization",
            "phase=\"executing\",",
            "0.5",
        ),
        ("demand_seats", "", "0.6"),
    ] {
        let of = |part: &str, more: &str| {
            let line = format!(
                "apiserver_flowcontrol_{name}_{part}{{{phase}priority_level=\"exempt\"{more}}} "
            );
            value(&metrics, &line)
        };
        let all = of("count", "");
        assert!(of("sum", "") > 0.0 && all > 0.0, "{name}");
        assert_eq!(of("bucket", &format!(",le=\"{bound}\"")), all, "{name}");
    }
}

/// The metrics of a busy kube-apiserver 1.36, except the metrics of reads and writes.
const RECORDED: [&str; 29] = [
    "current_executing_requests",
    "current_executing_seats",
    "current_inqueue_requests",
    "current_inqueue_seats",
    "current_limit_seats",
    "current_r",
    "demand_seats",
    "demand_seats_average",
    "demand_seats_high_watermark",
    "demand_seats_smoothed",
    "demand_seats_stdev",
    "dispatch_r",
    "dispatched_requests_total",
    "latest_s",
    "lower_limit_seats",
    "next_discounted_s_bounds",
    "next_s_bounds",
    "nominal_limit_seats",
    "priority_level_request_utilization",
    "priority_level_seat_utilization",
    "rejected_requests_total",
    "request_execution_seconds",
    "request_queue_length_after_enqueue",
    "request_wait_duration_seconds",
    "seat_fair_frac",
    "target_seats",
    "upper_limit_seats",
    "watch_count_samples",
    "work_estimated_seats",
];

#[tokio::test]
async fn the_metrics_have_the_names_of_a_server() {
    let api = server(queue()).await;
    let count = |metrics: &str, name: &str| {
        let line = format!("# TYPE apiserver_flowcontrol_{name} ");
        metrics.matches(&line).count()
    };
    // A level that was not used does not have a last dispatch.
    let used = request(&api, "bob", "/version").send().await;
    assert_eq!(used.code(), 200);
    let metrics = text(&api, "/metrics").await;
    for name in RECORDED {
        assert_eq!(count(&metrics, name), 1, "{name}");
    }
    // The buckets of a histogram add up to its count.
    let mut below = 0.0;
    let mut histograms = 0;
    for line in metrics.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        let value: f64 = value.parse().unwrap();
        if name.contains("_bucket{") {
            assert!(value >= below, "{line}");
            below = value;
        } else if name.contains("_count{") {
            assert_eq!(value, std::mem::take(&mut below), "{line}");
            histograms += 1;
        }
    }
    assert!(histograms > 10, "{histograms}");
    api.server.upgrade("1.27").await.unwrap();
    let metrics = text(&api, "/metrics").await;
    assert_eq!(count(&metrics, "request_concurrency_in_use"), 1);
    assert_eq!(count(&metrics, "current_executing_seats"), 0);
}

#[tokio::test]
async fn writes_take_final_seats_for_their_watches() {
    let api = server(queue()).await;
    let path = format!("/apis/{GROUP}/{SCHEMAS}");
    let mut watches = Vec::new();
    for _ in 0..11 {
        let watch = request(&api, "admin", &format!("{path}?watch=1"));
        watches.push(watch.send().await);
    }
    let patch = || {
        api.request("PATCH", &format!("{path}/bob"))
            .header("authorization", "Bearer bob")
            .header("content-type", "application/merge-patch+json")
            .body(json!({"metadata": {"labels": {"a": "b"}}}).to_string())
    };
    assert_eq!(patch().send().await.code(), 200);
    let labels = "{flow_schema=\"bob\",priority_level=\"narrow\"";
    let seen = |metrics: &str| {
        let line = format!("apiserver_flowcontrol_watch_count_samples_sum{labels}}} ");
        value(metrics, &line)
    };
    // The server's own watches do not count.
    assert_eq!(seen(&text(&api, "/metrics").await), 11.0);
    drop(watches);
    // A dropped watch is noticed when the next line is written.
    while {
        let before = seen(&text(&api, "/metrics").await);
        assert_eq!(patch().send().await.code(), 200);
        seen(&text(&api, "/metrics").await) > before
    } {
        tokio::task::yield_now().await;
    }
    until(&api, 0, 0).await;
}

#[tokio::test]
async fn buckets_are_those_of_the_release() {
    let bounds = |metrics: &str, name: &str| {
        let start = format!("apiserver_flowcontrol_{name}_bucket{{");
        let lines = metrics.lines().filter(|line| line.starts_with(&start));
        let bounds = lines.filter_map(|line| Some(line.split_once("le=\"")?.1.split_once('"')?.0));
        bounds.map(str::to_owned).collect::<BTreeSet<_>>()
    };
    for (release, has_15, most_seats) in [("1.27", false, "10"), ("1.36", true, "100")] {
        let api = Api::with(|builder| {
            let builder = builder.kubernetes(release).flow_control(true);
            builder.tokens(TOKENS)
        })
        .await;
        let path = format!("/apis/{GROUP}");
        assert_eq!(request(&api, "bob", &path).send().await.code(), 200);
        let metrics = text(&api, "/metrics").await;
        let executions = bounds(&metrics, "request_execution_seconds");
        assert!(executions.contains("10"), "{release}: {metrics}");
        assert_eq!(executions.contains("15"), has_15, "{release}");
        let seats = bounds(&metrics, "work_estimated_seats");
        assert!(seats.contains(most_seats), "{release}: {seats:?}");
        assert_eq!(seats.contains("10"), most_seats == "10", "{release}");
    }
}
