//! Indexes of stores, objects changed before they are stored, and stores without a server.

use crate::watching::support::{
    create, delete, level, relabel, server, soon, start_in_place, watcher,
};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration as Level};
use k8s_flowcontrol::watch::{Index, ObjectKey, Store, StoreEvent, Subscription};
use k8s_flowcontrol::{Resource, meta::ObjectMeta};
use k8s_flowcontrol_server::ApiServer;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

fn names(objects: &[Arc<Level>]) -> Vec<&str> {
    objects.iter().map(|object| object.name()).collect()
}

fn label(name: &'static str) -> impl Fn(&Level) -> Option<String> + Send + Sync {
    move |level| level.metadata.labels.get(name).cloned()
}

/// The groups as text: `x: a b, y: c`.
fn groups(index: &Index<Level, String>) -> String {
    let groups = index.groups().into_iter();
    let groups = groups.map(|(value, levels)| format!("{value}: {}", names(&levels).join(" ")));
    groups.collect::<Vec<_>>().join(", ")
}

/// Waits for this many changes.
async fn changes(events: &mut Subscription<Level>, count: usize) {
    for _ in 0..count {
        soon(events.next()).await.unwrap();
    }
}

#[tokio::test]
async fn an_index_follows_the_objects() {
    let (_server, client) = server().await;
    for (name, x) in [("b", "1"), ("a", "1"), ("c", "2")] {
        create(&client, name, &[("x", x)]).await;
    }
    create(&client, "d", &[]).await;
    let store = Store::start(watcher(&client));
    let by_x = store.index(label("x"));
    assert!(by_x.get("1").is_empty(), "the store is not ready");
    let mut events = store.subscribe();
    changes(&mut events, 1).await;
    assert_eq!(groups(&by_x), "1: a b, 2: c");
    assert_eq!(names(&by_x.get("1")), ["a", "b"]);
    assert!(by_x.get("3").is_empty());
    // The objects of the store, not copies.
    assert!(Arc::ptr_eq(&by_x.get("2")[0], &store.get("c").unwrap()));

    relabel(&client, "c", "x", Some("1")).await;
    relabel(&client, "a", "x", None).await;
    relabel(&client, "b", "y", Some("z")).await;
    delete(&client, "d").await;
    create(&client, "e", &[("x", "0")]).await;
    changes(&mut events, 5).await;
    assert_eq!(groups(&by_x), "0: e, 1: b c");
    assert_eq!(by_x.get("1")[0].metadata.labels["y"], "z");
    delete(&client, "e").await;
    changes(&mut events, 1).await;
    assert_eq!(groups(&by_x), "1: b c");
}

#[tokio::test]
async fn an_index_may_begin_late_and_have_several_values_of_any_type() {
    let (_server, client) = server().await;
    for (name, tags) in [("a", "1-2"), ("b", "2-2-10"), ("c", "")] {
        create(&client, name, &[("tags", tags)]).await;
    }
    let store = Store::start(watcher(&client));
    soon(store.wait_ready()).await.unwrap();
    let by_tag = store.index(|level| -> Vec<u32> {
        let tags = level.metadata.labels["tags"].split('-');
        tags.filter_map(|tag| tag.parse().ok()).collect()
    });
    assert_eq!(by_tag.groups().into_keys().collect::<Vec<_>>(), [1, 2, 10]);
    assert_eq!(names(&by_tag.get(&2)), ["a", "b"]);

    let by_key = by_tag.store().index(|level| [ObjectKey::of(level)]);
    assert_eq!(names(&by_key.get("b")), ["b"]);
    let mut events = store.subscribe();
    changes(&mut events, 1).await;
    drop(by_key.clone());
    relabel(&client, "b", "tags", Some("3")).await;
    changes(&mut events, 1).await;
    assert_eq!(by_key.get("b")[0].metadata.labels["tags"], "3");
    assert_eq!(names(&by_tag.get(&2)), ["a"]);
}

#[tokio::test]
async fn a_list_changes_an_index_at_once() {
    let (server, client) = server().await;
    for name in ["a", "b", "c"] {
        create(&client, name, &[("x", "old")]).await;
    }
    let port = server.port();
    let store = Store::start(watcher(&client).idle_timeout(Duration::from_millis(300)));
    let by_x = store.index(label("x"));
    let mut events = store.subscribe();
    changes(&mut events, 1).await;
    server.stop().await;
    let objects = [("b", "old"), ("c", "new")].map(|(name, x)| level(name, &[("x", x)]));
    let other = ApiServer::builder()
        .bootstrap(false)
        .objects(objects)
        .bookmark_interval(Duration::from_millis(20));
    let server = start_in_place(other, port).await;
    loop {
        match &*groups(&by_x) {
            "old: a b c" => changes(&mut events, 1).await,
            groups => break assert_eq!(groups, "new: c, old: b"),
        }
    }
    drop(server);
}

#[tokio::test]
async fn objects_are_changed_before_they_are_stored() {
    let (_server, client) = server().await;
    create(&client, "a", &[("x", "1"), ("y", "1")]).await;
    let slim = watcher(&client)
        .drop_managed_fields()
        .modify(|level| level.spec = Default::default())
        .modify(|level| drop(level.metadata.labels.remove("y")));
    let store = Store::start(slim);
    let mut events = store.subscribe();
    changes(&mut events, 1).await;
    let check = |level: &Level, x: &str| {
        assert!(level.metadata.managed_fields.is_empty());
        assert_eq!(level.spec, Default::default());
        let labels = BTreeMap::from([("x".to_owned(), x.to_owned())]);
        assert_eq!(level.metadata.labels, labels);
    };
    check(&store.get("a").unwrap(), "1");
    relabel(&client, "a", "x", Some("2")).await;
    match soon(events.next()).await {
        Some(StoreEvent::Modified { old, new, .. }) => {
            check(&old, "1");
            check(&new, "2");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_store_without_a_server() {
    let lease = |namespace: &str, name: &str| {
        let mut schema = FlowSchema::partial(name);
        schema.metadata = ObjectMeta {
            namespace: Some(namespace.to_owned()),
            ..schema.metadata
        };
        schema
    };
    let store = Store::from_objects([
        lease("b", "x"),
        lease("a-c", "x"),
        lease("a", "x"),
        FlowSchema::partial("old"),
        FlowSchema::partial("old"),
    ]);
    assert!(store.is_ready() && store.last_error().is_none());
    store.wait_ready().await.unwrap();
    assert_eq!(store.len(), 4);
    let by_name = store.index(|schema| [schema.name().to_owned()]);
    let same = |indexed: Vec<Arc<FlowSchema>>| {
        let keys = indexed.iter().map(|schema| ObjectKey::of(&**schema));
        keys.map(|key| key.to_string()).collect::<Vec<_>>()
    };
    // In the order of the store.
    assert_eq!(same(by_name.get("x")), ["a-c/x", "a/x", "b/x"]);
    assert_eq!(
        same(store.filter(|schema| schema.name() == "x")),
        ["a-c/x", "a/x", "b/x"]
    );

    let mut events = store.subscribe();
    drop((store, by_name));
    match events.next().await {
        Some(StoreEvent::Snapshot(all)) => assert_eq!(all.objects.len(), 4),
        other => panic!("{other:?}"),
    }
    assert!(events.store().clone().get("old").is_some());
}
