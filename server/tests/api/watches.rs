//! Watches.

use crate::api::http::Response;
use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, level, schema};
use serde_json::{Value, json};
use std::time::Duration;

/// The response of a watch.
pub(crate) struct Watch {
    response: Response,
    rest: Vec<u8>,
}

impl Watch {
    pub(crate) async fn open(api: &Api, path: &str) -> Self {
        let request = api.request("GET", &format!("/apis/{GROUP}/{path}"));
        let response = request.send().await;
        assert_eq!(response.code(), 200);
        Self {
            response,
            rest: Vec::new(),
        }
    }

    /// The next event, or `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            self.rest.extend(self.response.chunk().await?);
        }
    }

    /// Type and name of the next event.
    async fn seen(&mut self) -> (String, String) {
        let event = self.next().await.unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (
            text(&event["type"]),
            text(&event["object"]["metadata"]["name"]),
        )
    }
}

fn event(r#type: &str, name: &str) -> (String, String) {
    (r#type.into(), name.into())
}

#[tokio::test]
async fn a_watch_sends_initial_events_and_then_changes() {
    let api = Api::with(|builder| builder.bootstrap(false)).await;
    api.send("POST", LEVELS, Some(level("a", 1))).await;
    let mut watch = Watch::open(&api, &format!("{LEVELS}?watch=true")).await;
    assert_eq!(watch.seen().await, event("ADDED", "a"));
    api.send("POST", LEVELS, Some(level("b", 1))).await;
    api.send("PUT", &format!("{LEVELS}/b"), Some(level("b", 2)))
        .await;
    api.send("DELETE", &format!("{LEVELS}/b"), None).await;
    let mut versions = Vec::new();
    for r#type in ["ADDED", "MODIFIED", "DELETED"] {
        let event = watch.next().await.unwrap();
        let metadata = &event["object"]["metadata"];
        assert_eq!(
            (&event["type"], &metadata["name"]),
            (&r#type.into(), &"b".into())
        );
        let version = metadata["resourceVersion"].as_str().unwrap();
        versions.push(version.parse::<u64>().unwrap());
    }
    // The event of a deletion has the version of the deletion.
    assert_eq!(versions, [versions[0], versions[0] + 1, versions[0] + 2]);
    api.server.stop().await;
    assert_eq!(watch.next().await, None);
}

#[tokio::test]
async fn watches_of_new_servers_are_compressed_for_those_who_accept_it() {
    use flate2::write::MultiGzDecoder;
    use std::io::Write;

    for (release, accepted, expected) in [
        ("1.37", "gzip", Some("gzip")),
        ("1.37", "identity", None),
        ("1.36", "gzip", None),
    ] {
        let api = Api::with(|builder| builder.kubernetes(release)).await;
        let path = format!("/apis/flowcontrol.apiserver.k8s.io/{SCHEMAS}?watch=true");
        let request = api.request("GET", &path);
        let mut response = request.header("accept-encoding", accepted).send().await;
        let encoding = response.headers().get("content-encoding");
        assert_eq!(encoding.map(|value| value.to_str().unwrap()), expected);
        if expected.is_none() {
            continue;
        }
        // Each chunk is a whole gzip member, with whole events.
        for _ in 0..2 {
            let mut decoder = MultiGzDecoder::new(Vec::new());
            decoder.write_all(&response.chunk().await.unwrap()).unwrap();
            let text = decoder.finish().unwrap();
            assert!(text.starts_with(b"{\"type\":") && text.ends_with(b"\n"));
            api.send("POST", SCHEMAS, Some(schema("later"))).await;
        }
    }
}

#[tokio::test]
async fn a_watch_with_a_continue_token_is_invalid_where_it_begins_with_a_list() {
    for (release, code) in [("1.29", 200), ("1.36", 422)] {
        let api = Api::with(|builder| builder.kubernetes(release)).await;
        let list = api.get(&format!("{SCHEMAS}?limit=1")).await;
        let token = list.body["metadata"]["continue"].as_str().unwrap();
        let watch = format!("{SCHEMAS}?watch=true&timeoutSeconds=1&continue={token}");
        let path = format!("/apis/flowcontrol.apiserver.k8s.io/{watch}");
        let response = api.request("GET", &path).send().await;
        assert_eq!(response.code(), code, "{release}");
    }
}

#[tokio::test]
async fn a_watch_continues_from_a_revision_until_it_expires() {
    let api = Api::with(|builder| builder.bootstrap(false)).await;
    let then = api.get(LEVELS).await.body["metadata"]["resourceVersion"].clone();
    let path = format!(
        "{LEVELS}?watch=true&resourceVersion={}",
        then.as_str().unwrap()
    );
    api.send("POST", LEVELS, Some(level("a", 1))).await;
    let mut watch = Watch::open(&api, &path).await;
    assert_eq!(watch.seen().await, event("ADDED", "a"));

    api.server.expire_history();
    let mut watch = Watch::open(&api, &path).await;
    let error = watch.next().await.unwrap();
    assert_eq!(error["type"], "ERROR");
    assert_eq!(
        (&error["object"]["code"], &error["object"]["reason"]),
        (&json!(410), &json!("Expired"))
    );
    // The requested revision, and the oldest revision of the history.
    let now = api.get(LEVELS).await.body["metadata"]["resourceVersion"].clone();
    let (then, now) = (then.as_str().unwrap(), now.as_str().unwrap());
    assert_eq!(
        error["object"]["message"],
        format!("too old resource version: {then} ({now})")
    );
    assert_eq!(watch.next().await, None);
}

#[tokio::test]
async fn objects_enter_and_leave_a_selection() {
    let api = Api::with(|builder| builder.bootstrap(false)).await;
    let labelled = |value: &str| {
        let mut schema = schema("a");
        schema["metadata"]["labels"]["lab"] = value.into();
        schema
    };
    let path = format!("{SCHEMAS}?watch=true&labelSelector=lab%3Din");
    let mut watch = Watch::open(&api, &path).await;
    api.send("POST", SCHEMAS, Some(labelled("out"))).await;
    for value in ["in", "out"] {
        api.send("PUT", &format!("{SCHEMAS}/a"), Some(labelled(value)))
            .await;
    }
    assert_eq!(watch.seen().await, event("ADDED", "a"));
    assert_eq!(watch.seen().await, event("DELETED", "a"));
}

#[tokio::test]
async fn bookmarks_carry_the_revision_of_a_watch() {
    let api = Api::with(|builder| {
        builder
            .bootstrap(false)
            .bookmark_interval(Duration::from_millis(20))
    })
    .await;
    let path = format!("{LEVELS}?watch=true&allowWatchBookmarks=true");
    let mut watch = Watch::open(&api, &path).await;
    // The first bookmark ends the initial events.
    let first = watch.next().await.unwrap();
    assert_eq!(first["type"], "BOOKMARK");
    assert_eq!(
        first["object"]["metadata"]["annotations"],
        json!({"k8s.io/initial-events-end": "true"})
    );
    let next = watch.next().await.unwrap();
    assert_eq!(next["type"], "BOOKMARK");
    assert_eq!(next["object"]["metadata"].get("annotations"), None);
    assert_eq!(next["object"]["kind"], "PriorityLevelConfiguration");
    // The version 0 has this bookmark too; deprecated paths do not.
    let parameters = "allowWatchBookmarks=true&resourceVersion=0";
    for (path, ends_list) in [
        (format!("{LEVELS}?watch=true&{parameters}"), true),
        (
            format!("v1/watch/prioritylevelconfigurations?{parameters}"),
            false,
        ),
    ] {
        let first = Watch::open(&api, &path).await.next().await.unwrap();
        let annotations = first["object"]["metadata"].get("annotations");
        assert_eq!(annotations.is_some(), ends_list, "{path}");
    }
}

#[tokio::test]
async fn a_watch_ends_in_time() {
    let api = Api::with(|builder| builder.bootstrap(false)).await;
    for seconds in [1, -1] {
        let path = format!("{LEVELS}?watch=true&timeoutSeconds={seconds}");
        assert_eq!(Watch::open(&api, &path).await.next().await, None);
    }
}

#[tokio::test]
async fn deprecated_paths_watch_too() {
    let api = Api::start().await;
    let mut watch = Watch::open(&api, "v1/watch/flowschemas/exempt").await;
    assert_eq!(watch.seen().await, event("ADDED", "exempt"));
    let mut watch = Watch::open(&api, "v1/watch/flowschemas").await;
    assert_eq!(watch.seen().await, event("ADDED", "catch-all"));
    // The parameters are checked as parameters of a list.
    let parameters = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0";
    let invalid = api.get(&format!("v1/watch/flowschemas?{parameters}")).await;
    assert_eq!(invalid.code, 422);
    let cause = &invalid.body["details"]["causes"][0];
    assert_eq!(
        cause["message"],
        "Forbidden: sendInitialEvents is forbidden for list"
    );
}

#[tokio::test]
async fn older_releases_do_not_stream_lists() {
    let path = format!(
        "{LEVELS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan\
         &allowWatchBookmarks=true"
    );
    let old = Api::with(|builder| builder.kubernetes("1.29")).await;
    assert_eq!(old.get(&path).await.code, 422);
    let new = Api::with(|builder| builder.kubernetes("1.36")).await;
    let mut watch = Watch::open(&new, &path).await;
    for _ in 0..8 {
        assert_eq!(watch.seen().await.0, "ADDED");
    }
    assert_eq!(watch.seen().await.0, "BOOKMARK");
}

#[tokio::test]
async fn initial_events_wait_for_their_revision() {
    let api = Api::with(|builder| builder.kubernetes("1.36").bootstrap(false)).await;
    let now = api.get(LEVELS).await.body["metadata"]["resourceVersion"].clone();
    let now: u64 = now.as_str().unwrap().parse().unwrap();
    let path = |version: u64| {
        format!(
            "{LEVELS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan\
             &resourceVersion={version}"
        )
    };
    let (next, never) = (path(now + 1), path(now + 9));
    let (mut watch, mut ended, _) = tokio::join!(
        Watch::open(&api, &next),
        Watch::open(&api, &never),
        api.send("POST", LEVELS, Some(level("a", 1))),
    );
    assert_eq!(watch.seen().await, event("ADDED", "a"));
    let error = ended.next().await.unwrap();
    assert_eq!(error["type"], "ERROR");
    let message = format!(
        "Timeout: Too large resource version: {}, current: {}",
        now + 9,
        now + 1
    );
    assert_eq!(
        (&error["object"]["code"], &error["object"]["message"]),
        (&json!(504), &json!(message))
    );
    assert_eq!(ended.next().await, None);
}

/// A path with a name only takes a selector that requires the name.
#[tokio::test]
async fn a_watch_of_one_object_must_select_it() {
    let api = Api::start().await;
    for (selector, code) in [
        ("metadata.name%3Dexempt", 200),
        ("%2C", 200),
        ("metadata.name%3Dother", 400),
        ("metadata.name!%3Dother", 400),
        ("metadata.namespace%3D", 400),
    ] {
        let path = format!("v1/watch/flowschemas/exempt?timeoutSeconds=1&fieldSelector={selector}");
        assert_eq!(api.get(&path).await.code, code, "{selector}");
    }
}

/// The first event of a watch of tables has their columns, also where a bookmark ends the initial events.
#[tokio::test]
async fn only_the_first_event_has_columns() {
    let api = Api::start().await;
    let query =
        "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let request = api
        .request("GET", &format!("/apis/{GROUP}/{SCHEMAS}?{query}"))
        .header("accept", "application/json;as=Table;g=meta.k8s.io;v=v1");
    let mut watch = Watch {
        response: request.send().await,
        rest: Vec::new(),
    };
    let mut with_columns = Vec::new();
    loop {
        let event = watch.next().await.unwrap();
        with_columns.push(event["object"]["columnDefinitions"].is_array());
        if event["type"] == "BOOKMARK" {
            break;
        }
    }
    assert!(with_columns.len() > 2);
    assert_eq!(with_columns.iter().position(|has| *has), Some(0));
    assert_eq!(with_columns.iter().filter(|has| **has).count(), 1);
}
