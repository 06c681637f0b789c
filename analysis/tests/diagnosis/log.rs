//! Recorded waits in audit logs.

use super::recorded::show;
use super::support::{group, level, lines, of, queues, schema};
use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::diagnosis::{
    Evidence, LogTally, Scope, ServerEvidence, Severity, diagnose,
};
use k8s_flowcontrol_types::Release;
use serde_json::json;
use std::time::Duration;

fn event(id: u32, wait: Option<&str>) -> String {
    let annotations = wait.map(|wait| json!({"apiserver.latency.k8s.io/apf-queue-wait": wait}));
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": id.to_string(), "stage": "ResponseComplete",
        "requestURI": "/api/v1/pods", "verb": "list", "user": {"username": "alice", "groups": ["system:authenticated"]},
        "objectRef": {"resource": "pods", "apiVersion": "v1"}, "responseStatus": {"code": 200},
        "requestReceivedTimestamp": format!("2026-11-20T15:57:0{id}.000000Z"),
        "stageTimestamp": format!("2026-11-20T15:57:0{id}.900000Z"), "annotations": annotations.unwrap_or(json!({})),
    })
    .to_string()
}

#[test]
fn waits_in_the_log_are_not_overlooked() {
    let schemas = vec![schema("all", "busy", 50, group("system:authenticated"))];
    let levels = vec![level("busy", queues(64, 8))];
    let diagnosed = |events: &[String]| {
        let mut tally = LogTally::new(&schemas, &levels, Release::NEWEST, &Scope::default());
        let mut audit = AuditLog::new();
        let read = audit.read(events.join("\n").as_bytes(), |event| {
            tally.add(event);
            Ok::<_, std::io::Error>(())
        });
        read.unwrap();
        let mut evidence = Evidence::new(Release::NEWEST, schemas.clone(), levels.clone());
        let period = tally.period_us();
        evidence.log = Some(tally);
        (diagnose(&evidence, &Scope::default()), period)
    };
    let (diagnosis, period) = diagnosed(&[
        event(1, None),
        event(2, Some("12.5ms")),
        event(5, Some("750ms")),
        // It did not wait for a seat.
        event(6, Some("8.22µs")),
    ]);
    assert_eq!(period, Some((1_795_190_221_000_000, 1_795_190_226_000_000)));
    let waits = of(&diagnosis, "waiting");
    assert_eq!(waits.len(), 1, "{}", show(&diagnosis));
    assert_eq!(
        (waits[0].severity, waits[0].message.as_str()),
        (
            Severity::Risk,
            "the audit logs have 2 requests of priority level busy that waited in a queue for at least 10 ms, the longest for 0.75 s"
        )
    );
    assert_eq!(
        lines(waits[0]),
        [
            "audit log: requests of priority level busy with a wait of at least 10 ms: 2",
            "audit log: requests of user alice of FlowSchema all with a wait of at least 10 ms, the longest 0.75 s: 2",
        ]
    );
    // One of 1,000 requests is a risk, and one of more is not.
    for (others, severity) in [(999, Severity::Risk), (1000, Severity::Note)] {
        let mut events = vec![event(2, Some("750ms"))];
        events.extend((0..others).map(|number| {
            event(1, None).replace(
                r#""auditID":"1""#,
                &format!(r#""auditID":"other-{number}""#),
            )
        }));
        let (diagnosis, _) = diagnosed(&events);
        assert_eq!(of(&diagnosis, "waiting")[0].severity, severity, "{others}");
    }
    let (diagnosis, _) = diagnosed(&[event(1, Some("12.5ms"))]);
    assert_eq!(of(&diagnosis, "waiting")[0].severity, Severity::Note);
    let (diagnosis, _) = diagnosed(&[event(1, None)]);
    assert!(of(&diagnosis, "waiting").is_empty(), "{}", show(&diagnosis));
}

/// Servers count the waits of all requests, and record the waits of long requests.
#[test]
fn counted_waits_are_beside_those_of_the_log() {
    let schemas = vec![schema("all", "busy", 50, group("system:authenticated"))];
    let levels = vec![level("busy", queues(64, 8))];
    let mut tally = LogTally::new(&schemas, &levels, Release::NEWEST, &Scope::default());
    let log = event(5, Some("750ms"));
    let read = AuditLog::new().read(log.as_bytes(), |event| {
        tally.add(event);
        Ok::<_, std::io::Error>(())
    });
    read.unwrap();
    let sample = |waited: u32| {
        let metric = "apiserver_flowcontrol_request_wait_duration_seconds";
        let labels = "execute=\"true\",flow_schema=\"all\",priority_level=\"busy\"";
        let all = waited + 6;
        format!(
            "apiserver_flowcontrol_nominal_limit_seats{{priority_level=\"busy\"}} 10\n\
             {metric}_bucket{{{labels},le=\"0.1\"}} 6\n{metric}_bucket{{{labels},le=\"+Inf\"}} {all}\n\
             {metric}_sum{{{labels}}} {waited}\n{metric}_count{{{labels}}} {all}\n"
        )
    };
    let mut server = ServerEvidence::new("a");
    server.set_metrics(&sample(9));
    let interval = Duration::from_secs(60);
    server.set_earlier_metrics(&sample(2), interval).unwrap();
    let mut evidence = Evidence::new(Release::NEWEST, schemas, levels);
    evidence.log = Some(tally);
    evidence.servers.push(server);
    let diagnosis = diagnose(&evidence, &Scope::default());
    let [found] = &of(&diagnosis, "waiting")[..] else {
        panic!("{}", show(&diagnosis))
    };
    let counted = "a: apiserver_flowcontrol_request_wait_duration_seconds of busy: 7 of 7 requests waited for more than 0.1 s in 60.0 s";
    assert_eq!(lines(found).last().unwrap(), counted);
}
