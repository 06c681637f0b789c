//! Events from the lines of a watch.

use super::watch;
use crate::script::Reply;
use k8s_flowcontrol::Error;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::watch::{Bookmark, WatchEvent};

const OBJECT: &str = r#"{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"name":"a","resourceVersion":"7"},"spec":{"priorityLevelConfiguration":{"name":"x"}}}"#;

fn both_orders(kind: &str, object: &str) -> [String; 2] {
    [
        format!(r#"{{"type":"{kind}","object":{object}}}"#),
        format!(r#"{{"more":[1], "object": {object} ,"type":"{kind}"}}"#),
    ]
}

/// The first result of a watch.
async fn first(line: &str) -> Result<WatchEvent<FlowSchema>, Error> {
    let mut stream = watch(Reply::ok(format!("{line}\n")), 10_000).await;
    stream.next().await.unwrap()
}

#[tokio::test]
async fn lines_after_others_are_read_as_if_they_were_the_first() {
    let rule = r#"{"subjects":[{"kind":"Group","group":{"name":"a"}}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["/"]}]}"#;
    let objects = [
        OBJECT.to_owned(),
        format!(
            r#"{{"spec":{{"rules":[{rule},{rule},{rule}]}},"metadata":{{"uid":"u","name":"b"}}}}"#
        ),
        format!(
            r#"{{"metadata":{{"labels":{{"x":"y"}},"name":"c"}},"new":[1],"spec":{{"rules":[{rule}]}}}}"#
        ),
        r#"{"spec":{"rules":[]},"metadata":{}}"#.to_owned(),
    ];
    // Each object follows each of them.
    let pairs = objects
        .iter()
        .flat_map(|first| objects.iter().flat_map(move |second| [first, second]));
    let lines: Vec<String> = pairs
        .flat_map(|object| both_orders("ADDED", object))
        .collect();
    let mut stream = watch(Reply::ok(lines.join("\n")), 10_000).await;
    for line in &lines {
        let event = stream.next().await.unwrap().unwrap();
        assert_eq!(event, first(line).await.unwrap(), "{line}");
    }
    assert!(stream.next().await.is_none());
    for line in &lines {
        let half = &line[..line.len() / 2];
        let mut stream = watch(Reply::ok(format!("{line}\n{half}\n")), 10_000).await;
        stream.next().await.unwrap().unwrap();
        stream.next().await.unwrap().unwrap_err();
    }
}

#[tokio::test]
async fn changes() {
    let expected: FlowSchema = serde_json::from_str(OBJECT).unwrap();
    for line in both_orders("MODIFIED", OBJECT) {
        let event = first(&line).await.unwrap();
        assert_eq!(event.resource_version(), Some("7"));
        let (object, losses) = (expected.clone(), Vec::new());
        assert_eq!(event, WatchEvent::Modified { object, losses });
    }
}

#[tokio::test]
async fn bookmarks() {
    let object = r#"{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"resourceVersion":"9","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"matchingPrecedence":0,"priorityLevelConfiguration":{"name":""}},"status":{}}"#;
    let later = object.replace("true", "false");
    for (object, ends) in [(object, true), (&*later, false)] {
        for line in both_orders("BOOKMARK", object) {
            let WatchEvent::Bookmark(Bookmark {
                resource_version,
                ends_initial_events,
                ..
            }) = first(&line).await.unwrap()
            else {
                panic!("{line}")
            };
            assert_eq!((&*resource_version, ends_initial_events), ("9", ends));
        }
    }
}

#[tokio::test]
async fn errors() {
    let status = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (9)","reason":"Expired","code":410}"#;
    for line in both_orders("ERROR", status) {
        let error = first(&line).await.unwrap_err();
        assert_eq!(error.status().unwrap().code, Some(410));
    }
}

#[tokio::test]
async fn malformed_lines() {
    for (line, expected) in [
        (r#"{"type":"ADDED"}"#, "missing field `object`"),
        (r#"{"object":{}}"#, "missing field `type`"),
        (r#"{}"#, "missing field `type`"),
        (r#"[]"#, "a watch event"),
        (
            r#"{"type":"PAINTED","object":{}}"#,
            "unknown event type `PAINTED`",
        ),
        (
            r#"{"type":"ADDED","type":"ADDED","object":{}}"#,
            "duplicate field `type`",
        ),
        (
            r#"{"type":"ADDED","object":{},"object":{}}"#,
            "duplicate field `object`",
        ),
        (
            r#"{"type":"ADDED","object":{"kind":"Other"}}"#,
            "expected kind `FlowSchema`, found `Other`",
        ),
        (
            r#"{"object":{"kind":"Other"},"type":"ADDED"}"#,
            "expected kind `FlowSchema`, found `Other`",
        ),
        (r#"{"type":"ADDED","object":{"#, "EOF"),
    ] {
        let error = first(line).await.unwrap_err();
        assert!(error.is_decode(), "{error}");
        let text = error.to_string();
        assert!(text.contains(expected), "{line}: {text}");
    }
}
