//! The checks, one by one.

use super::support::{
    Metrics, evidence, group, level, lines, metrics, of, queues, schema, server, user, wait,
};
use k8s_flowcontrol_rules::audit::AuditLog;
use k8s_flowcontrol_rules::diagnosis::{
    Evidence, LogTally, Scope, ServerEvidence, Severity, Verdict, checks, diagnose,
};
use k8s_flowcontrol_rules::sharding::{Dealer, flow_hash};
use k8s_flowcontrol_types::Release;
use serde_json::json;
use std::time::Duration;

const FULL: Metrics = Metrics {
    current: 10,
    minimum: 10,
    maximum: 610,
    in_use: 10,
    waiting: 20,
    rejected: 3,
};
const IDLE: Metrics = Metrics {
    current: 10,
    minimum: 10,
    maximum: 610,
    in_use: 1,
    waiting: 0,
    rejected: 0,
};

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
    let idle = diagnose(&two_levels(FULL, IDLE), &Scope::default());
    assert_eq!(idle.verdict, Verdict::Misconfigured);
    assert!(of(&idle, "overload").is_empty());
    // The other levels keep their seats, so that nothing can be borrowed.
    let borrowing = of(&idle, "borrowing");
    assert!(
        borrowing[0].message.contains("use or have lent all seats"),
        "{:?}",
        borrowing[0]
    );
    let healthy = diagnose(&two_levels(IDLE, IDLE), &Scope::default());
    assert_eq!(healthy.verdict, Verdict::Healthy, "{:?}", healthy.findings);
}

