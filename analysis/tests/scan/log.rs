//! The clients of old versions in audit logs.

use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::scan::{ClusterScan, LogCallers, Part, Verdict};
use k8s_flowcontrol_types::{GROUP, Release};
use serde_json::{Value, json};
use std::io;

fn event(id: u32, stage: &str, verb: &str, version: &str) -> Value {
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": id.to_string(), "stage": stage, "verb": verb,
        "user": {"username": "carol"}, "userAgent": "helm/3",
        "objectRef": {"apiGroup": GROUP, "apiVersion": version, "resource": "flowschemas"},
        "responseStatus": {"code": 200}, "requestReceivedTimestamp": "2026-01-01T00:00:00.000001Z",
        "annotations": {"k8s.io/deprecated": "true", "k8s.io/removed-release": "1.32"},
    })
}

fn read(lines: &[Value]) -> LogCallers {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut found = LogCallers::default();
    let mut log = AuditLog::new();
    let mut each = |event: &Event<'_>| {
        found.add(event, Release::NEWEST);
        Ok::<(), io::Error>(())
    };
    log.read(text.as_bytes(), &mut each).unwrap();
    log.finish(each).unwrap();
    found
}

#[test]
fn requests_are_counted_once() {
    let log = read(&[
        event(1, "RequestReceived", "create", "v1beta3"),
        event(1, "ResponseComplete", "create", "v1beta3"),
        event(2, "ResponseComplete", "list", "v1"),
        event(3, "ResponseStarted", "watch", "v1beta3"),
        event(3, "ResponseComplete", "watch", "v1beta3"),
        event(4, "RequestReceived", "create", "v1beta3"),
    ]);
    let callers = log.callers();
    assert_eq!(callers.len(), 1);
    assert_eq!(
        (callers[0].user.as_str(), callers[0].writes),
        ("carol", true)
    );
    let verbs: Vec<_> = callers[0].verbs.iter().collect();
    assert_eq!(
        verbs,
        [(&"create".to_owned(), &1), (&"watch".to_owned(), &1)]
    );
}

fn forbidden(id: u32, user: &str, verb: &str, resource: &str, code: u16) -> Value {
    let mut event = event(id, "ResponseComplete", verb, "v1");
    event["user"]["username"] = user.into();
    event["objectRef"]["resource"] = resource.into();
    event["responseStatus"]["code"] = code.into();
    event["requestReceivedTimestamp"] = format!("2026-01-01T00:00:0{id}.000000Z").into();
    event
}

#[test]
fn clients_that_may_not_watch_are_found_until_they_may() {
    let webhook = "system:serviceaccount:cert-manager:webhook";
    let log = read(&[
        forbidden(1, webhook, "list", "flowschemas", 403),
        forbidden(2, webhook, "list", "prioritylevelconfigurations", 403),
        forbidden(3, webhook, "list", "flowschemas", 403),
        forbidden(4, "mended", "list", "flowschemas", 403),
        forbidden(5, "mended", "list", "flowschemas", 200),
        forbidden(6, "writer", "create", "flowschemas", 403),
        forbidden(7, "reader", "list", "flowschemas", 200),
    ]);
    let denied = log.denied();
    assert_eq!(denied.len(), 1);
    assert_eq!((denied[0].user.as_str(), denied[0].requests), (webhook, 3));
    let resources: Vec<_> = denied[0].resources.iter().collect();
    assert_eq!(resources, ["flowschemas", "prioritylevelconfigurations"]);
    assert_eq!(
        denied[0].last.as_deref(),
        Some("2026-01-01T00:00:03.000000Z")
    );
}

#[test]
fn a_watch_that_is_still_open_counts() {
    let log = read(&[event(1, "ResponseStarted", "watch", "v1beta3")]);
    assert_eq!(log.callers()[0].verbs["watch"], 1);
    assert!(!log.callers()[0].writes);
}

#[test]
fn an_impersonated_user_is_the_caller_and_errors_are_counted() {
    let mut refused = event(1, "ResponseComplete", "update", "v1beta2");
    refused["impersonatedUser"] = json!({"username": "dave"});
    refused["responseStatus"]["code"] = 404.into();
    refused["annotations"] = Value::Null;
    let list = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": [refused]});
    let log = read(&[list]);
    let caller = log.callers()[0];
    assert_eq!((caller.user.as_str(), caller.failed), ("dave", 1));
    assert_eq!((caller.deprecated, caller.refused_from), (false, 29));
}

/// A log has the requests that a metric does not count, but its callers are those that an upgrade breaks.
#[test]
fn a_log_does_not_stand_for_versions_that_an_older_target_lacks() {
    let target = Release::new(28).unwrap();
    let mut scan = ClusterScan::new(None);
    scan.add_release("v1.31.2", None);
    let versions = ["v1", "v1beta3"].map(str::to_owned);
    scan.add_served(Some("v1".to_owned()), versions);
    scan.add_metrics("process_start_time_seconds 1.75e+09\n", target);
    scan.finish();
    assert_eq!(scan.verdict, Verdict::Incomplete);
    let log = read(&[event(1, "ResponseComplete", "list", "v1")]);
    scan.add_logs([&log].into_iter());
    assert_eq!(scan.verdict, Verdict::Incomplete);
    assert_eq!(scan.unread[0].what, Part::Newer("v1".to_owned()));
}
