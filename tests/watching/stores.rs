//! Stores: readiness, queries, and the events of subscriptions.

use crate::watching::support::{
    create, delete, relabel, server, server_of, soon, start_in_place, watcher,
};
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::{ObjectKey, Store, StoreEvent, Subscription};
use k8s_flowcontrol::{Client, Resource};
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The next event of a subscription, in short.
async fn next(changes: &mut Subscription<Level>) -> String {
    let x = |level: &Level| level.metadata.labels.get("x").cloned().unwrap_or_default();
    match soon(changes.next()).await {
        Some(StoreEvent::Snapshot(all)) => {
            let names: String = all
                .objects
                .iter()
                .map(|level| format!(" {}", level.name()))
                .collect();
            format!("snapshot {}:{names}", all.missed)
        }
        Some(StoreEvent::Added { object, .. }) => format!("added {}", object.name()),
        Some(StoreEvent::Modified { old, new, .. }) => {
            format!("{} {} -> {}", new.name(), x(&old), x(&new))
        }
        Some(StoreEvent::Deleted { object }) => format!("deleted {}", object.name()),
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn queries() {
    let (_server, client) = server().await;
    for name in ["b", "a", "c"] {
        create(&client, name, &[("x", name)]).await;
    }
    let store = Store::start(watcher(&client));
    soon(store.wait_ready()).await.unwrap();
    assert!(store.is_ready() && !store.is_empty());
    assert_eq!(store.len(), 3);
    assert!(store.last_error().is_none());
    let names = |levels: Vec<Arc<Level>>| {
        levels
            .iter()
            .map(|level| level.name().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(store.snapshot()), ["a", "b", "c"]);
    assert_eq!(
        names(store.filter(|level| level.metadata.labels["x"] != "b")),
        ["a", "c"]
    );
    assert_eq!(store.get("b").unwrap().name(), "b");
    assert!(store.get("d").is_none());
    assert!(store.get_key(&ObjectKey::new("c")).is_some());
    assert!(store.get_key(&ObjectKey::namespaced("team", "c")).is_none());
    // Equal to the server's object, and shared between the handles.
    let same = client
        .priority_level_configurations()
        .get("a")
        .await
        .unwrap();
    assert_eq!(*store.get("a").unwrap(), same);
    assert!(Arc::ptr_eq(
        &store.clone().get("a").unwrap(),
        &store.get("a").unwrap()
    ));
    assert!(format!("{store:?}").contains("objects: 3"));
}

#[tokio::test]
async fn subscriptions_get_changes_with_old_and_new() {
    let (_server, client) = server().await;
    create(&client, "a", &[("x", "1")]).await;
    let store = Store::start(watcher(&client));
    // No event comes before the copy is complete.
    let mut changes = store.subscribe();
    assert_eq!(next(&mut changes).await, "snapshot 0: a");
    create(&client, "b", &[]).await;
    assert_eq!(next(&mut changes).await, "added b");
    let mut late = store.subscribe();
    relabel(&client, "a", "x", Some("2")).await;
    delete(&client, "b").await;
    create(&client, "b", &[]).await;
    for expected in ["a 1 -> 2", "deleted b", "added b"] {
        assert_eq!(next(&mut changes).await, expected);
    }
    // A later subscription starts with the objects of that time.
    assert!(next(&mut late).await.starts_with("snapshot 0: a"));
}

#[tokio::test]
async fn a_slow_subscription_gets_another_snapshot() {
    let (_server, client) = server().await;
    create(&client, "a", &[("x", "0")]).await;
    let store = Store::builder(watcher(&client)).kept_events(4).start();
    let (mut slow, mut fast) = (store.subscribe(), store.subscribe());
    assert_eq!(next(&mut slow).await, "snapshot 0: a");
    assert_eq!(next(&mut fast).await, "snapshot 0: a");
    for number in 1..=10 {
        relabel(&client, "a", "x", Some(&number.to_string())).await;
        assert_eq!(
            next(&mut fast).await,
            format!("a {} -> {number}", number - 1)
        );
    }
    assert_eq!(next(&mut slow).await, "snapshot 10: a");
    relabel(&client, "a", "x", Some("11")).await;
    assert_eq!(next(&mut slow).await, "a 10 -> 11");
    assert_eq!(next(&mut fast).await, "a 10 -> 11");
}

#[tokio::test]
async fn a_list_is_reported_as_the_changes_it_reveals() {
    let (server, client) = server().await;
    for name in ["a", "b", "c", "d"] {
        create(&client, name, &[("x", "1")]).await;
    }
    let port = server.port();
    let store = Store::start(watcher(&client).idle_timeout(Duration::from_millis(300)));
    let mut changes = store.subscribe();
    assert_eq!(next(&mut changes).await, "snapshot 0: a b c d");
    // Another server in its place, on which only the names are the same.
    server.stop().await;
    let other = ApiServer::builder()
        .bootstrap(false)
        .fault(Fault::unavailable().on_method("GET").times(3))
        .bookmark_interval(Duration::from_millis(20));
    let server = start_in_place(other, port).await;
    create(&client, "b", &[]).await;
    // Atomically: a reader sees the old copy or the new copy.
    assert!([4, 1].contains(&store.len()));
    for expected in [
        "deleted a",
        "deleted b",
        "added b",
        "deleted c",
        "deleted d",
    ] {
        assert_eq!(next(&mut changes).await, expected);
        assert_eq!(store.len(), 1);
    }
    drop(server);
}

#[tokio::test]
async fn a_permanent_error_ends_the_wait_but_not_the_store() {
    let (_server, client) = server_of("1.25").await;
    let errors = Arc::new(Mutex::new(Vec::new()));
    let sink = errors.clone();
    let store = Store::builder(watcher(&client))
        .on_error(move |error| sink.lock().unwrap().push(error.code()))
        .start();
    let not_ready = soon(store.wait_ready()).await.unwrap_err();
    assert!(not_ready.error().unwrap().is_version_not_served());
    let text = not_ready.to_string();
    assert!(
        text.starts_with("the copy of the server's objects is not complete: GET /apis/"),
        "{text}"
    );
    assert!(text.ends_with("; the store tries again"), "{text}");
    assert!(store.last_error().unwrap().is_version_not_served());
    assert!(!store.is_ready() && store.snapshot().is_empty());
    assert_eq!(errors.lock().unwrap()[0], Some(404));
}

#[tokio::test]
async fn temporary_errors_do_not_end_the_wait() {
    let (server, client) = server().await;
    create(&client, "a", &[]).await;
    server.inject(Fault::unavailable().times(10));
    server.inject(Fault::rejected(0).times(5));
    server.inject(Fault::internal_error());
    let store = Store::start(watcher(&client));
    soon(store.wait_ready()).await.unwrap();
    assert_eq!(store.len(), 1);
    assert!(store.last_error().is_none(), "the list has succeeded");
}

#[tokio::test]
async fn without_its_driver_a_store_stops() {
    let (_server, client) = server().await;
    create(&client, "a", &[]).await;
    let (store, driver) = Store::new(watcher(&client));
    drop(driver);
    let not_ready = store.wait_ready().await.unwrap_err();
    assert!(not_ready.error().is_none());
    assert!(
        not_ready.to_string().contains("Store::start"),
        "{not_ready}"
    );
    assert!(store.subscribe().next().await.is_none());

    // The store keeps its objects, and subscriptions read the remaining events.
    let (store, mut driver) = Store::new(watcher(&client));
    let mut changes = store.subscribe();
    soon(async {
        tokio::select! {
            () = &mut driver => panic!("a handle is left"),
            ready = store.wait_ready() => ready.unwrap(),
        }
    })
    .await;
    assert!(store.last_error().is_none());
    drop(driver);
    let error = store.last_error().unwrap().to_string();
    assert!(
        error.starts_with("the store is no longer kept up to date"),
        "{error}"
    );
    assert_eq!(next(&mut changes).await, "snapshot 0: a");
    assert!(changes.next().await.is_none());
    assert_eq!(store.len(), 1);
}

#[tokio::test]
async fn without_handles_the_driver_ends() {
    let (_server, client) = server().await;
    let (store, driver) = Store::new(watcher(&client));
    let driver = crate::spawn(driver);
    soon(store.wait_ready()).await.unwrap();
    let changes = store.subscribe();
    drop(store.clone());
    drop(store);
    assert!(
        changes.store().is_ready() && !driver.is_finished(),
        "the subscription is a handle"
    );
    drop(changes);
    soon(driver).await.unwrap();
}

#[tokio::test]
async fn a_store_of_any_version() {
    let server = ApiServer::builder()
        .kubernetes("1.27")
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let levels = client.negotiated::<Level>().await.unwrap();
    assert_eq!(levels.wire_version(), "v1beta3");
    let store = Store::start(levels.watcher());
    soon(store.wait_ready()).await.unwrap();
    assert_eq!(store.len(), levels.list().await.unwrap().items.len());
    let global = store.get("global-default").unwrap();
    assert_eq!(
        global
            .spec
            .limited
            .as_ref()
            .unwrap()
            .nominal_concurrency_shares,
        Some(20)
    );
}
