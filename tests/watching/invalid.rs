//! Objects that do not fit their type do not end a list, a watch or a store.

use crate::watching::fake::{Fake, Reply, answer, line, list};
use crate::watching::support::{next, soon, take, watcher};
use k8s_flowcontrol::watch::{Store, StoreEvent};
use std::sync::{Arc, Mutex};

type Level = k8s_flowcontrol::api::v1::PriorityLevelConfiguration;

const BROKEN: &str =
    r#"{"metadata":{"name":"b","uid":"b-2","resourceVersion":"2"},"spec":{"limited":true}}"#;

/// A list of the valid level `a` and an invalid level `b`, then these lines of a watch.
async fn server(lines: String) -> Fake {
    Fake::start(move |request| match request.is_watch() {
        true => Reply::Open(lines.clone()),
        false => answer(
            200,
            "",
            format!(
                r#"{{"metadata":{{"resourceVersion":"5"}},"items":[{BROKEN},{{"metadata":{{"name":"a","uid":"a-1","resourceVersion":"1"}}}}]}}"#
            ),
        ),
    })
    .await
}

fn broken_line(kind: &str, name: &str, version: u32) -> String {
    line(kind, name, version).replace("\"spec\":{}", "\"spec\":5")
}

#[tokio::test]
async fn a_watcher_continues_with_the_others() {
    let lines = broken_line("MODIFIED", "a", 6)
        + &line("MODIFIED", "b", 7)
        + &broken_line("DELETED", "b", 8)
        + &line("ADDED", "c", 9);
    let server = server(lines).await;
    let mut watcher = watcher(&server.client).streaming_lists(false);
    let error = "expected a JSON object (PriorityLevelConfigurationSpec)";
    assert_eq!(take(&mut watcher, 2).await, ["begin", "item a"]);
    let invalid = next(&mut watcher).await;
    assert!(
        invalid.starts_with("invalid b: spec.limited: invalid type: boolean `true`"),
        "{invalid}"
    );
    assert_eq!(next(&mut watcher).await, "end");
    assert_eq!(
        take(&mut watcher, 4).await,
        [
            &format!("invalid a: spec: invalid type: integer `5`, {error} false"),
            "applied b",
            &format!("invalid b: spec: invalid type: integer `5`, {error} true"),
            "applied c",
        ]
    );
    assert_eq!(server.requests(), ["list", "watch"]);
}

#[tokio::test]
async fn it_is_an_error_on_request() {
    let server = server(String::new()).await;
    let mut watcher = watcher(&server.client)
        .streaming_lists(false)
        .keep_invalid(false);
    let error = soon(watcher.next()).await.unwrap().unwrap_err();
    assert!(error.is_decode(), "{error}");

    let levels = server.client.priority_level_configurations();
    assert!(
        soon(levels.list().into_future())
            .await
            .unwrap_err()
            .is_decode()
    );
    let list = soon(levels.list().keep_invalid(true).into_future())
        .await
        .unwrap();
    assert_eq!((list.items.len(), list.invalid.len()), (1, 1));
    assert_eq!(list.invalid[0].object.as_str(), BROKEN);
    let mut items = levels.list().keep_invalid(true).items();
    let error = soon(items.next()).await.unwrap().unwrap_err();
    assert!(error.is_decode(), "no item is lost silently: {error}");
}

#[tokio::test]
async fn a_store_does_not_hold_it_and_reports_it() {
    let lines = broken_line("MODIFIED", "a", 6) + &line("ADDED", "c", 9);
    let server = Fake::start(move |request| match request.is_watch() {
        true => Reply::Open(lines.clone()),
        false => list(5, "", &[("a", 1)]),
    })
    .await;
    let errors = Arc::new(Mutex::new(Vec::new()));
    let seen = errors.clone();
    let store: Store<Level> = Store::builder(watcher(&server.client).streaming_lists(false))
        .on_error(move |error| seen.lock().unwrap().push(error.to_string()))
        .start();
    let mut events = store.subscribe();
    loop {
        match soon(events.next()).await {
            Some(StoreEvent::Added { object, .. })
                if object.metadata.name.as_deref() == Some("c") =>
            {
                break;
            }
            Some(StoreEvent::Snapshot(snapshot))
                if snapshot
                    .objects
                    .iter()
                    .any(|o| o.metadata.name.as_deref() == Some("c")) =>
            {
                break;
            }
            Some(_) => {}
            None => panic!("the store has ended"),
        }
    }
    assert!(store.get("a").is_none());
    let invalid = store.invalid();
    assert_eq!(invalid.len(), 1);
    assert_eq!(invalid[0].metadata.name.as_deref(), Some("a"));
    let errors = errors.lock().unwrap();
    assert!(
        errors
            .iter()
            .any(|error| error.contains("a: spec: invalid type: integer `5`")),
        "{errors:?}"
    );
}
