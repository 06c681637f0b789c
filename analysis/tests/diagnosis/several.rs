//! Two recorded servers, of which one has wide lists and requests of a node in the level of a Helm release.

use super::recorded::show;
use super::support::{lines, objects, of};
use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::diagnosis::{
    Evidence, LogTally, Scope, ServerEvidence, Severity, Verdict, diagnose,
};
use k8s_flowcontrol_analysis::dumps::{parse_priority_levels, parse_requests};
use k8s_flowcontrol_analysis::metrics::FlowMetrics;
use k8s_flowcontrol_types::Release;
use std::time::Duration;

/// The server with load.
pub(super) fn first() -> Evidence {
    let (schemas, levels) = objects(include_str!("../fixtures/wide/objects.json"));
    let metrics = FlowMetrics::parse(include_str!("../fixtures/wide/metrics.txt"));
    let before = FlowMetrics::parse(include_str!("../fixtures/wide/metrics-before.txt"));
    let mut server = ServerEvidence::new("first");
    server.metrics = Some(metrics);
    server.earlier = Some((before, Duration::from_millis(3040)));
    let requests = parse_requests(include_str!("../fixtures/wide/requests.txt"));
    server.requests = Some(requests.unwrap().rows);
    let levels_now = parse_priority_levels(include_str!("../fixtures/wide/priority-levels.txt"));
    server.priority_levels = Some(levels_now.unwrap().rows);
    let mut evidence = Evidence::new(Release::nearest(36), schemas, levels);
    evidence.servers.push(server);
    evidence
}

/// Both servers.
pub(super) fn both() -> Evidence {
    let mut evidence = first();
    let mut server = ServerEvidence::new("second");
    let metrics = FlowMetrics::parse(include_str!("../fixtures/wide/metrics-second.txt"));
    server.metrics = Some(metrics);
    evidence.servers.push(server);
    evidence
}

#[test]
fn lists_that_are_wider_than_the_free_seats() {
    let diagnosis = diagnose(&first(), &Scope::default());
    let found = of(&diagnosis, "wide-requests");
    assert_eq!(found.len(), 1, "{}", show(&diagnosis));
    assert_eq!(
        (found[0].severity, found[0].message.as_str()),
        (
            // The level is full, and its limit and not the width of the lists is the problem.
            Severity::Note,
            "requests of priority level reports wait although 1 seat is free: a request that waits takes 2 seats"
        )
    );
    assert_eq!(
        lines(found[0]).last().unwrap(),
        "first: dump_requests: the largest InitialSeats or FinalSeats of a waiting request of reports: 2"
    );
    assert_eq!(diagnosis.verdict, Verdict::Misconfigured);
    let messages = ["idle-seats", "borrowing"].map(|check| &of(&diagnosis, check)[0].message);
    assert_eq!(
        messages,
        [
            // The moment of the dump, which has the widths too.
            "6 requests of priority level reports wait for its 13 seats, while other levels can lend 9 of 30 seats",
            "priority level reports may not borrow seats: its borrowingLimitPercent is 0",
        ]
    );
}

#[test]
fn a_level_that_a_helm_release_owns() {
    let diagnosis = diagnose(&first(), &Scope::default());
    let found = of(&diagnosis, "ownership");
    assert_eq!(found.len(), 1, "{}", show(&diagnosis));
    assert_eq!(
        (found[0].severity, found[0].message.as_str()),
        (
            Severity::Note,
            "Helm owns FlowSchema reports, PriorityLevelConfiguration reports"
        )
    );
}

#[test]
fn requests_of_a_node_in_a_level_with_waiting_requests() {
    let mut evidence = first();
    let scope = Scope::default();
    let found = diagnose(&evidence, &scope);
    let system = of(&found, "system-traffic");
    assert_eq!(system.len(), 1, "{}", show(&found));
    assert_eq!(system[0].severity, Severity::Problem);
    assert!(
        system[0]
            .message
            .starts_with("FlowSchema inventory takes requests of node heartbeats"),
        "{}",
        system[0].message
    );
    // The requests themselves are in the log.
    let (schemas, levels) = (&evidence.flow_schemas, &evidence.priority_levels);
    let mut tally = LogTally::new(schemas, levels, evidence.release, &scope);
    let log = include_bytes!("../fixtures/wide/audit.log");
    let read = AuditLog::new().read(&log[..], |event| {
        tally.add(event);
        Ok::<(), std::io::Error>(())
    });
    read.unwrap();
    evidence.log = Some(tally);
    let found = diagnose(&evidence, &scope);
    let in_log = of(&found, "system-traffic");
    let in_log = in_log
        .iter()
        .find(|found| found.message.starts_with("in the audit logs"));
    assert_eq!(
        lines(in_log.unwrap()),
        [
            "audit log: requests of the built-in FlowSchema system-node-high that FlowSchema inventory took: 3"
        ]
    );
}

#[test]
fn requests_wait_on_one_of_two_servers() {
    let diagnosis = diagnose(&both(), &Scope::default());
    let found = of(&diagnosis, "uneven-servers");
    assert_eq!(found.len(), 1, "{}", show(&diagnosis));
    assert_eq!(
        found[0].message,
        "requests of priority level reports wait or are rejected on first only, while it has free seats on second"
    );
    assert_eq!(
        lines(found[0]),
        [
            "first: dump_requests: waiting requests of reports: 6",
            "second: apiserver_flowcontrol_current_executing_seats{priority_level=\"reports\"} is 0",
            "second: apiserver_flowcontrol_current_limit_seats{priority_level=\"reports\"} is 13",
            "first: sum(apiserver_flowcontrol_dispatched_requests_total{priority_level=\"reports\"}) is 560 since the server started",
            "second: sum(apiserver_flowcontrol_dispatched_requests_total{priority_level=\"reports\"}) is 0 since the server started",
        ]
    );
}
