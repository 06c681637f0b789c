//! Samples of the metrics of servers, and the seats and stored objects in them.

use k8s_flowcontrol_analysis::metrics::{
    FlowMetrics, ObservedLimits, Quantity, StoredObjects, samples,
};
use k8s_flowcontrol_rules::limits::{LevelLimits, ServerLimits};
use k8s_flowcontrol_rules::seats::Stored;
use k8s_flowcontrol_types::Release;

#[test]
fn samples_with_labels_escapes_and_timestamps() {
    let text = r#"
# HELP a help
a 1.5e+09 1700000000
b{x="1,}",y="\"q\"\n" , } 2
broken{x="
c{} nothing
"#;
    let found: Vec<_> = samples(text).collect();
    assert_eq!((found[0].name, found[0].value), ("a", 1.5e9));
    assert_eq!(found[1].label("x"), Some("1,}"));
    assert_eq!(found[1].label("y"), Some("\"q\"\n"));
    assert_eq!((found[1].value, found[1].label("z")), (2.0, None));
    assert_eq!(found.len(), 2);
}

#[test]
fn the_series_of_several_servers_are_added_up() {
    let sample = |one: i64, two: i64| {
        let line = |instance, value| {
            format!(
                "apiserver_flowcontrol_rejected_requests_total{{flow_schema=\"a\",instance=\"{instance}\",priority_level=\"b\",reason=\"time-out\"}} {value}\n"
            )
        };
        FlowMetrics::parse(&(line("one", one) + &line("two", two)))
    };
    let rejected = |metrics: FlowMetrics| metrics.total(Quantity::RejectedRequests, "b");
    let before = sample(12, 11);
    assert_eq!(rejected(before.clone()), Some(23));
    assert_eq!(rejected(sample(15, 12).since(&before)), Some(4));
    assert_eq!(rejected(before.since(&before)), Some(0));
}

#[test]
fn the_average_size_is_the_total_divided_by_the_count() {
    let text = "\
apiserver_storage_objects{resource=\"deployments.apps\"} 20
apiserver_storage_objects{resource=\"events\"} -1
apiserver_resource_objects{group=\"\",resource=\"pods\"} 40
apiserver_resource_size_estimate_bytes{group=\"\",resource=\"pods\"} 400020
";
    let known = |objects, average_bytes| Stored::Known {
        objects,
        average_bytes,
    };
    let stored = StoredObjects::parse(text);
    assert_eq!(stored.of("", "pods"), known(40, 10_000));
    assert_eq!(stored.of("apps", "deployments"), known(20, 0));
    assert_eq!(stored.of("", "events"), Stored::Stale);
    assert_eq!(stored.of("", "nodes"), Stored::NotFound);
}

fn metrics(name: &str, limits: &ServerLimits, value: fn(&LevelLimits) -> i64) -> String {
    let lines = limits.levels().iter().map(|level| {
        format!(
            "apiserver_flowcontrol_{name}{{priority_level=\"{}\"}} {}\n",
            level.name,
            value(level)
        )
    });
    lines.collect()
}

#[test]
fn the_level_that_borrows_without_a_limit_shows_all_seats() {
    let release = Release::NEWEST;
    let limits = ServerLimits::new(&[], 157, release);
    let text = metrics("nominal_limit_seats", &limits, |level| level.nominal)
        + &metrics("upper_limit_seats", &limits, |level| level.maximum);
    let found = ObservedLimits::parse(&text).server_seats(&[], release);
    assert_eq!(found, Some(157));
}

#[test]
fn the_metrics_of_a_real_server() {
    let text = include_str!("../fixtures/busy/metrics-before.txt");
    let found = ObservedLimits::parse(text).server_seats(&[], Release::NEWEST);
    assert_eq!(found, Some(30));
}

#[test]
fn nominal_limits_alone_leave_few_numbers_of_which_the_roundest_is_taken() {
    let release: Release = "1.25".parse().unwrap();
    let levels = crate::built_in::levels(release);
    for seats in [150, 600, 3_000] {
        let limits = ServerLimits::new(&levels, seats, release);
        let text = metrics("request_concurrency_limit", &limits, |level| level.nominal);
        let found = ObservedLimits::parse(&text).server_seats(&levels, release);
        assert_eq!(found, Some(seats));
    }
}

#[test]
fn metrics_of_other_levels_have_no_answer() {
    let release = Release::NEWEST;
    let levels = crate::built_in::levels(release);
    let text = "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"system\"} 30\n\
                apiserver_flowcontrol_nominal_limit_seats{priority_level=\"workload-low\"} 30\n";
    assert_eq!(
        ObservedLimits::parse(text).server_seats(&levels, release),
        None
    );
    assert_eq!(
        ObservedLimits::parse("").server_seats(&levels, release),
        None
    );
}
