//! The checks, one by one.

use super::support::{
    FULL, IDLE, Metrics, evidence, group, level, lines, metrics, of, queues, schema, server,
};
use k8s_flowcontrol_analysis::diagnosis::{
    Evidence, Scope, ServerEvidence, Severity, Verdict, checks, diagnose,
};
use k8s_flowcontrol_types::Release;
use serde_json::json;
use std::time::Duration;

fn two_levels(busy: Metrics, other: Metrics) -> Evidence {
    let mut lender = queues(64, 8);
    lender["lendablePercent"] = json!(50);
    let levels = vec![level("busy", queues(64, 8)), level("other", lender)];
    let none = Metrics::default();
    let server = server(
        "a",
        &[("busy", busy), ("other", other), ("catch-all", none)],
    );
    evidence(Vec::new(), levels, server)
}

#[test]
fn busy_seats_are_an_overload_and_idle_seats_are_a_misconfiguration() {
    let full = Metrics { waiting: 0, ..FULL };
    let overload = diagnose(&two_levels(FULL, full), &Scope::default());
    assert_eq!(overload.verdict, Verdict::Overloaded);
    assert!(
        overload.summary.contains("priority level busy"),
        "{}",
        overload.summary
    );
    assert!(of(&overload, "idle-seats").is_empty());
    // A level at its maximum, and another level that would lend.
    let small = Metrics {
        maximum: 10,
        ..FULL
    };
    let lender = Metrics { minimum: 2, ..IDLE };
    let idle = diagnose(&two_levels(small, lender), &Scope::default());
    assert_eq!(idle.verdict, Verdict::Misconfigured);
    assert!(of(&idle, "overload").is_empty());
    assert!(
        of(&idle, "idle-seats")[0]
            .message
            .contains("while other levels can lend 8 of 20 seats"),
        "{:?}",
        idle.findings
    );

    // Seats that are guaranteed to other levels are not to be had: the shares are not wrong.
    let guaranteed = diagnose(&two_levels(FULL, IDLE), &Scope::default());
    assert_eq!(guaranteed.verdict, Verdict::Overloaded);
    assert!(of(&guaranteed, "idle-seats").is_empty());
    assert!(
        of(&guaranteed, "overload")[0].message.ends_with(
            "can lend only 0 seats; they do not use 9 seats that are guaranteed to them"
        ),
        "{:?}",
        guaranteed.findings
    );
    // Only once.
    assert!(of(&guaranteed, "borrowing").is_empty());
    let healthy = diagnose(&two_levels(IDLE, IDLE), &Scope::default());
    assert_eq!(healthy.verdict, Verdict::Healthy, "{:?}", healthy.findings);
}

#[test]
fn seats_that_other_levels_can_lend_are_no_obstacle() {
    let lender = Metrics { minimum: 2, ..IDLE };
    let diagnosis = diagnose(&two_levels(FULL, lender), &Scope::default());
    // The level gets them at the next adjustment.
    for check in ["borrowing", "idle-seats", "overload"] {
        assert!(of(&diagnosis, check).is_empty(), "{:?}", diagnosis.findings);
    }
    assert_eq!(diagnosis.verdict, Verdict::Rejecting);
    // The same without rejections.
    let queued = Metrics {
        rejected: 0,
        ..FULL
    };
    let diagnosis = diagnose(&two_levels(queued, lender), &Scope::default());
    assert_eq!(diagnosis.verdict, Verdict::Waiting);
    assert_eq!(diagnosis.summary, "Requests wait in priority level busy.");
}

#[test]
fn a_level_that_may_not_borrow() {
    let mut limited = queues(64, 8);
    limited["borrowingLimitPercent"] = json!(0);
    let server = server("a", &[("busy", FULL)]);
    let evidence = evidence(Vec::new(), vec![level("busy", limited)], server);
    let diagnosis = diagnose(&evidence, &Scope::default());
    let finding = of(&diagnosis, "borrowing")[0];
    assert_eq!(
        lines(finding),
        ["PriorityLevelConfiguration busy: spec.limited.borrowingLimitPercent is 0"]
    );
}

#[test]
fn counters_are_increases_between_two_samples() {
    let mut evidence = two_levels(IDLE, IDLE);
    let later = Metrics {
        rejected: 7,
        ..IDLE
    };
    let earlier = Metrics {
        rejected: 4,
        ..IDLE
    };
    let server = &mut evidence.servers[0];
    server.metrics = Some(metrics(&[("busy", later), ("other", earlier)]));
    server.earlier = Some((
        metrics(&[("busy", earlier), ("other", earlier)]),
        Duration::from_secs(2),
    ));
    let diagnosis = diagnose(&evidence, &Scope::default());
    let findings = of(&diagnosis, "rejections");
    assert_eq!(findings[0].severity, Severity::Problem);
    assert!(
        findings[0]
            .message
            .starts_with("3 requests of priority level busy were rejected"),
        "{:?}",
        findings[0]
    );
    assert!(
        lines(findings[0])[0].ends_with("increased by 3 in 2.0 s"),
        "{:?}",
        findings[0]
    );
    // The other level rejected requests before.
    assert_eq!(
        (findings[1].severity, findings[1].priority_level.as_deref()),
        (Severity::Note, Some("other"))
    );
    assert_eq!(diagnosis.verdict, Verdict::Rejecting);
}

