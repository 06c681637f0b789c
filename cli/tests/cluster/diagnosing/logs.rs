//! Audit logs as evidence, and changes that are simulated over them.

use super::{findings, narrow, queue};
use crate::cluster::{Cluster, Ran};
use serde_json::{Value, json};

/// An event of bob, received so many milliseconds after a time, with the parts that a test adds.
fn event(id: u64, received: u64, milliseconds: u64, code: u16, annotations: &Value) -> String {
    let time = |ms: u64| format!("2026-11-20T15:57:{:02}.{:03}000Z", ms / 1000, ms % 1000);
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": id.to_string(), "stage": "ResponseComplete",
        "requestURI": "/version", "verb": "get", "user": {"username": "bob", "groups": ["system:authenticated"]},
        "responseStatus": {"code": code}, "annotations": annotations,
        "requestReceivedTimestamp": time(received), "stageTimestamp": time(received + milliseconds),
    })
    .to_string()
}

/// The requests of bob, one every 100 ms, as a server with one seat served them: each executes for 300 ms,
/// and waits so much longer than the one before it.
fn waiting(more: u64) -> String {
    let events = (0..60).map(|number| {
        let wait = number * more;
        let annotations = json!({
            "authorization.k8s.io/decision": "allow", "apiserver.latency.k8s.io/apf-queue-wait": format!("{wait}ms"),
        });
        event(number, number * 100, wait + 300, 200, &annotations)
    });
    events.collect::<Vec<_>>().join("\n")
}

/// The same with some requests of an administrator without waits in each other second, so that the number of requests that execute changes.
fn waiting_beside_others() -> String {
    let administrator = (0..30).map(|number| {
        let annotations = json!({"authorization.k8s.io/decision": "allow"});
        let (second, place) = (number / 10 * 2, number % 10);
        let event = event(
            100 + number,
            second * 1000 + place * 20,
            500,
            200,
            &annotations,
        );
        let groups = r#""groups":["system:masters""#;
        event.replace(r#""groups":["#, &format!("{groups},"))
    });
    let administrator: Vec<_> = administrator.collect();
    format!("{}\n{}", waiting(200), administrator.join("\n"))
}

/// A diagnosis with an audit log.
fn diagnosis(cluster: &Cluster, log: &str, more: &[&str]) -> Ran {
    let log = cluster.file("audit.log", log);
    let all = [
        "diagnose",
        "--interval",
        "0",
        "-o",
        "json",
        "--audit-log",
        &log,
    ];
    cluster.run(&[&all[..], more].concat())
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_logs_are_part_of_the_evidence() {
    let cluster = narrow(queue(1), Vec::new()).await;
    let log = [(1, 200), (2, 429)].map(|(id, code)| event(id, id * 5000, 1000, code, &json!({})));
    let ran = diagnosis(&cluster, &log.join("\n"), &["--user", "bob"]);
    let report = ran.expect(1).json();
    let own = findings(&report, "user-requests");
    assert!(
        own.iter().any(|finding| finding["message"]
            == "in the audit logs, FlowSchema broad took 2 requests of user bob into priority level narrow, of which 1 was rejected"),
        "{report:#}"
    );
    assert_eq!(
        findings(&report, "rejections")[0]["evidence"][0]["requests"],
        1
    );
    assert_eq!(
        report["auditLogs"],
        json!({"requests": 2, "firstRequest": "2026-11-20T15:57:05Z", "lastRequest": "2026-11-20T15:57:10Z"})
    );
    let gaps = report["notLookedAt"].as_array().unwrap();
    let mut gaps = gaps.iter().filter_map(|gap| gap["what"].as_str());
    assert!(
        gaps.all(|what| what.starts_with("the processor of ")),
        "{report:#}"
    );
    let empty = diagnosis(&cluster, "", &[]).json();
    assert_eq!(empty["auditLogs"], Value::Null);
    let gaps = empty["notLookedAt"].to_string();
    assert!(
        gaps.contains("the audit logs contain no requests"),
        "{gaps}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_simulated_before_it_is_advised() {
    let cluster = narrow(queue(50), Vec::new()).await;
    let log = waiting_beside_others();
    let report = diagnosis(&cluster, &log, &[]).expect(1).json();
    let found = findings(&report, "simulated-change");
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("simulated over the log, ")
            && message.ends_with(" shares instead of 1 help priority level narrow"),
        "{report:#}"
    );
    let evidence = found[0]["evidence"].to_string();
    assert!(
        evidence.contains("user bob of FlowSchema broad gains"),
        "{evidence}"
    );
    assert!(
        evidence.contains("error of the simulation for priority level narrow"),
        "{evidence}"
    );
    // Names are private, and another level does not get this advice.
    let redacted = diagnosis(&cluster, &log, &["--redact"]).expect(1).json();
    assert!(!redacted["findings"].to_string().contains("bob"));
    let other = diagnosis(&cluster, &log, &["--level", "workload-low"]).json();
    assert!(findings(&other, "simulated-change").is_empty());
}

/// One request of the log executes at any time.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_advised_if_requests_may_slow_each_other_down() {
    let cluster = narrow(queue(50), Vec::new()).await;
    let report = diagnosis(&cluster, &waiting(200), &[]).expect(1).json();
    let found = findings(&report, "simulated-change");
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message
            .ends_with("is unknown: the log does not show whether requests slow each other down"),
        "{message}"
    );
}

/// No request of the log waits, so that the server that wrote it had more than the one seat of today.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_advised_where_the_simulation_cannot_tell() {
    let cluster = narrow(queue(50), Vec::new()).await;
    let report = diagnosis(&cluster, &waiting(0), &[]).json();
    let found = findings(&report, "simulated-change");
    assert_eq!(found.len(), 1, "{report:#}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.ends_with(
            " shares instead of 1 help priority level narrow is unknown: the simulation does not agree with the log"
        ),
        "{message}"
    );
    assert_eq!(found[0]["severity"], "note");
    assert_eq!(
        found[0]["action"],
        "keep the configuration, or try the change for a short time and measure"
    );
    // The text names nobody who gains or pays, and quotes what differs.
    let evidence = found[0]["evidence"].as_array().unwrap();
    assert_eq!(evidence.len(), 1, "{report:#}");
    let error = evidence[0]["text"].as_str().unwrap();
    let start =
        "error of the simulation for priority level narrow: median wait 0.00 s in the log and ";
    assert!(error.starts_with(start), "{error}");
    assert!(
        error.contains(", median response 0.30 s in the log and "),
        "{error}"
    );
}
