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
