//! Audit logs: recorded ones, and odd ones.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod callers;
mod coverage;
mod documents;
mod envelopes;
mod live;
mod numbers;
mod redact;
mod several_logs;
mod tail;
mod times;

use flate2::Compression;
use flate2::write::GzEncoder;
use k8s_flowcontrol_analysis::audit::{AuditLog, Counts, Event, Stage};
use k8s_flowcontrol_rules::matching::Classifier;
use k8s_flowcontrol_types::Release;
use serde_json::{Value, json};
use std::io::{self, Write as _};

/// Reads logs, and returns `each` of every request, and the counts.
fn read<T>(logs: &[&str], mut each: impl FnMut(&Event<'_>) -> T) -> (Vec<T>, Counts) {
    let mut found = Vec::new();
    let mut log = AuditLog::new();
    let mut add = |event: &Event<'_>| {
        found.push(each(event));
        Ok::<(), io::Error>(())
    };
    for text in logs {
        log.read(text.as_bytes(), &mut add).unwrap();
    }
    let counts = log.finish(add).unwrap();
    (found, counts)
}

/// A log that is compressed in two parts reads as its text.
#[test]
fn compressed_logs_are_read() {
    let events: Vec<_> = (0..500)
        .map(|number| format!("{}\n", event(&number.to_string(), "ResponseComplete")))
        .collect();
    let mut bytes = Vec::new();
    for part in events.chunks(300) {
        let mut encoder = GzEncoder::new(&mut bytes, Compression::fast());
        encoder.write_all(part.concat().as_bytes()).unwrap();
        encoder.finish().unwrap();
    }
    let mut log = AuditLog::new();
    let mut ids = Vec::new();
    let mut add = |event: &Event<'_>| {
        ids.push(id(event));
        Ok::<(), io::Error>(())
    };
    log.read(&bytes[..], &mut add).unwrap();
    let cut = log.read(&bytes[..bytes.len() - 5], &mut add);
    assert_eq!(cut.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    assert_eq!((ids.len(), log.counts().broken), (500, 0));
}

fn id(event: &Event<'_>) -> String {
    event.audit_id.to_string()
}

/// An event about a list of nodes by alice.
fn event(id: &str, stage: &str) -> Value {
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": id, "stage": stage,
        "requestURI": "/api/v1/nodes?limit=5", "verb": "list", "objectRef": {"resource": "nodes", "apiVersion": "v1"},
        "user": {"username": "alice", "groups": ["dev"]}, "requestReceivedTimestamp": "2026-01-01T00:00:01.500000Z",
    })
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

#[test]
fn recorded_requests_are_classified_as_by_the_server() {
    let objects: Value =
        serde_json::from_str(include_str!("../fixtures/audit/objects.json")).unwrap();
    let schemas: Vec<_> = serde_json::from_value(objects["flowSchemas"].clone()).unwrap();
    let levels: Vec<_> = serde_json::from_value(objects["priorityLevels"].clone()).unwrap();
    let classifier = Classifier::new(&schemas, &levels, Release::new(36).unwrap());
    let log = include_str!("../fixtures/audit/audit.log");
    let (found, counts) = read(&[log], |event| {
        assert!(event.reached_flow_control());
        let attributes = event.attributes();
        let taken = classifier.classify(&attributes);
        json!({
            "auditID": event.audit_id,
            "flowSchema": taken.map(|taken| taken.flow_schema),
            "priorityLevel": taken.map(|taken| taken.priority_level),
        })
    });
    let answers = include_str!("../fixtures/audit/answers.jsonl").lines();
    let answers: Vec<Value> = answers
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(found, answers);
    assert_eq!(
        (counts.requests, counts.incomplete, counts.broken),
        (answers.len() as u64, 0, 0)
    );
}

#[test]
fn a_request_is_reported_once_with_its_last_event() {
    let mut complete = event("a", "ResponseComplete");
    complete["responseStatus"] = json!({"code": 404, "message": "none"});
    complete["stageTimestamp"] = "2026-01-01T00:00:02.000001Z".into();
    let log = lines(&[
        event("a", "RequestReceived"),
        event("b", "RequestReceived"),
        event("a", "ResponseStarted"),
        complete.clone(),
        // A webhook that is called again, and events in another order.
        complete,
        event("a", "RequestReceived"),
    ]);
    let (found, counts) = read(&[&log], |event| {
        (
            id(event),
            event.stage,
            event.code,
            event
                .stage_us()
                .zip(event.received_us())
                .map(|(end, start)| end - start),
        )
    });
    assert_eq!(
        found,
        [
            (
                "a".to_owned(),
                Stage::ResponseComplete,
                Some(404),
                Some(500_001)
            ),
            ("b".to_owned(), Stage::RequestReceived, None, None),
        ]
    );
    assert_eq!(
        (counts.events, counts.requests, counts.incomplete),
        (6, 2, 1)
    );
}

