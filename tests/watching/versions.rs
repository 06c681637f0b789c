//! Watchers and stores of a server that is upgraded or downgraded, so that it no longer serves the version on the wire.

use crate::watching::support::{server_of, soon};
use k8s_flowcontrol::api::{v1, v1beta3};
use k8s_flowcontrol::client::{Negotiable, Negotiated};
use k8s_flowcontrol::wait;
use k8s_flowcontrol::watch::{Store, StoreEvent, Subscription, Watcher, WatcherEvent};
use k8s_flowcontrol::{Error, Resource};
use serde_json::{Value, json};
use std::time::Duration;

type Level = v1::PriorityLevelConfiguration;

fn level<K: Resource>(name: &str, shares: i32) -> K {
    let object: Value = json!({
        "metadata": {"name": name},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": shares, "limitResponse": {"type": "Reject"}}},
    });
    serde_json::from_value(object).unwrap()
}

fn quick<K: Resource>(watcher: Watcher<K>) -> Watcher<K> {
    watcher.backoff(Duration::from_millis(1), Duration::from_millis(10))
}

/// The next event. The restart of the server may break connections, and may have expired the resource version.
async fn next<K: Resource>(watcher: &mut Watcher<K>) -> WatcherEvent<K> {
    loop {
        match soon(watcher.next()).await.unwrap() {
            Ok(event) => return event,
            Err(error) => assert!(error.is_retryable() || error.code() == Some(410), "{error}"),
        }
    }
}

/// The names of a list, which is the next event.
async fn list<K: Resource>(watcher: &mut Watcher<K>) -> Vec<String> {
    let mut names = Vec::new();
    loop {
        match next(watcher).await {
            WatcherEvent::ListBegin => names.clear(),
            WatcherEvent::ListItem { object, .. } => names.push(object.name().to_owned()),
            WatcherEvent::ListEnd { disappeared } => {
                assert!(disappeared.is_empty());
                names.sort();
                return names;
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_watcher_lists_again_in_the_version_that_is_served() {
    for (from, to) in [("1.28", "1.32"), ("1.29", "1.28"), ("1.25", "1.36")] {
        let (server, client) = server_of(from).await;
        let levels = client.negotiated::<Level>().await.unwrap();
        levels.create(&level("a", 1)).await.unwrap();
        let mut watchers = [
            quick(levels.watcher()),
            quick(levels.watcher().streaming_lists(false).page_size(1)),
        ];
        for watcher in &mut watchers {
            assert_eq!(list(watcher).await, ["a"]);
        }
        server.upgrade(to).await.unwrap();
        levels.create(&level("b", 2)).await.unwrap();
        for watcher in &mut watchers {
            assert_eq!(list(watcher).await, ["a", "b"], "{from} {to}");
        }
        levels.create(&level("c", 3)).await.unwrap();
        for watcher in &mut watchers {
            match next(watcher).await {
                WatcherEvent::Applied { object, losses } => {
                    assert_eq!((object.name(), losses.len()), ("c", 0));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// The next event of a subscription, in short.
async fn event<K: Resource>(events: &mut Subscription<K>) -> String {
    match soon(events.next()).await.unwrap() {
        StoreEvent::Snapshot(all) => format!("snapshot of {}", all.objects.len()),
        StoreEvent::Added { object, .. } => format!("added {}", object.name()),
        StoreEvent::Modified { new, .. } => format!("modified {}", new.name()),
        StoreEvent::Deleted { object } => format!("deleted {}", object.name()),
        other => format!("{other:?}"),
    }
}

/// Takes the server through releases, with a change before and after each upgrade.
async fn travel<K: Negotiable>(releases: &[&str]) {
    let (server, client) = server_of(releases[0]).await;
    let levels = client.negotiated::<K>().await.unwrap();
    for (name, shares) in [("stays", 3), ("changes", 4)] {
        levels.create(&level(name, shares)).await.unwrap();
    }
    let store = Store::start(quick(levels.watcher()));
    let mut events = store.subscribe();
    assert_eq!(event(&mut events).await, "snapshot of 2");
    for release in &releases[1..] {
        relabel(&levels, &format!("before-{release}")).await;
        assert_eq!(event(&mut events).await, "modified changes");
        server.upgrade(release).await.unwrap();
        // No event about the object that stays: it is equal in both versions.
        relabel(&levels, &format!("since-{release}")).await;
        assert_eq!(event(&mut events).await, "modified changes");
        levels.create(&level("new", 5)).await.unwrap();
        assert_eq!(event(&mut events).await, "added new");
        levels.delete("new").await.unwrap();
        assert_eq!(event(&mut events).await, "deleted new");
        assert_eq!(store.len(), 2);
        let read = levels.get("stays").await.unwrap();
        assert_eq!(*store.get("stays").unwrap(), read);
    }
}

async fn relabel<K: Resource>(levels: &Negotiated<K>, value: &str) {
    let update = levels.update_with("changes", |level| {
        let labels = &mut level.metadata_mut().labels;
        labels.insert("x".into(), value.into());
    });
    update.await.unwrap();
}

#[tokio::test]
async fn a_subscription_gets_each_change_once_and_no_other() {
    travel::<Level>(&["1.29", "1.28", "1.32"]).await;
    travel::<Level>(&["1.27", "1.28", "1.29", "1.30", "1.32", "1.36"]).await;
    travel::<v1beta3::PriorityLevelConfiguration>(&["1.28", "1.31", "1.32", "1.29"]).await;
}

#[tokio::test]
async fn a_field_that_only_the_new_version_has_is_a_change() {
    // v1beta2 of 1.25 does not have the lendable percentage.
    let (server, client) = server_of("1.25").await;
    let levels = client.negotiated::<Level>().await.unwrap();
    levels.create(&level("a", 1)).await.unwrap();
    let store = Store::start(quick(levels.watcher()));
    let mut events = store.subscribe();
    assert_eq!(event(&mut events).await, "snapshot of 1");
    server.upgrade("1.29").await.unwrap();
    assert_eq!(event(&mut events).await, "modified a");
    let read = levels.get("a").await.unwrap();
    assert_eq!(
        read.spec.limited.as_ref().unwrap().lendable_percent,
        Some(0)
    );
    assert_eq!(*store.get("a").unwrap(), read);
    soon(async {
        while store.last_error().is_some() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_wait_goes_on() -> Result<(), Error> {
    let (server, client) = server_of("1.28").await;
    let levels = client.negotiated::<Level>().await?;
    let waiting = crate::spawn({
        let levels = levels.clone();
        async move { levels.wait_for("late", wait::exists()).await }
    });
    levels.create(&level("early", 1)).await?;
    server.upgrade("1.32").await.unwrap();
    levels.create(&level("late", 1)).await?;
    let found = soon(waiting).await.unwrap()?;
    assert_eq!(found.unwrap().name(), "late");
    Ok(())
}
