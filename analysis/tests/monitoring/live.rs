//! The rules, checked against the metrics of servers.

use super::{OF_1_36, release};
use k8s_flowcontrol_analysis::monitoring::{
    AlertState, Holding, Monitoring, RuleCheck, RuleProblem, ServerMetrics,
};
use k8s_flowcontrol_types::Release;
use std::time::Duration;

const BEFORE: &str = include_str!("../fixtures/metrics/busy-before.txt");
const AFTER: &str = include_str!("../fixtures/metrics/busy-after.txt");
/// Seats and waiting requests 13 s after the load began.
const GAUGES: &str = include_str!("../fixtures/busy/gauges.txt");
const DELETED: &str = include_str!("../fixtures/metrics/deleted-levels.txt");

/// The levels of the server of `busy-after.txt`.
const LEVELS: [&str; 8] = [
    "batch",
    "exempt",
    "global-default",
    "leader-election",
    "node-high",
    "system",
    "workload-high",
    "workload-low",
];

/// The metrics after the load. Most series began with the first request.
fn busy() -> ServerMetrics<'static> {
    let mut server = ServerMetrics::new("10.0.0.1:6443", AFTER);
    server.earlier = Some((BEFORE, Duration::from_secs(60)));
    server
}

fn check(release_text: &str, server: ServerMetrics<'_>, levels: &[&str]) -> RuleCheck {
    Monitoring::new(release(release_text)).check(&[server], Some(levels))
}

#[track_caller]
fn state<'a>(check: &'a RuleCheck, alert: &str) -> &'a AlertState {
    let found = check.alerts.iter().find(|own| own.name == alert);
    &found.unwrap().state
}

#[track_caller]
fn holds<'a>(check: &'a RuleCheck, alert: &str) -> &'a [Holding] {
    match state(check, alert) {
        AlertState::Holds(cases) => cases,
        other => panic!("{alert}: {other:?}"),
    }
}

#[test]
fn a_recorded_server_has_every_metric_and_label_of_the_rules() {
    let check = check("1.36", busy(), &LEVELS);
    assert!(check.problems.is_empty(), "{:?}", check.problems);
    assert!(check.deleted_levels.is_empty(), "{check:?}");
    // It rejected nothing.
    assert_eq!(
        check.not_yet,
        ["apiserver_flowcontrol_rejected_requests_total"]
    );
    assert_eq!(check.found.len(), 7, "{:?}", check.found);
    assert_eq!(check.seats[0].seats, Some(30.0));

    // Of 1,509 waits of batch, 55 were longer than a second.
    let long = holds(&check, "FlowControlWaitLong");
    let levels: Vec<_> = long
        .iter()
        .map(|own| own.labels["priority_level"].as_str())
        .collect();
    assert_eq!(levels, ["batch", "global-default"]);
    assert!((1.0..2.0).contains(&long[0].value), "{long:?}");
    assert_eq!(
        long[0].summary,
        "Requests of the priority level batch wait for more than a second."
    );
    assert!(
        !long[0].description.contains("{{"),
        "{}",
        long[0].description
    );
    for quiet in [
        "FlowControlWaitNearTimeLimit",
        "FlowControlRequestsRejected",
        "FlowControlCatchAllTakesRequests",
        "FlowControlExemptTrafficSurges",
    ] {
        assert_eq!(*state(&check, quiet), AlertState::Quiet, "{quiet}");
    }
    assert_eq!(
        *state(&check, "FlowControlMetricsMissing"),
        AlertState::Unknown(
            "it is about the metrics that Prometheus has, and the servers show theirs"
        )
    );
}

#[test]
fn one_sample_tells_levels_and_not_rates() {
    let check = check("1.36", ServerMetrics::new("a", GAUGES), &LEVELS);
    assert!(check.problems.is_empty(), "{:?}", check.problems);
    let exhausted = holds(&check, "FlowControlBorrowingExhausted");
    assert_eq!(exhausted[0].labels["priority_level"], "batch");
    assert_eq!(
        *state(&check, "FlowControlSeatsIdleWhileRequestsWait"),
        AlertState::Quiet
    );
    let without_rates = check_text(&format!("{GAUGES}{AFTER}"));
    assert_eq!(
        *state(&without_rates, "FlowControlWaitLong"),
        AlertState::Unknown("a rate needs two samples")
    );
}

fn check_text(text: &str) -> RuleCheck {
    check("1.36", ServerMetrics::new("a", text), &LEVELS)
}

