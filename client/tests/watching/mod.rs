//! Watchers and waits against a server of a few lines, for rare responses.

use crate::http::fake::{Fake, answer, chunked, serve};
use futures_core::Stream;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::watch::{Store, Watcher, WatcherEvent};
use k8s_flowcontrol::{Client, Resource, wait};
use std::time::Duration;

fn watcher(fake: &Fake) -> Watcher<FlowSchema> {
    let client = Client::from_url(&fake.url).unwrap();
    let watcher = client.flow_schemas().watcher();
    watcher.backoff(Duration::from_millis(1), Duration::from_millis(2))
}

fn object(name: &str, version: u32) -> String {
    format!(r#"{{"metadata":{{"name":"{name}","resourceVersion":"{version}"}},"spec":{{}}}}"#)
}

fn event(kind: &str, name: &str, version: u32) -> String {
    format!(
        "{{\"type\":\"{kind}\",\"object\":{}}}\n",
        object(name, version)
    )
}

/// The bookmark that ends initial events.
fn initial_end(version: u32) -> String {
    format!(
        "{{\"type\":\"BOOKMARK\",\"object\":{{\"metadata\":{{\"resourceVersion\":\"{version}\",\"annotations\":\
         {{\"k8s.io/initial-events-end\":\"true\"}}}}}}}}\n"
    )
}

fn list(metadata: &str, items: &[String]) -> String {
    let body = format!(
        r#"{{"metadata":{{{metadata}}},"items":[{}]}}"#,
        items.join(",")
    );
    answer("200 OK", "", &body)
}

fn short(event: &WatcherEvent<FlowSchema>) -> String {
    match event {
        WatcherEvent::ListBegin => "begin".into(),
        WatcherEvent::ListItem { object, .. } => format!("item {}", object.name()),
        WatcherEvent::ListEnd { disappeared, .. } => format!("end {disappeared:?}"),
        WatcherEvent::Applied { object, .. } => format!("applied {}", object.name()),
        WatcherEvent::Deleted { object, .. } => format!("deleted {}", object.name()),
        other => format!("{other:?}"),
    }
}

/// The events up to `last`, without the errors of connections that end.
async fn events_up_to(watcher: &mut Watcher<FlowSchema>, last: &str) -> Vec<String> {
    let mut events = Vec::new();
    while events.last().is_none_or(|event| event != last) {
        match watcher.next().await.unwrap() {
            Ok(event) => events.push(short(&event)),
            Err(error) if error.code().is_some() => events.push(error.to_string()),
            Err(error) => assert!(error.is_retryable() || error.is_decode(), "{error}"),
        }
    }
    events
}

/// The query of each request.
fn queries(fake: Fake) -> Vec<String> {
    let query = |request: String| {
        let line = request.lines().next().unwrap_or_default().to_owned();
        let (_, query) = line.split_once('?').unwrap_or_default();
        query.strip_suffix(" HTTP/1.1").unwrap_or(query).to_owned()
    };
    fake.requests().into_iter().map(query).collect()
}

#[tokio::test]
async fn the_query_parameters() {
    let fake = serve(vec![
        chunked(&[&event("ADDED", "a", 1), &initial_end(5)]),
        // The connection was lost, so that the version of the server is checked.
        list(r#""resourceVersion":"5""#, &[]),
        chunked(&[&event("DELETED", "a", 6)]),
    ]);
    let mut watcher = watcher(&fake)
        .label_selector("x=y")
        .watch_timeout(Duration::from_secs(100));
    let events = events_up_to(&mut watcher, "deleted a").await;
    assert_eq!(events, ["begin", "item a", "end []", "deleted a"]);
    let mut queries = queries(fake);
    assert_eq!(queries.remove(1), "labelSelector=x%3Dy&limit=1");
    let parts = |query: &str| query.split('&').map(str::to_owned).collect::<Vec<_>>();
    let has = |query: &str, part: &str| parts(query).iter().any(|found| found == part);
    for part in [
        "watch=true",
        "labelSelector=x%3Dy",
        "sendInitialEvents=true",
        "allowWatchBookmarks=true",
        "resourceVersionMatch=NotOlderThan",
    ] {
        assert!(has(&queries[0], part), "{part} in {}", queries[0]);
    }
    assert!(
        !queries[0].contains("resourceVersion="),
        "the newest state: {}",
        queries[0]
    );
    for part in [
        "watch=true",
        "labelSelector=x%3Dy",
        "allowWatchBookmarks=true",
        "resourceVersion=5",
    ] {
        assert!(has(&queries[1], part), "{part} in {}", queries[1]);
    }
    assert!(!queries[1].contains("Match"), "{}", queries[1]);
    for query in &queries {
        let seconds = parts(query)
            .iter()
            .find_map(|part| part.strip_prefix("timeoutSeconds=")?.parse().ok());
        let seconds: u32 = seconds.unwrap();
        assert!((100..=200).contains(&seconds), "{seconds}");
    }
}

#[tokio::test]
async fn objects_may_change_and_go_while_they_are_streamed() {
    let fake = serve(vec![chunked(&[
        &event("ADDED", "a", 1),
        &event("ADDED", "b", 2),
        &event("MODIFIED", "a", 3),
        &event("DELETED", "b", 4),
        &initial_end(4),
        &event("MODIFIED", "a", 5),
    ])]);
    let events = events_up_to(&mut watcher(&fake), "applied a").await;
    let expected = [
        "begin",
        "item a",
        "item b",
        "item a",
        "deleted b",
        "end []",
        "applied a",
    ];
    assert_eq!(events, expected);
}

#[tokio::test]
async fn a_server_that_ignores_streaming_lists_gets_a_list() {
    // A watch that starts with the objects, without the bookmark that ends them.
    let bookmark = r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}}"#;
    let fake = serve(vec![
        chunked(&[&event("ADDED", "a", 1), bookmark, "\n"]),
        list(r#""resourceVersion":"5""#, &[object("a", 1)]),
        chunked(&[&event("MODIFIED", "a", 6)]),
    ]);
    let events = events_up_to(&mut watcher(&fake), "applied a").await;
    assert_eq!(
        events,
        ["begin", "item a", "begin", "item a", "end []", "applied a"]
    );
}

#[tokio::test]
async fn a_streaming_list_that_breaks_starts_over() {
    let fake = serve(vec![
        chunked(&[&event("ADDED", "a", 1), &event("ADDED", "b", 2)]),
        chunked(&[&event("ADDED", "b", 2), &initial_end(5)]),
    ]);
    let events = events_up_to(&mut watcher(&fake), "end [\"a\"]").await;
    assert_eq!(
        events,
        [
            "begin",
            "item a",
            "item b",
            "begin",
            "item b",
            "end [\"a\"]"
        ]
    );
}

#[tokio::test]
async fn a_version_that_the_server_has_not_reached_leads_to_a_list() {
    let status = r#"{"kind":"Status","code":504,"reason":"Timeout",
        "message":"Timeout: Too large resource version: 5, current: 3",
        "details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]}}"#;
    let fake = serve(vec![
        chunked(&[&event("ADDED", "a", 1), &initial_end(5)]),
        answer("504 Gateway Timeout", "", status),
        chunked(&[&initial_end(3)]),
    ]);
    let events = events_up_to(&mut watcher(&fake), "end [\"a\"]").await;
    assert_eq!(events[..3], ["begin", "item a", "end []"]);
    assert!(events[3].contains("504"), "{events:?}");
    assert_eq!(events[4..], ["begin", "end [\"a\"]"]);
}

#[tokio::test]
async fn a_list_must_have_a_version() {
    let fake = serve(vec![
        list("", &[object("a", 1)]),
        list(r#""resourceVersion":"5""#, &[object("a", 1)]),
    ]);
    let mut watcher = watcher(&fake).streaming_lists(false);
    for expected in ["begin", "item a"] {
        assert_eq!(short(&watcher.next().await.unwrap().unwrap()), expected);
    }
    let error = watcher.next().await.unwrap().unwrap_err();
    let text = "expected FlowSchemaList in the response: its metadata has no resourceVersion to watch from";
    assert!(error.to_string().ends_with(text), "{error}");
    assert_eq!(
        events_up_to(&mut watcher, "end []").await,
        ["begin", "item a", "end []"]
    );
}

#[tokio::test]
async fn a_repeated_continue_token_is_an_error_and_leads_to_a_whole_list() {
    let page = |name: &str| {
        list(
            r#""resourceVersion":"5","continue":"t""#,
            &[object(name, 1)],
        )
    };
    let whole = list(
        r#""resourceVersion":"5""#,
        &[object("a", 1), object("b", 1)],
    );
    let fake = serve(vec![page("a"), page("b"), whole]);
    let mut watcher = watcher(&fake).streaming_lists(false);
    for expected in ["begin", "item a"] {
        assert_eq!(short(&watcher.next().await.unwrap().unwrap()), expected);
    }
    let error = watcher.next().await.unwrap().unwrap_err();
    let text = "expected FlowSchemaList in the response: the server repeated a continue token";
    assert!(
        error.is_decode() && error.to_string().ends_with(text),
        "{error}"
    );
    assert_eq!(
        events_up_to(&mut watcher, "end []").await,
        ["begin", "item a", "item b", "end []"]
    );
}

#[tokio::test]
async fn a_page_with_more_items_than_its_limit_is_an_error_and_leads_to_a_whole_list() {
    let all = ["a", "b", "c"].map(|name| object(name, 1));
    let page = list(r#""resourceVersion":"5","continue":"t""#, &all);
    let whole = list(r#""resourceVersion":"5""#, &all);
    let fake = serve(vec![page, whole]);
    let mut watcher = watcher(&fake).streaming_lists(false).page_size(2);
    let error = watcher.next().await.unwrap().unwrap_err();
    let text = "the server sent more items than the limit of the page";
    assert!(
        error.is_decode() && error.to_string().ends_with(text),
        "{error}"
    );
    let events = events_up_to(&mut watcher, "end []").await;
    assert_eq!(events, ["begin", "item a", "item b", "item c", "end []"]);
    assert_eq!(queries(fake)[..2], ["limit=2", ""]);
}

#[tokio::test]
async fn repeated_garbage_leads_to_a_list() {
    let garbage = || chunked(&["<html>\n"]);
    let fake = serve(vec![
        // It ends at once after the list, and so is the first of three failed watches.
        chunked(&[&event("ADDED", "a", 1), &initial_end(5)]),
        garbage(),
        garbage(),
        chunked(&[&event("ADDED", "a", 1), &initial_end(6)]),
    ]);
    let mut watcher = watcher(&fake);
    for expected in ["begin", "item a", "end []"] {
        assert_eq!(short(&watcher.next().await.unwrap().unwrap()), expected);
    }
    assert_eq!(
        events_up_to(&mut watcher, "end []").await,
        ["begin", "item a", "end []"]
    );
}

/// `1e400` is larger than any Rust number.
#[tokio::test]
async fn a_condition_holds_beside_an_unknown_field_with_a_huge_number() {
    let schema = r#"{"metadata":{"name":"a","resourceVersion":"1"},"spec":{"future":1e400},
        "status":{"conditions":[{"type":"Other","status":"True"},{"type":"Dangling","status":"False"}]}}"#;
    let fake = serve(vec![list(r#""resourceVersion":"5""#, &[schema.into()])]);
    let client = Client::from_url(&fake.url).unwrap();
    let wait = client.flow_schemas().wait_for("a", wait::is_not_dangling());
    let found = wait.timeout(Duration::from_secs(5)).await.unwrap();
    assert_eq!(found.unwrap().name(), "a");
}

#[test]
fn they_are_streams_that_can_be_sent() {
    fn is_stream<T: Stream + Send + Unpin>() {}
    fn is_shared<T: Send + Sync + Clone>() {}
    is_stream::<Watcher<FlowSchema>>();
    is_stream::<k8s_flowcontrol::watch::Subscription<FlowSchema>>();
    is_shared::<Store<FlowSchema>>();
}
