//! Programs that misbehave towards their stores: code that panics, and subscriptions that nobody reads.

use crate::watching::fake::{Fake, answer};
use crate::watching::support::{level, server, soon, watcher};
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::{Store, StoreEvent};

#[tokio::test]
async fn a_handler_that_panics_stops_the_store_and_the_store_says_so() {
    let server = Fake::start(|_| answer(500, "", "{}")).await;
    let store = Store::builder(watcher(&server.client))
        .on_error(|_| panic!("a handler with a fault"))
        .start();
    let not_ready = soon(store.wait_ready()).await.unwrap_err();
    assert!(not_ready.error().is_none());
    let error = store.last_error().unwrap().to_string();
    assert!(
        error.starts_with("the store is no longer kept up to date"),
        "{error}"
    );
    assert!(soon(store.subscribe().next()).await.is_none());
}

#[tokio::test]
async fn an_index_that_panics_stops_the_store_and_the_store_says_so() {
    let (_server, client) = server().await;
    let store = Store::start(watcher(&client));
    soon(store.wait_ready()).await.unwrap();
    let index = store.index(|level: &Level| -> Option<String> {
        assert_ne!(level.metadata.name.as_deref(), Some("b"));
        level.metadata.name.clone()
    });
    let mut changes = store.subscribe();
    let levels = client.priority_level_configurations();
    levels.create(&level("b", &[])).await.unwrap();
    soon(async { while changes.next().await.is_some() {} }).await;
    assert!(store.last_error().is_some());
    // Reading does not panic.
    assert!(index.groups().len() <= 1 && store.len() <= 1);
}

/// Ten thousand indexes follow each change, and cost nothing when they are dropped.
#[tokio::test]
async fn ten_thousand_indexes_follow_the_objects() {
    const INDEXES: usize = 10_000;
    let (_server, client) = server().await;
    let levels = client.priority_level_configurations();
    for name in ["a", "b"] {
        levels.create(&level(name, &[("x", "old")])).await.unwrap();
    }
    let store = Store::start(watcher(&client));
    let counts = std::sync::Arc::new(());
    let index = |number: usize| {
        let held = counts.clone();
        store.index(move |level: &Level| {
            let _held = &held;
            let value = level.metadata.labels.get("x");
            value.map(|value| format!("{number} {value}"))
        })
    };
    // One half exists before the list, the other half begins late.
    let mut indexes: Vec<_> = (0..INDEXES / 2).map(index).collect();
    soon(store.wait_ready()).await.unwrap();
    indexes.extend((INDEXES / 2..INDEXES).map(index));
    let mut changes = store.subscribe();
    soon(changes.next()).await.unwrap();
    let changed = level("b", &[("x", "new")]);
    levels
        .apply(&changed)
        .field_manager("me")
        .force()
        .await
        .unwrap();
    soon(changes.next()).await.unwrap();
    levels.delete("a").await.unwrap();
    soon(changes.next()).await.unwrap();
    for (number, index) in indexes.iter().enumerate() {
        assert!(index.get(&format!("{number} old")).is_empty(), "{number}");
        let found = index.get(&format!("{number} new"));
        assert_eq!(found.len(), 1, "{number}");
        assert_eq!(index.groups().len(), 1, "{number}");
    }
    assert_eq!(std::sync::Arc::strong_count(&counts), INDEXES + 1);
    indexes.truncate(3);
    assert_eq!(std::sync::Arc::strong_count(&counts), 3 + 1);
}

/// A subscription that nobody reads costs a bounded number of bytes, and knows how much it has missed.
#[tokio::test]
async fn a_subscription_that_nobody_reads_is_bounded() {
    const UPDATES: usize = 60;
    let (_server, client) = server().await;
    let store = Store::builder(watcher(&client)).kept_bytes(1 << 20).start();
    let mut idle = store.subscribe();
    let mut seen = store.subscribe();
    assert!(matches!(
        soon(idle.next()).await,
        Some(StoreEvent::Snapshot(_))
    ));
    let levels = client.priority_level_configurations();
    let mut large = level("large", &[]);
    for number in 0..UPDATES {
        let text = format!("{number}").repeat(100_000);
        large.metadata.annotations.insert("text".to_owned(), text);
        large = match number {
            0 => levels.create(&large).await.unwrap(),
            _ => levels.replace(&large).await.unwrap(),
        };
        // The other one reads everything as it comes.
        while store.get("large").is_none_or(|stored| *stored != large) {
            soon(seen.next()).await.unwrap();
        }
    }
    match soon(idle.next()).await {
        // At most 16 events are kept regardless of their size.
        Some(StoreEvent::Snapshot(snapshot)) => {
            assert!(
                snapshot.missed as usize >= UPDATES - 16,
                "{}",
                snapshot.missed
            );
        }
        other => panic!("{:?}", other.map(|_| "an event that should be gone")),
    }
}