/// Seats in use of levels, as lines of metrics.
fn in_use(levels: &[(&str, u32)]) -> String {
    let lines = levels.iter().map(|(level, seats)| {
        format!("apiserver_flowcontrol_current_executing_seats{{flow_schema=\"{level}\",priority_level=\"{level}\"}} {seats}\n")
    });
    lines.collect()
}

#[test]
fn the_series_of_deleted_levels_are_recognized_and_not_counted() {
    let text = format!(
        "{DELETED}{}",
        in_use(&[("workload-low", 400), ("system", 160)])
    );
    let existing: Vec<_> = LEVELS[1..]
        .iter()
        .copied()
        .chain(["met-30-r0", "met-30-r1", "met-30-r2", "met-30-r3"])
        .collect();
    let check = check("1.36", ServerMetrics::new("a", &text), &existing);
    assert!(check.problems.is_empty(), "{:?}", check.problems);
    assert_eq!(check.deleted_levels.len(), 27, "{:?}", check.deleted_levels);
    assert!(
        check
            .deleted_levels
            .iter()
            .all(|name| name.starts_with("met-"))
    );
    // The sum of all limits would hide that the server is full.
    assert_eq!(check.seats[0].seats, Some(600.0));
    assert_eq!(check.seats[0].sum, 3531.0);
    let full = holds(&check, "FlowControlServerSaturated");
    assert!((full[0].value - 560.0 / 600.0).abs() < 1e-9, "{full:?}");
    assert!(
        full[0].description.contains("93.33% of the seats of a."),
        "{}",
        full[0].description
    );
}

/// Before 1.26 no metric tells the seats, and only levels with requests count.
#[test]
fn deleted_levels_do_not_count_before_lending_either() {
    let limit = |level: &str, seats: u32| {
        format!(
            "apiserver_flowcontrol_request_concurrency_limit{{priority_level=\"{level}\"}} {seats}\n"
        )
    };
    let text = [
        limit("workload-low", 245),
        limit("deleted", 400),
        "apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"a\",priority_level=\"workload-low\"} 7\n".to_owned(),
        "apiserver_flowcontrol_request_concurrency_in_use{flow_schema=\"a\",priority_level=\"workload-low\"} 240\n".to_owned(),
    ]
    .concat();
    let check = check("1.25", ServerMetrics::new("a", &text), &["workload-low"]);
    assert_eq!(check.deleted_levels, ["deleted"]);
    assert_eq!(
        (check.seats[0].seats, check.seats[0].sum),
        (Some(245.0), 645.0)
    );
    holds(&check, "FlowControlServerSaturated");
}

#[test]
fn an_alert_about_a_deleted_level_is_a_problem() {
    let waits = "apiserver_flowcontrol_current_inqueue_requests{flow_schema=\"x\",priority_level=\"gone\"} 3\n\
        apiserver_flowcontrol_nominal_limit_seats{priority_level=\"gone\"} 5\n";
    let text = format!("{AFTER}{waits}");
    let check = check_text(&text);
    let problem = check
        .problems
        .iter()
        .find(|own| matches!(own, RuleProblem::DeletedLevel { .. }));
    assert_eq!(
        problem.unwrap().to_string(),
        "FlowControlSeatsIdleWhileRequestsWait is about the deleted level gone"
    );
}

#[test]
fn metrics_of_another_release_are_a_problem() {
    let check = check("1.25", busy(), &LEVELS);
    let problems: Vec<_> = check.problems.iter().map(ToString::to_string).collect();
    assert!(
        problems[0].starts_with("10.0.0.1:6443 does not have the metric apiserver_flowcontrol_request_concurrency_limit of FlowControlMetricsMissing, instance"),
        "{problems:#?}"
    );
    assert_eq!(
        problems[1],
        "10.0.0.1:6443 has the metric apiserver_flowcontrol_current_limit_seats, which the release of the rules does not have"
    );
    holds(&check, "FlowControlMetricsMissing");
}

#[test]
fn a_label_that_no_series_has_is_a_problem() {
    let text = AFTER.replace("flow_schema=", "flowSchema=");
    let check = check_text(&text);
    let problems: Vec<_> = check.problems.iter().map(ToString::to_string).collect();
    assert!(
        problems.iter().any(|own| own
            == "no series of flow_schema_priority_level:apiserver_flowcontrol_dispatched_requests:rate5m has the label flow_schema"),
        "{problems:#?}"
    );
}