/// A server adds the namespace in the body of a cluster-scoped object to the event, after flow control.
#[test]
fn a_namespace_in_a_body_is_not_that_of_the_request() {
    let of = |uri: &str, resource: &str, namespace: &str| {
        let mut event = event("a", "ResponseComplete");
        event["verb"] = "create".into();
        event["requestURI"] = uri.into();
        event["objectRef"] = json!({"resource": resource, "namespace": namespace, "name": "a"});
        event
    };
    let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles?fieldManager=helm";
    for (event, namespace) in [
        (of(roles, "clusterroles", "batch"), ""),
        (
            of("/api/v1/namespaces/batch/pods", "pods", "batch"),
            "batch",
        ),
        (
            of("/api/v1/namespaces/batch", "namespaces", "batch"),
            "batch",
        ),
        (
            of("/api/v1/name%73paces/batch/pods", "pods", "batch"),
            "batch",
        ),
        // The path was removed from the log.
        (of("", "pods", "batch"), "batch"),
    ] {
        let log = event.to_string();
        let (found, _) = read(&[&log], |event| event.attributes().namespace);
        assert_eq!(found, [namespace], "{event}");
    }
}

#[test]
fn a_client_can_use_an_audit_id_twice() {
    let mut later = event("a", "ResponseComplete");
    later["requestReceivedTimestamp"] = "2026-01-01T00:00:03Z".into();
    let (found, _) = read(&[&lines(&[event("a", "ResponseComplete"), later])], id);
    assert_eq!(found, ["a", "a"]);
}

#[test]
fn a_rotated_log_continues_in_the_next_file() {
    let (first, second) = (
        event("a", "RequestReceived"),
        event("a", "ResponseComplete"),
    );
    let (first, second) = (lines(&[first]), lines(&[second]));
    let (found, counts) = read(&[&first, &second], id);
    assert_eq!((found.len(), counts.incomplete), (1, 0));
}

#[test]
fn batches_arrays_and_older_versions_are_read() {
    let mut old = event("old", "ResponseComplete");
    old["apiVersion"] = "audit.k8s.io/v1beta1".into();
    let mut bare = event("bare", "ResponseComplete");
    bare.as_object_mut().unwrap().remove("kind");
    bare.as_object_mut().unwrap().remove("apiVersion");
    let list = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "metadata": {}, "items": [bare, event("b", "Panic"), {"x": 1}]});
    let log = format!(
        "{old}\n\n{list}\n[{}]\n{list:#}\n",
        event("array", "ResponseComplete")
    );
    let (found, counts) = read(&[&log], id);
    // The second list has the same events over several lines.
    assert_eq!(found, ["old", "bare", "b", "array"]);
    assert_eq!(
        (
            counts.events,
            counts.broken,
            counts.first_broken,
            counts.other
        ),
        (6, 1, Some(3), 1)
    );
}

#[test]
fn broken_lines_are_counted_and_skipped() {
    let whole = event("a", "ResponseComplete").to_string();
    let log = format!(
        "{}\n{whole}\n{{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}}\n{{\"kind\":\nnull\n[1]\n{}",
        &whole[40..],
        &whole[..whole.len() - 9]
    );
    let (found, counts) = read(&[&log], id);
    assert_eq!(found, ["a"]);
    assert_eq!((counts.broken, counts.first_broken), (6, Some(1)));
    let odd = whole.replace("alice", "al\u{fffd}ice").into_bytes();
    let odd: Vec<u8> = odd.into_iter().filter(|byte| *byte != 0xef).collect();
    let mut users = Vec::new();
    let mut log = AuditLog::new();
    log.read(odd.as_slice(), |event| {
        users.push(event.user.name.to_string());
        Ok::<(), io::Error>(())
    })
    .unwrap();
    assert!(users[0].starts_with("al\u{fffd}"), "{users:?}");
}