#[test]
fn the_guard_of_a_vendor() {
    let guard = schema(
        "aks-managed-apiserver-guard",
        "aks-managed-apiserver-guard",
        9000,
        group("system:serviceaccounts"),
    );
    let levels = vec![level("aks-managed-apiserver-guard", queues(64, 8))];
    let evidence = evidence(
        vec![guard],
        levels,
        server("a", &[("aks-managed-apiserver-guard", FULL)]),
    );
    let diagnosis = diagnose(&evidence, &Scope::default());
    let ownership = of(&diagnosis, "ownership");
    assert_eq!(ownership[0].severity, Severity::Problem);
    assert!(
        ownership[0]
            .message
            .starts_with("Azure AKS throttles clients with its guard FlowSchema")
    );
    assert_eq!(
        ownership[1].message,
        "Azure AKS owns PriorityLevelConfiguration aks-managed-apiserver-guard"
    );
}

#[test]
fn wide_requests_wait_although_seats_are_free() {
    let busy = Metrics {
        in_use: 4,
        waiting: 1,
        ..FULL
    };
    let mut server = server("a", &[("busy", busy)]);
    let text = "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats\n\
                busy, busy, 0, -1, alice, 2026-11-20T15:57:05.399662206Z, 4\n\
                busy, busy, 0, 0, alice, 2026-11-20T15:57:05.399662206Z, 8\n";
    server.requests = Some(
        k8s_flowcontrol_analysis::dumps::parse_requests(text)
            .unwrap()
            .rows,
    );
    let evidence = evidence(Vec::new(), vec![level("busy", queues(64, 8))], server);
    let diagnosis = diagnose(&evidence, &Scope::default());
    let finding = of(&diagnosis, "wide-requests")[0];
    assert!(
        finding
            .message
            .contains("although 6 seats are free: a request that waits takes 8 seats"),
        "{}",
        finding.message
    );
    assert_eq!(diagnosis.verdict, Verdict::Misconfigured);
}

#[test]
fn servers_with_different_loads() {
    let mut evidence = two_levels(FULL, FULL);
    evidence
        .servers
        .push(server("b", &[("busy", IDLE), ("other", IDLE)]));
    let diagnosis = diagnose(
        &evidence,
        &Scope {
            level: Some("busy"),
            ..Scope::default()
        },
    );
    let finding = of(&diagnosis, "uneven-servers")[0];
    assert!(
        finding
            .message
            .contains("on a only, while it has free seats on b"),
        "{}",
        finding.message
    );
    let servers: Vec<_> = diagnosis
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Problem)
        .filter_map(|finding| finding.server.as_deref())
        .collect();
    assert!(servers.iter().all(|server| *server == "a"), "{servers:?}");
}

#[test]
fn missing_evidence_is_listed() {
    let mut evidence = Evidence::new(Release::NEWEST, Vec::new(), Vec::new());
    let nothing = diagnose(&evidence, &Scope::default());
    assert_eq!(nothing.verdict, Verdict::Unknown);
    let gaps: Vec<_> = nothing.gaps.iter().map(ToString::to_string).collect();
    assert_eq!(
        gaps,
        [
            "the load of the API servers: no server responded",
            "past requests: no audit log was given"
        ]
    );
    evidence.servers.push(ServerEvidence::new("a"));
    let scope = Scope {
        level: Some("typo"),
        ..Scope::default()
    };
    let gaps = diagnose(&evidence, &scope).gaps;
    assert_eq!(gaps[1].what, "priority level typo");
}

#[test]
fn checks_have_different_ids() {
    let mut ids: Vec<_> = checks().iter().map(|check| check.id()).collect();
    assert!(checks().iter().all(|check| check.summary().ends_with('.')));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), checks().len());
}

