//! Audit logs on the command line.

mod bad_logs;
#[cfg(feature = "parquet")]
mod engines;
mod export;
#[cfg(unix)]
mod job;
mod outputs;
#[cfg(feature = "parquet")]
mod parquet;
mod privacy;
mod reading;
mod report;

use crate::common::{code, run, stderr, stdout};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write as _;

fn event(id: &str, user: &str, verb: &str, uri: &str) -> Value {
    let mut event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": id,
        "stage": "ResponseComplete", "requestURI": uri, "verb": verb,
        "user": {"username": user, "groups": ["system:authenticated"]}, "responseStatus": {"code": 200},
        "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z", "stageTimestamp": "2026-01-01T00:00:00.250000Z",
        "annotations": {"authorization.k8s.io/decision": "allow"},
    });
    if uri.contains("/pods") {
        event["objectRef"] = json!({"resource": "pods", "namespace": "a", "apiVersion": "v1"});
    }
    event
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Classifies the requests of logs by the built-in objects.
fn requests(logs: &[&str]) -> std::process::Output {
    let mut arguments = vec!["traffic", "--each-request", "--audit-log"];
    arguments.extend(logs);
    run(&arguments)
}

/// A flow schema for bob at the level workload-high.
const BOBS: &str = r#"{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "bobs"},
    "spec": {"matchingPrecedence": 500, "priorityLevelConfiguration": {"name": "workload-high"},
    "rules": [{"subjects": [{"kind": "User", "user": {"name": "bob"}}],
        "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true}]}]}}"#;

/// A log of requests that overlap: each is complete some lines after it began.
fn traffic() -> String {
    let users = [
        "alice",
        "bob",
        "<b>&\"eve\"",
        "system:serviceaccount:team-a:builder",
    ];
    let mut events = Vec::new();
    for number in 0..60_usize {
        let user = users[number % users.len()];
        let (verb, uri) = match number % 3 {
            0 => ("list", "/api/v1/namespaces/a/pods?limit=500"),
            1 => ("watch", "/api/v1/namespaces/a/pods?watch=1"),
            _ => ("create", "/api/v1/namespaces/a/pods"),
        };
        let mut complete = event(&number.to_string(), user, verb, uri);
        let time = |second: usize| {
            format!(
                "2026-01-01T00:{:02}:{:02}.000000Z",
                second / 60,
                second % 60
            )
        };
        complete["requestReceivedTimestamp"] = time(10 * number).into();
        complete["stageTimestamp"] = time(10 * number + 25).into();
        if number % 20 == 0 {
            complete["annotations"] = json!({"k8s.io/deprecated": "true", "k8s.io/removed-release": "1.32", "authorization.k8s.io/decision": "allow"});
            complete["userAgent"] = "helm/3".into();
        }
        let mut received = complete.clone();
        received["stage"] = "RequestReceived".into();
        received["stageTimestamp"] = time(10 * number).into();
        received.as_object_mut().unwrap().remove("annotations");
        events.push((20 * number, received));
        if number != 57 {
            events.push((20 * number + 50, complete));
        }
    }
    events.sort_by_key(|(time, _)| *time);
    let events: Vec<_> = events.into_iter().map(|(_, event)| event).collect();
    lines(&events)
}

fn report(arguments: &[&str]) -> Value {
    let output = run(&[&["traffic"], arguments, &["-o", "json"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}
