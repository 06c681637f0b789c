//! Checks of flows: starvation, and system traffic.

use super::support::{
    FULL, IDLE, evidence, group, level, lines, of, queues, schema, server, unquoted, user, wait,
};
use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::diagnosis::{Evidence, LogTally, Scope, Severity, Verdict, diagnose};
use k8s_flowcontrol_rules::sharding::{Dealer, flow_hash};
use k8s_flowcontrol_types::Release;
use serde_json::json;

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
            "1 heavy flow of priority level busy has requests in 2 of its 8 queues; user {mouse} of FlowSchema busy has no other queue"
        )
    );
    assert_eq!(
        lines(finding)[2],
        "queues in the hands of 1 heavy flow: 2 of 8, among them all queues of the flows that have no other"
    );
    let flow = of(&diagnosis, "busiest-flow")[0];
    assert_eq!(
        flow.message,
        "one flow fills priority level busy: user elephant of FlowSchema busy has 19 of the 20 requests that wait or execute"
    );
}

#[test]
fn a_flow_with_a_few_more_requests_than_another_does_not_fill_a_level() {
    let mut server = server("a", &[("busy", FULL)]);
    wait(&mut server, "busy", "busy", &[("bob", 3), ("alice", 2)]);
    let schemas = vec![schema("busy", "busy", 100, group("system:authenticated"))];
    let evidence = evidence(schemas, vec![level("busy", queues(128, 6))], server);
    let diagnosis = diagnose(&evidence, &Scope::default());
    let finding = of(&diagnosis, "busiest-flow")[0];
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(
        finding.message,
        "2 flows share priority level busy: the largest has 3 of the 5 requests that wait or execute"
    );
}

#[test]
fn many_queues_isolate_flows() {
    let mut server = server("a", &[("busy", FULL)]);
    let dump = "PriorityLevelName, Index, PendingRequests, ExecutingRequests\nbusy, 3, 4, 1\nbusy, 5, 2, 0\nbusy, 6, 0, 0\n";
    server.queues = Some(
        k8s_flowcontrol_analysis::dumps::parse_queues(dump)
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
        finding
            .message
            .contains("has requests in 6 of its 128 queues"),
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
        [
            "audit log: rejected requests of priority level busy: 1",
            "audit log: rejected requests of user alice of FlowSchema broad: 1",
        ]
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
        // A node sent as much.
        flow.message.ends_with(
            "is much busier than all others: requests of user alice of FlowSchema broad took 1.5 s, requests of user system:node:a of \
             FlowSchema broad took 1.5 s of 3.0 s"
        ),
        "{}",
        flow.message
    );
    assert_eq!(
        lines(flow)[0],
        "audit log: requests of priority level busy, which took 3.0 s: 3"
    );
    for finding in &diagnosis.findings {
        assert!(unquoted(finding).is_empty(), "{finding:?}");
    }
    let own = of(&diagnosis, "user-requests");
    assert!(
        own.iter().any(|finding| finding.message.contains(
            "took 2 requests of user alice into priority level busy, of which 1 was rejected"
        )),
        "{own:?}"
    );
}

/// Requests can wait in one queue of a hand while executing requests keep the other queues long.
#[test]
fn a_flow_that_waits_in_some_of_its_queues_does_not_take_those_of_others() {
    let (elephant, mouse) = collision(&Dealer::new(8, 2).unwrap());
    let mut server = server("a", &[("busy", FULL)]);
    wait(&mut server, "busy", "busy", &[(&elephant, 19), (&mouse, 1)]);
    for request in server.requests.iter_mut().flatten() {
        request.request.as_mut().unwrap().queue = Some(3);
    }
    let schemas = vec![schema("busy", "busy", 100, group("system:authenticated"))];
    let evidence = evidence(schemas, vec![level("busy", queues(8, 2))], server);
    let diagnosis = diagnose(&evidence, &Scope::default());
    for finding in of(&diagnosis, "starvation") {
        assert_ne!(finding.severity, Severity::Problem, "{finding:?}");
        assert!(!finding.message.contains("heavy flow of"), "{finding:?}");
    }
}

#[test]
fn a_flow_that_waits_as_much_as_another_is_not_starved_by_it() {
    let (elephant, mouse) = collision(&Dealer::new(8, 2).unwrap());
    let schemas = vec![schema("busy", "busy", 100, group("system:authenticated"))];
    let severity = |of_mouse: u32| {
        let mut server = server("a", &[("busy", FULL)]);
        let flows = [(elephant.as_str(), 6), (mouse.as_str(), of_mouse)];
        wait(&mut server, "busy", "busy", &flows);
        let evidence = evidence(schemas.clone(), vec![level("busy", queues(8, 2))], server);
        let diagnosis = diagnose(&evidence, &Scope::default());
        of(&diagnosis, "starvation")[0].severity
    };
    assert_eq!(severity(2), Severity::Problem);
    assert_eq!(severity(3), Severity::Risk);
    assert_eq!(severity(6), Severity::Risk);
}