/// Counters that were zero a minute ago.
fn counted(counters: &[(String, u32)]) -> RuleCheck {
    let text = |zero: bool| -> String {
        let value = |count: u32| if zero { 0 } else { count };
        let lines = counters.iter();
        lines
            .map(|(series, count)| format!("apiserver_flowcontrol_{series} {}\n", value(*count)))
            .collect()
    };
    let (before, after) = (text(true), text(false));
    let mut server = ServerMetrics::new("a", &after);
    server.earlier = Some((&before, Duration::from_secs(60)));
    check("1.36", server, &["batch", "slow", "slower", "catch-all"])
}

/// The texts of alerts have labels and values as Prometheus writes them, and the advice for the reason.
#[test]
fn the_texts_of_alerts_are_complete() {
    let labels = |level: &str| format!("flow_schema=\"{level}\",priority_level=\"{level}\"");
    let rejected = |reason: &str| {
        let labels = labels("batch");
        format!("rejected_requests_total{{{labels},reason=\"{reason}\"}}")
    };
    let dispatched = |level| format!("dispatched_requests_total{{{}}}", labels(level));
    let wait = |level, le| {
        let labels = labels(level);
        format!("request_wait_duration_seconds_bucket{{{labels},le=\"{le}\"}}")
    };
    let check = counted(&[
        (dispatched("batch"), 332_544),
        (rejected("queue-full"), 123_456),
        (rejected("time-out"), 50_000),
        (rejected("concurrency-limit"), 400_000),
        (rejected("odd"), 90_000),
        (rejected("cancelled"), 4_000),
        (dispatched("catch-all"), 15),
        (wait("slow", "1"), 0),
        (wait("slow", "2"), 100),
        (wait("slow", "+Inf"), 100),
        (wait("slower", "60"), 0),
        (wait("slower", "90"), 100),
        (wait("slower", "+Inf"), 100),
    ]);
    let texts = |alert| -> Vec<_> {
        let cases = holds(&check, alert).iter();
        cases.map(|case| case.description.as_str()).collect()
    };
    let rejections = texts("FlowControlRequestsRejected");
    for (text, (start, advice)) in rejections.iter().zip([
        ("40% of the requests of the priority level batch get the status 429 with the reason concurrency-limit. ", "The level does not queue requests"),
        ("9% of the requests of the priority level batch get the status 429 with the reason odd. ", "`kubectl flowcontrol top` shows"),
        ("12.35% of the requests of the priority level batch get the status 429 with the reason queue-full. ", "The queues of some flows are full"),
        ("5% of the requests of the priority level batch get the status 429 with the reason time-out. ", "The requests waited as long"),
    ]) {
        let rest = text.strip_prefix(start);
        assert!(rest.is_some_and(|rest| rest.starts_with(advice)), "{text}");
        // One advice, and the text after it.
        assert_eq!(text.matches("kubectl flowcontrol diagnose").count(), 1);
        let advices = ["does not queue", "top` shows", "queues of some", "waited as long"];
        let found = advices.iter().filter(|advice| text.contains(*advice));
        assert_eq!(found.count(), 1, "{text}");
    }
    assert_eq!(rejections.len(), 4, "{rejections:#?}");
    let waits = texts("FlowControlWaitLong");
    assert!(waits[0].contains("waits for 1.99s or longer"), "{waits:#?}");
    assert!(
        waits[1].contains("waits for 1m 29s or longer"),
        "{waits:#?}"
    );
    let few = texts("FlowControlCatchAllTakesRequests");
    assert!(
        few[0].contains("takes 250m requests per second"),
        "{few:#?}"
    );
    let many = counted(&[(dispatched("catch-all"), 1234 * 60)]);
    let many = holds(&many, "FlowControlCatchAllTakesRequests");
    assert!(
        many[0].description.contains("takes 1.234k requests"),
        "{many:#?}"
    );
}

/// The rules of every release are read completely, and a server without metrics breaks nothing.
#[test]
fn every_rule_of_every_release_can_be_evaluated() {
    for release in Release::all() {
        let monitoring = Monitoring::new(release);
        let check = monitoring.check(&[ServerMetrics::new("a", "")], None);
        for problem in &check.problems {
            assert!(
                matches!(problem, RuleProblem::MissingMetric { .. }),
                "{release}: {problem}"
            );
        }
        assert!(!check.problems.is_empty());
        holds(&check, "FlowControlMetricsMissing");
        let alerts = monitoring.rules().to_string().matches("\"alert\":").count();
        assert_eq!(check.alerts.len(), alerts);
    }
    // The names of the table, without values.
    let broken = Monitoring::new(release("1.36")).check(&[ServerMetrics::new("a", OF_1_36)], None);
    assert!(broken.seats[0].seats.is_none());
}