#[test]
fn requests_that_never_reach_flow_control() {
    let reached = |change: &dyn Fn(&mut Value)| {
        let mut event = event("a", "ResponseComplete");
        change(&mut event);
        read(&[&event.to_string()], |event| event.reached_flow_control()).0[0]
    };
    let failed = |code: u16, message: &'static str| {
        move |event: &mut Value| {
            event["responseStatus"] = json!({"code": code, "message": message});
        }
    };
    assert!(reached(&|_| {}));
    // Flow control itself rejects before authorization.
    assert!(reached(&failed(429, "")));
    assert!(!reached(&failed(401, "Unauthorized")));
    assert!(!reached(&failed(
        403,
        "users \"bob\" is forbidden: User \"alice\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope"
    )));
    assert!(reached(&failed(
        403,
        "nodes is forbidden: User \"alice\" cannot list resource"
    )));
    assert!(!reached(&failed(500, "")));
    let authorized = |event: &mut Value| {
        failed(500, "")(event);
        event["annotations"] = json!({"authorization.k8s.io/decision": "allow"});
    };
    assert!(reached(&authorized));
    // A failed authentication has one event, with an empty user, and is reported at once.
    let unknown = |event: &mut Value| {
        failed(401, "")(event);
        event["stage"] = "ResponseStarted".into();
        event["user"] = json!({});
    };
    assert!(!reached(&unknown));
}

#[test]
fn attributes_come_from_the_event() {
    let attributes = |change: &dyn Fn(&mut Value)| {
        let mut event = event("a", "ResponseComplete");
        change(&mut event);
        read(&[&event.to_string()], |event| event.attributes())
            .0
            .remove(0)
    };
    let list = attributes(&|_| {});
    assert!(list.is_resource_request);
    assert_eq!(
        (
            list.verb.as_str(),
            list.resource.as_str(),
            list.path.as_str()
        ),
        ("list", "nodes", "/api/v1/nodes")
    );
    assert_eq!(
        (list.user.name.as_str(), list.user.groups.as_slice()),
        ("alice", ["dev".to_owned()].as_slice())
    );

    let acting = attributes(&|event| {
        event["impersonatedUser"] = json!({"username": "bob", "groups": ["ops"]});
    });
    assert_eq!(
        (acting.user.name.as_str(), acting.user.groups[0].as_str()),
        ("bob", "ops")
    );

    // An object that was removed from the log is read from the path.
    let removed = attributes(&|event| {
        event["objectRef"] = Value::Null;
        event["verb"] = "deletecollection".into();
        event["requestURI"] = "/apis/apps/v1/namespaces/a/deployments".into();
    });
    assert_eq!(
        (
            removed.verb.as_str(),
            removed.api_group.as_str(),
            removed.namespace.as_str()
        ),
        ("deletecollection", "apps", "a")
    );

    let probe = attributes(&|event| {
        event.as_object_mut().unwrap().remove("objectRef");
        event.as_object_mut().unwrap().remove("user");
        event["verb"] = "head".into();
        event["requestURI"] = "/health%7A?verbose".into();
    });
    assert!(!probe.is_resource_request);
    assert_eq!(
        (probe.verb.as_str(), probe.path.as_str()),
        ("head", "/healthz")
    );
    let malformed = attributes(&|event| {
        event.as_object_mut().unwrap().remove("objectRef");
        event["requestURI"] = "/%zz?x".into();
    });
    assert_eq!(malformed.path, "/%zz");
}

#[test]
fn memory_is_bounded() {
    // Watches, and requests whose ends are not in the log.
    for stage in ["ResponseStarted", "RequestReceived"] {
        bounded(stage);
    }
}

fn bounded(stage: &str) {
    // More than are kept.
    const REQUESTS: usize = (1 << 16) + 500;
    let begin = event("0", stage).to_string();
    let log: String = (0..REQUESTS)
        .map(|number| begin.replace("\"0\"", &format!("\"{number}\"")) + "\n")
        .collect();
    let mut reported = 0;
    let mut reader = AuditLog::new();
    let mut count = |_: &Event<'_>| {
        reported += 1;
        Ok::<(), io::Error>(())
    };
    reader.read(log.as_bytes(), &mut count).unwrap();
    assert_eq!(reader.open(), 1 << 16);
    // The end of a request that was reported early reports it no second time.
    let ends = log.replace(stage, "ResponseComplete");
    reader.read(ends.as_bytes(), &mut count).unwrap();
    assert_eq!(reader.open(), 0);
    let counts = reader.finish(count).unwrap();
    assert_eq!(
        (reported, counts.requests, counts.incomplete),
        (REQUESTS, REQUESTS as u64, 500)
    );
}