#[test]
fn unknown_groups_of_a_user_are_not_a_healthy_user() {
    let mut evidence = two_levels(FULL, IDLE);
    evidence.flow_schemas = vec![schema("team", "busy", 500, group("team"))];
    let alice = k8s_flowcontrol_rules::matching::User::named("alice");
    let known = Scope {
        user: Some(&alice),
        ..Scope::default()
    };
    let unknown = Scope {
        any_groups: true,
        ..known
    };
    // Without the group none of her requests gets the level that is full.
    let diagnosis = diagnose(&evidence, &known);
    assert_eq!(diagnosis.verdict, Verdict::Healthy);
    assert_eq!(
        diagnosis.summary,
        "No request waits or is rejected now in catch-all."
    );
    let diagnosis = diagnose(&evidence, &unknown);
    assert_eq!(diagnosis.verdict, Verdict::Overloaded);
    let gap = diagnosis
        .gaps
        .iter()
        .find(|gap| gap.what == "the groups of user alice");
    assert!(gap.unwrap().why.contains("busy, catch-all"), "{gap:?}");
    let own = of(&diagnosis, "user-requests")[0];
    assert!(own.message.contains("might get FlowSchema team"), "{own:?}");
    // The subjects, of which nobody knows whether they are alice's.
    let subjects = "FlowSchema team: spec.rules[0].subjects is group team";
    assert!(lines(own).iter().any(|line| line == subjects), "{own:?}");
}

#[test]
fn a_level_that_does_not_exist_is_not_healthy() {
    let scope = Scope {
        level: Some("nope"),
        ..Scope::default()
    };
    let diagnosis = diagnose(&two_levels(IDLE, IDLE), &scope);
    assert_eq!(diagnosis.verdict, Verdict::Unknown);
    assert!(
        diagnosis
            .summary
            .contains("priority level nope does not exist"),
        "{}",
        diagnosis.summary
    );
}

/// The rejections of a debug dump, with its columns RejectedRequests, TimedoutRequests and CancelledRequests.
fn rejections_of_dump(release: &str, counts: [u8; 3]) -> Vec<String> {
    let [rejected, timed_out, cancelled] = counts;
    let text = format!(
        "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n\
         load-zero-queue, 0, true, false, 0, 0, 0, {rejected}, {timed_out}, {cancelled}\n"
    );
    let levels = k8s_flowcontrol_analysis::dumps::parse_priority_levels(&text);
    let mut server = ServerEvidence::new("a");
    server.priority_levels = Some(levels.unwrap().rows);
    let level = level("load-zero-queue", queues(1, 1));
    let mut evidence = evidence(Vec::new(), vec![level], server);
    evidence.release = release.parse().unwrap();
    let found = diagnose(&evidence, &Scope::default());
    let findings = of(&found, "rejections").into_iter();
    let timed_out = findings
        .clone()
        .filter(|finding| finding.message.contains("long time"));
    for finding in timed_out {
        // Before 1.29 the timeout of a request does not shorten its wait.
        let is_own = !finding.action.contains("--request-timeout");
        assert_eq!(is_own, release != "1.28", "{}", finding.action);
    }
    findings.map(|finding| finding.message.clone()).collect()
}

/// Recorded on 1.36: a full queue rejected one request, and two waited for 15 seconds in vain. Up to 1.28, clients that leave have a column of their own.
#[test]
fn rejections_of_a_dump_count_once() {
    assert_eq!(
        rejections_of_dump("1.36", [3, 0, 2]),
        [
            "1 request of priority level load-zero-queue was rejected since the server started",
            "2 requests of priority level load-zero-queue were rejected after a long time in a queue, or cancelled by their clients, \
             since the server started",
        ]
    );
    assert_eq!(
        rejections_of_dump("1.28", [6, 2, 3]),
        [
            "1 request of priority level load-zero-queue was rejected since the server started",
            "2 requests of priority level load-zero-queue were rejected after a long time in a queue (time-out) since the server started",
            "3 requests of priority level load-zero-queue were cancelled by their clients while they waited (cancelled) since the server started",
        ]
    );
}

/// A write takes the larger of its seats from its dispatch on.
#[test]
fn executing_writes_of_a_dump_take_their_final_seats() {
    let quiet = Metrics {
        in_use: 0,
        waiting: 0,
        ..FULL
    };
    let mut server = server("a", &[("busy", quiet)]);
    let text = "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats, FinalSeats\n\
                busy, busy, 0, -1, alice, 2026-11-20T15:57:05.399662206Z, 1, 10\n\
                busy, busy, 0, 0, alice, 2026-11-20T15:57:05.399662206Z, 1, 10\n";
    let requests = k8s_flowcontrol_analysis::dumps::parse_requests(text).unwrap();
    server.requests = Some(requests.rows);
    let evidence = evidence(Vec::new(), vec![level("busy", queues(64, 8))], server);
    let diagnosis = diagnose(&evidence, &Scope::default());
    let finding = of(&diagnosis, "overload")[0];
    assert!(
        finding.message.contains("all of its 10 seats are in use"),
        "{}",
        finding.message
    );
    let busiest = of(&diagnosis, "busiest-flow")[0];
    assert!(
        busiest.message.contains("busy has 20 of the 20 seats"),
        "{}",
        busiest.message
    );
}
