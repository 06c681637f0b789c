//! A server that etcd or its memory limits.

use super::support::{FULL, IDLE, Metrics, evidence, level, lines, of, queues, server};
use k8s_flowcontrol_analysis::diagnosis::{Diagnosis, Scope, Verdict, diagnose};
use k8s_flowcontrol_analysis::metrics::MachineMetrics;
use serde_json::json;
use std::time::Duration;

/// The counters of a machine, before and after a minute.
fn diagnosed(before: &str, after: &str) -> Diagnosis {
    let mut closed = queues(64, 8);
    closed["borrowingLimitPercent"] = json!(0);
    let mut lender = queues(64, 8);
    lender["lendablePercent"] = json!(50);
    let levels = vec![level("busy", closed), level("other", lender)];
    let small = Metrics {
        maximum: 10,
        ..FULL
    };
    let lends = Metrics { minimum: 2, ..IDLE };
    let mut server = server("a", &[("busy", small), ("other", lends)]);
    server.earlier = Some((server.metrics.clone().unwrap(), Duration::from_secs(60)));
    server.machine = Some(MachineMetrics::parse(after));
    server.earlier_machine = Some(MachineMetrics::parse(before));
    diagnose(&evidence(Vec::new(), levels, server), &Scope::default())
}

/// Execution and etcd: requests, seconds of the requests, calls, seconds of the calls.
fn store(requests: u32, seconds: f64, calls: u32, store: f64) -> String {
    format!(
        "apiserver_flowcontrol_request_execution_seconds_count{{priority_level=\"busy\"}} {requests}\n\
         apiserver_flowcontrol_request_execution_seconds_sum{{priority_level=\"busy\"}} {seconds}\n\
         etcd_request_duration_seconds_count{{operation=\"get\"}} {calls}\n\
         etcd_request_duration_seconds_sum{{operation=\"get\"}} {store}\n"
    )
}

/// Processor seconds: garbage collection, idle, all.
fn processor(collector: f64, idle: f64, all: f64) -> String {
    format!(
        "go_cpu_classes_gc_total_cpu_seconds_total {collector}\ngo_cpu_classes_idle_cpu_seconds_total {idle}\n\
         go_cpu_classes_total_cpu_seconds_total {all}\n"
    )
}

/// No finding advises more seats, and idle seats are not a problem of the configuration.
#[track_caller]
fn is_not_the_configuration(diagnosis: &Diagnosis, what: &str) {
    assert_eq!(diagnosis.verdict, Verdict::Overloaded, "{diagnosis:#?}");
    assert_eq!(
        of(diagnosis, "machine")[0].message,
        format!("{what} limits the API server, and not its seats")
    );
    for check in ["idle-seats", "borrowing"] {
        for finding in of(diagnosis, check) {
            assert!(
                finding
                    .action
                    .starts_with(&format!("keep the configuration: {what} limits the server")),
                "{finding:?}"
            );
        }
    }
    assert!(!of(diagnosis, "borrowing").is_empty());
}

#[test]
fn slow_calls_of_etcd_that_take_most_of_the_execution_are_the_limit() {
    let found = diagnosed(&store(100, 5.0, 300, 3.0), &store(500, 205.0, 1300, 183.0));
    is_not_the_configuration(&found, "etcd");
    assert_eq!(
        lines(of(&found, "machine")[0]),
        [
            "a: etcd_request_duration_seconds: 1000 calls took 180.0 s, 0.18 s each in 60.0 s",
            "a: apiserver_flowcontrol_request_execution_seconds: 400 requests executed for 0.50 s on average in 60.0 s",
        ]
    );
    // Fast calls, calls that are a small part of the time, and few calls are not.
    for after in [
        store(500, 205.0, 5300, 183.0),
        store(500, 605.0, 1300, 183.0),
        store(500, 205.0, 350, 183.0),
    ] {
        let found = diagnosed(&store(100, 5.0, 300, 3.0), &after);
        assert!(of(&found, "machine").is_empty(), "{after}");
        assert_eq!(found.verdict, Verdict::Misconfigured);
    }
}

#[test]
fn garbage_collection_that_takes_a_third_of_the_work_is_the_limit() {
    let found = diagnosed(
        &processor(10.0, 100.0, 200.0),
        &processor(34.0, 140.0, 300.0),
    );
    is_not_the_configuration(&found, "the memory");
    assert_eq!(
        lines(of(&found, "machine")[0])[0],
        "a: go_cpu_classes_gc_total_cpu_seconds_total: 24.0 of 60.0 processor seconds were garbage collection in 60.0 s"
    );
    // The whole time with its idle part is not the measure, and neither is the time before the interval.
    let found = diagnosed(
        &processor(90.0, 100.0, 200.0),
        &processor(102.0, 140.0, 300.0),
    );
    assert!(of(&found, "machine").is_empty(), "{found:#?}");
}
