//! Stores: how lists and watches change the copy, which events are kept, and what is left of it all.

#[cfg(target_os = "linux")]
mod memory;

use crate::script::{Reply, Script};
use k8s_flowcontrol::Resource as _;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::watch::{ObjectKey, Store, StoreEvent, Subscription, Watcher};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
/// Longer than anything that a test plays, and shorter than the silence after which a watcher asks again.
const ALL: Duration = Duration::from_secs(100);

fn object(name: &str, uid: &str, version: u32) -> String {
    let metadata = json!({"name": name, "uid": uid, "resourceVersion": version.to_string()});
    json!({"metadata": metadata, "spec": {}}).to_string()
}

fn page(token: &str, items: &[String]) -> String {
    let metadata = format!(r#"{{"resourceVersion":"1","continue":"{token}"}}"#);
    format!(r#"{{"metadata":{metadata},"items":[{}]}}"#, items.join(","))
}

fn list(items: &[String]) -> Reply {
    Reply::ok(page("", items))
}

fn line(kind: &str, object: &str) -> String {
    format!("{{\"type\":\"{kind}\",\"object\":{object}}}\n")
}

fn applied(name: &str, uid: &str, version: u32) -> String {
    line("MODIFIED", &object(name, uid, version))
}

fn deleted(name: &str, version: u32) -> String {
    line("DELETED", &object(name, "-", version))
}

/// The bookmark that ends a streaming list.
fn end() -> String {
    let annotations = json!({"k8s.io/initial-events-end": "true"});
    let metadata = json!({"resourceVersion": "100", "annotations": annotations});
    line("BOOKMARK", &json!({"metadata": metadata}).to_string())
}

fn watcher(replies: impl IntoIterator<Item = Reply>) -> Watcher<FlowSchema> {
    let open = std::iter::once(Reply::ok("").stays_open());
    let script = Script::of(replies.into_iter().chain(open));
    let watcher = script.client().flow_schemas().watcher();
    watcher.backoff(SECOND, SECOND)
}

/// A store that lists in pages.
fn paged(replies: impl IntoIterator<Item = Reply>) -> Store<FlowSchema> {
    Store::start(watcher(replies).streaming_lists(false))
}

/// A change in short: `+a1` is added, `a1>2` modified, `-a1` deleted.
fn short(event: &StoreEvent<FlowSchema>) -> String {
    let version = |object: &FlowSchema| object.metadata.resource_version.clone().unwrap();
    let show = |object: &FlowSchema| format!("{}{}", object.name(), version(object));
    match event {
        StoreEvent::Snapshot(all) if all.missed > 0 => format!("missed {}", all.missed),
        StoreEvent::Snapshot(all) => all.objects.iter().map(|object| show(object)).collect(),
        StoreEvent::Added { object, .. } => format!("+{}", show(object)),
        StoreEvent::Modified { old, new, .. } => format!("{}>{}", show(old), version(new)),
        StoreEvent::Deleted { object } => format!("-{}", show(object)),
        other => panic!("{other:?}"),
    }
}

/// The events of the next seconds.
async fn events(events: &mut Subscription<FlowSchema>, time: Duration) -> Vec<String> {
    let deadline = tokio::time::Instant::now() + time;
    let mut all = Vec::new();
    while let Ok(event) = tokio::time::timeout_at(deadline, events.next()).await {
        all.push(short(&event.unwrap()));
    }
    all
}

#[tokio::test(start_paused = true)]
async fn events_of_a_watch() {
    let lines = [
        applied("b", "2", 2),
        applied("a", "1", 3),
        // The same state again is not a change.
        applied("a", "1", 3),
        deleted("b", 4),
        deleted("never", 5),
        // Created again under the same name.
        applied("a", "6", 6),
    ];
    let watch = Reply::ok("").pause(SECOND).data(lines.concat());
    let watch = watch.stays_open();
    let store = paged([list(&[object("a", "1", 1)]), watch]);
    let found = events(&mut store.subscribe(), ALL).await;
    assert_eq!(found, ["a1", "+b2", "a1>3", "-b2", "-a3", "+a6"]);
    assert_eq!(store.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_changes_all_objects_at_once_and_emits_the_differences() {
    let before = ["a", "b", "c", "d"].map(|name| object(name, name, 1));
    let first = page("t", &[object("b", "b", 1), object("c", "c", 7)]);
    let last = page("", &[object("d", "other", 8), object("e", "e", 9)]);
    let store = paged([
        list(&before),
        Reply::new(410, "").pause(5 * SECOND),
        Reply::ok(first),
        Reply::ok("").pause(5 * SECOND).data(last),
        Reply::ok("").stays_open(),
    ]);
    let mut subscription = store.subscribe();
    assert_eq!(events(&mut subscription, 4 * SECOND).await, ["a1b1c1d1"]);
    let unchanged = store.get("b").unwrap();
    assert!(events(&mut subscription, 4 * SECOND).await.is_empty());
    assert_eq!(store.len(), 4, "not before the end");
    let expected = ["-a1", "c1>7", "-d1", "+d8", "+e9"];
    assert_eq!(events(&mut subscription, ALL).await, expected);
    let now = store.get("b").unwrap();
    assert!(
        Arc::ptr_eq(&now, &unchanged),
        "an unchanged object is shared"
    );
}

#[tokio::test(start_paused = true)]
async fn a_list_may_start_over_and_delete_an_item() {
    let first = [applied("a", "a", 1), applied("b", "b", 1), end()];
    let second = [
        applied("a", "a", 1),
        applied("c", "c", 3),
        deleted("a", 5),
        applied("c", "c", 4),
        end(),
    ];
    let store = Store::start(watcher([
        Reply::ok(first.concat())
            .pause(SECOND)
            .data(line("ERROR", r#"{"kind":"Status","code":410}"#)),
        Reply::ok(applied("x", "x", 2)),
        Reply::ok(second.concat()).stays_open(),
    ]));
    let found = events(&mut store.subscribe(), ALL).await;
    assert_eq!(found, ["a1b1", "-a1", "-b1", "+c4"]);
    assert_eq!(store.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_may_come_in_any_order() {
    let lines = [
        applied("c", "c", 1),
        applied("a", "a", 1),
        applied("b", "b", 1),
        applied("a", "a", 2),
        applied("d", "d", 1),
        // Deleted, of which one is created again.
        deleted("d", 3),
        deleted("c", 3),
        applied("c", "e", 4),
        end(),
    ];
    let store = Store::start(watcher([
        Reply::ok(end())
            .pause(SECOND)
            .data(line("ERROR", r#"{"kind":"Status","code":410}"#)),
        Reply::ok(lines.concat()).stays_open(),
    ]));
    let found = events(&mut store.subscribe(), ALL).await;
    assert_eq!(found, ["", "+a2", "+b1", "+c4"]);
    let keys: Vec<_> = store
        .snapshot()
        .iter()
        .map(|object| object.name().to_owned())
        .collect();
    assert_eq!(keys, ["a", "b", "c"]);
}

/// A store whose watch adds an object a second, up to this number.
fn growing(objects: u32, kept_events: usize, kept_bytes: usize) -> Store<FlowSchema> {
    let begin = Reply::ok("").pause(SECOND / 2);
    let watch = (1..=objects).fold(begin, |watch, number| {
        let line = applied(&format!("n{number}-"), "-", number + 1);
        watch.data(line).pause(SECOND)
    });
    let watcher = watcher([list(&[]), watch.stays_open()]).streaming_lists(false);
    let builder = Store::builder(watcher).kept_events(kept_events);
    builder.kept_bytes(kept_bytes).start()
}

/// Lets so many seconds go by without reading events.
async fn pass(seconds: u32) {
    tokio::time::sleep(seconds * SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn missed_events_are_counted() {
    let store = growing(5, 2, 10_000);
    let mut subscription = store.subscribe();
    let mut other = store.subscribe();
    for subscription in [&mut subscription, &mut other] {
        assert_eq!(short(&subscription.next().await.unwrap()), "");
    }
    pass(3).await;
    assert_eq!(events(&mut subscription, SECOND / 4).await, ["missed 3"]);
    pass(10).await;
    // The last two are kept.
    assert_eq!(events(&mut subscription, SECOND).await, ["+n4-5", "+n5-6"]);
    assert_eq!(events(&mut other, SECOND).await, ["missed 5"]);
}

#[tokio::test(start_paused = true)]
async fn only_what_a_subscription_has_to_read_is_kept() {
    let add = |number: u32| applied(&format!("n{number}"), "-", 10 * number);
    let remove = |number: u32| deleted(&format!("n{number}"), 10 * number + 5);
    let begin = Reply::ok("").pause(SECOND);
    let watch = (1..4).fold(begin, |watch, number| {
        watch.data(add(number) + &remove(number)).pause(SECOND)
    });
    let store = paged([list(&[]), watch.stays_open()]);
    let (mut slow, mut fast) = (store.subscribe(), store.subscribe());
    slow.next().await.unwrap();
    fast.next().await.unwrap();
    let mut kept = Vec::new();
    for _ in 0..6 {
        let event = tokio::time::timeout(ALL, fast.next()).await.unwrap();
        if let Some(StoreEvent::Added { object, .. }) = event {
            kept.push(Arc::downgrade(&object));
        }
    }
    assert_eq!(kept.len(), 3);
    let alive = || {
        kept.iter()
            .filter(|object| object.strong_count() > 0)
            .count()
    };
    assert_eq!(alive(), 3, "for the slow one");
    for _ in 0..2 {
        slow.next().await.unwrap();
    }
    assert_eq!(alive(), 2);
    drop(slow);
    assert_eq!(alive(), 0);
    assert!(store.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_events_are_bounded_in_bytes() {
    let missed = async |objects: u32, bytes: usize| {
        let store = growing(objects, 1000, bytes);
        let mut subscription = store.subscribe();
        subscription.next().await.unwrap();
        pass(objects + 1).await;
        events(&mut subscription, SECOND).await.remove(0)
    };
    // So few are kept regardless of their size.
    assert_eq!(missed(16, 100).await, "+n1-2");
    assert_eq!(missed(17, 100).await, "missed 17");
    assert_eq!(missed(60, 100).await, "missed 60");
    assert_eq!(missed(60, 100_000).await, "+n1-2");
}

#[test]
fn the_objects_of_an_index_are_in_the_order_of_their_keys() {
    let mut objects = Vec::new();
    for namespace in [
        None,
        Some(""),
        Some("a"),
        Some("a-b"),
        Some("a0"),
        Some("b"),
    ] {
        for name in ["b", "a", "a0", "a-b"] {
            let mut object = FlowSchema::partial(name);
            object.metadata.namespace = namespace.map(str::to_owned);
            objects.push(object);
        }
    }
    let store = Store::from_objects(objects);
    assert_eq!(store.len(), 20);
    let index = store.index(|_| ["all"]);
    let keys = |objects: Vec<Arc<FlowSchema>>| -> Vec<ObjectKey> {
        objects
            .iter()
            .map(|object| ObjectKey::of(&**object))
            .collect()
    };
    let found = keys(index.get("all"));
    assert!(found.is_sorted(), "{found:?}");
    assert_eq!(found, keys(store.snapshot()));
}

#[tokio::test(start_paused = true)]
async fn objects_that_a_list_lacks_have_disappeared() {
    let items = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| object(name, name, 1)).collect()
    };
    let gone = || Reply::new(410, "");
    let mut watcher = watcher([
        list(&items(&["d", "c", "b", "a"])),
        Reply::ok(deleted("b", 2)).pause(SECOND),
        gone(),
        // A list that fails and starts over.
        Reply::ok(page("t", &items(&["d"]))),
        Reply::new(403, ""),
        list(&items(&["c", "e"])),
        gone(),
        list(&[]),
    ])
    .streaming_lists(false);
    let mut ends = Vec::new();
    while ends.len() < 3 {
        use k8s_flowcontrol::watch::WatcherEvent::ListEnd;
        if let Some(Ok(ListEnd { disappeared })) = watcher.next().await {
            ends.push(format!("{disappeared:?}"));
        }
    }
    assert_eq!(ends, ["[]", r#"["a", "d"]"#, r#"["c", "e"]"#]);
}

#[tokio::test]
async fn selectors_are_joined() {
    for (selectors, expected) in [
        (["a=b", "", "c"], "labelSelector=a%3Db%2Cc"),
        ([" ", "c", " "], "labelSelector=c"),
    ] {
        let script = Script::of([Reply::ok(page("", &[]))]);
        let watcher = script
            .client()
            .flow_schemas()
            .watcher()
            .streaming_lists(false);
        let mut watcher = selectors.into_iter().fold(watcher, Watcher::label_selector);
        watcher.next().await.unwrap().unwrap();
        let sent = script.sent();
        let query = sent[0].query();
        assert!(query.split('&').any(|part| part == expected), "{query}");
        assert!(!query.contains("fieldSelector"), "{query}");
    }
}