#[test]
fn seats_that_other_levels_can_lend_are_no_obstacle() {
    let lender = Metrics { minimum: 2, ..IDLE };
    let diagnosis = diagnose(&two_levels(FULL, lender), &Scope::default());
    assert!(
        of(&diagnosis, "borrowing").is_empty(),
        "{:?}",
        diagnosis.findings
    );
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

/// Two flows of which one has all queues of the other.
fn collision(dealer: &Dealer) -> (String, String) {
    let hand = |name: &str| {
        let mut hand = dealer.deal(flow_hash("busy", name));
        hand.sort_unstable();
        hand
    };
    let elephant = "elephant".to_owned();
    let mouse = (0..).map(|number| format!("mouse-{number}"));
    let mouse = mouse
        .into_iter()
        .find(|mouse| hand(mouse) == hand(&elephant));
    (elephant, mouse.unwrap())
}

#[test]
fn a_flow_whose_queues_are_full_is_starved() {
    let dealer = Dealer::new(8, 2).unwrap();
    let (elephant, mouse) = collision(&dealer);
    let mut server = server("a", &[("busy", FULL)]);
    wait(&mut server, "busy", "busy", &[(&elephant, 19), (&mouse, 1)]);
    let schemas = vec![schema("busy", "busy", 100, group("system:authenticated"))];
    let evidence = evidence(schemas, vec![level("busy", queues(8, 2))], server);
    let diagnosis = diagnose(&evidence, &Scope::default());
    let finding = of(&diagnosis, "starvation")[0];
    assert_eq!(finding.severity, Severity::Problem);
    assert_eq!(
        finding.message,
        format!(
            "1 heavy flow of priority level busy fills 2 of its 8 queues, which are all queues of user {mouse} of FlowSchema busy"
        )
    );
    // One of 28 hands.
    assert!(
        lines(finding)[2].contains(&format!("{:.2} % with 1", 100.0 / 28.0)),
        "{:?}",
        lines(finding)
    );
    let flow = of(&diagnosis, "busiest-flow")[0];
    assert_eq!(
        flow.message,
        "one flow fills priority level busy: user elephant of FlowSchema busy has 19 of the 20 waiting requests"
    );
}

#[test]
fn many_queues_isolate_flows() {
    let mut server = server("a", &[("busy", FULL)]);
    let dump = "PriorityLevelName, Index, PendingRequests, ExecutingRequests\nbusy, 3, 4, 1\nbusy, 5, 2, 0\nbusy, 6, 0, 0\n";
    server.queues = Some(
        k8s_flowcontrol_rules::dumps::parse_queues(dump)
            .unwrap()
            .rows,
    );
    wait(&mut server, "busy", "busy", &[("elephant", 20)]);
    let schemas = vec![schema("busy", "busy", 100, group("system:authenticated"))];
    let evidence = evidence(schemas, vec![level("busy", queues(128, 6))], server);
    let diagnosis = diagnose(&evidence, &Scope::default());
    let finding = of(&diagnosis, "starvation")[0];
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(
        lines(finding)[3..5],
        [
            "a: dump_queues: queues of busy with waiting requests: 2",
            "a: dump_queues: waiting requests in the longest queue of busy: 4",
        ]
    );
    assert!(
        finding.message.contains("fills 6 of its 128 queues"),
        "{}",
        finding.message
    );
}

#[test]
fn a_flow_schema_for_everybody_takes_system_traffic() {
    let broad = schema("broad", "busy", 50, group("system:authenticated"));
    let own = schema("own", "busy", 60, user("system:kube-scheduler"));
    let levels = vec![level("busy", queues(64, 8))];
    let mut evidence = evidence(vec![broad], levels.clone(), server("a", &[("busy", IDLE)]));
    let diagnosis = diagnose(&evidence, &Scope::default());
    let finding = of(&diagnosis, "system-traffic")[0];
    assert_eq!(finding.severity, Severity::Risk);
    assert!(
        finding
            .message
            .contains("node heartbeats, kubelets, leader election"),
        "{}",
        finding.message
    );
    assert!(
        lines(finding).contains(
            &"FlowSchema broad: spec.rules[0].subjects[0] is a group of most users".to_owned()
        ),
        "{:?}",
        lines(finding)
    );
    assert_eq!(diagnosis.verdict, Verdict::AtRisk);
    // A flow schema for a component alone is meant so, as long as nothing waits; the others keep their built-in schemas.
    let bootstrap = k8s_flowcontrol_rules::bootstrap::objects(Release::NEWEST);
    let built_in = bootstrap
        .iter()
        .filter(|object| object.kind == k8s_flowcontrol_types::Kind::FlowSchema);
    evidence.flow_schemas = built_in
        .map(|object| serde_json::from_value(object.tree()).unwrap())
        .collect();
    evidence.flow_schemas.push(own);
    let built_in = bootstrap
        .iter()
        .filter(|object| object.kind == k8s_flowcontrol_types::Kind::PriorityLevelConfiguration);
    evidence.priority_levels = built_in
        .map(|object| serde_json::from_value(object.tree()).unwrap())
        .collect();
    evidence.priority_levels.extend(levels);
    let diagnosis = diagnose(&evidence, &Scope::default());
    assert!(
        of(&diagnosis, "system-traffic").is_empty(),
        "{:?}",
        diagnosis.findings
    );
}

#[test]
fn system_traffic_and_rejections_in_the_log() {
    let schemas = vec![schema("broad", "busy", 50, group("system:authenticated"))];
    let levels = vec![level("busy", queues(64, 8))];
    let event = |id: u32, user: &str, groups: &[&str], code: u16| {
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": id.to_string(), "stage": "ResponseComplete",
            "requestURI": "/api/v1/nodes/a/status", "verb": "patch", "user": {"username": user, "groups": groups},
            "objectRef": {"resource": "nodes", "name": "a", "apiVersion": "v1", "subresource": "status"},
            "responseStatus": {"code": code},
            "requestReceivedTimestamp": "2026-11-20T15:57:05.000000Z", "stageTimestamp": "2026-11-20T15:57:06.500000Z",
        })
        .to_string()
    };
    let log = [
        event(
            1,
            "system:node:a",
            &["system:nodes", "system:authenticated"],
            200,
        ),
        event(2, "alice", &["system:authenticated"], 429),
        event(3, "alice", &["system:authenticated"], 200),
    ]
    .join("\n");
    let alice = k8s_flowcontrol_rules::matching::User::named("alice");
    let scope = Scope {
        user: Some(&alice),
        ..Scope::default()
    };
    let mut tally = LogTally::new(&schemas, &levels, Release::NEWEST, &scope);
    let mut audit = AuditLog::new();
    audit
        .read(log.as_bytes(), |event| {
            tally.add(event);
            Ok::<_, std::io::Error>(())
        })
        .unwrap();
    assert_eq!(tally.requests(), 3);
    let mut evidence = Evidence::new(Release::NEWEST, schemas, levels);
    evidence.log = Some(tally);
    let diagnosis = diagnose(&evidence, &scope);
    assert_eq!(diagnosis.verdict, Verdict::Unknown);
    let rejections = of(&diagnosis, "rejections")[0];
    assert_eq!(
        lines(rejections),
        ["audit log: rejected requests of user alice of FlowSchema broad: 1"]
    );
    let system = of(&diagnosis, "system-traffic");
    assert!(
        system.iter().any(|finding| lines(finding).contains(
            &"audit log: requests of the built-in FlowSchema system-node-high that FlowSchema broad took: 1".to_owned()
        )),
        "{system:?}"
    );
    let flow = of(&diagnosis, "busiest-flow")[0];
    assert!(
        flow.message.contains("its requests took 3.0 s of 4.5 s"),
        "{}",
        flow.message
    );
    let own = of(&diagnosis, "user-requests");
    assert!(
        own.iter().any(|finding| finding.message.contains(
            "took 2 requests of user alice into priority level busy, of which 1 was rejected"
        )),
        "{own:?}"
    );
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
                busy, busy, 0, 0, alice, 2026-11-20T15:57:05.399662206Z, 8\n";
    server.requests = Some(
        k8s_flowcontrol_rules::dumps::parse_requests(text)
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
