//! Watches: their events, and how they begin, expire and end.

use crate::e2e::support::{Cluster, release, sample, unique};
use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::watch::WatchEvent;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_watch_reports_an_object_from_creation_to_deletion() {
    for cluster in Cluster::each().await {
        let levels = cluster.levels().await;
        let name = unique("watch");
        let version = levels
            .list()
            .await
            .unwrap()
            .metadata
            .resource_version
            .unwrap();
        let mut events = levels
            .watch()
            .resource_version(version)
            .field_selector(format!("metadata.name={name}"))
            .await
            .unwrap();
        levels.create(&sample(&name)).await.unwrap();
        let update = levels.update_with(&name, |level| {
            level
                .spec
                .limited
                .as_mut()
                .unwrap()
                .nominal_concurrency_shares = Some(9);
        });
        update.await.unwrap();
        levels.delete(&name).await.unwrap();

        let mut next = async || events.next().await.unwrap().unwrap();
        let WatchEvent::Added { object: added, .. } = next().await else {
            panic!("expected Added")
        };
        assert_eq!(
            added.spec.limited.unwrap().nominal_concurrency_shares,
            Some(5)
        );
        let WatchEvent::Modified {
            object: modified, ..
        } = next().await
        else {
            panic!("expected Modified")
        };
        assert_eq!(
            modified.spec.limited.unwrap().nominal_concurrency_shares,
            Some(9)
        );
        let WatchEvent::Deleted {
            object: deleted, ..
        } = next().await
        else {
            panic!("expected Deleted")
        };
        assert_eq!(deleted.metadata.name.as_deref(), Some(&*name));
    }
}

#[tokio::test]
async fn an_object_enters_and_leaves_a_selector() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
        let name = unique("selector");
        let mut schema: v1::FlowSchema = sample(&name);
        schema
            .metadata
            .labels
            .insert("watched".into(), name.clone());
        let version = schemas
            .list()
            .await
            .unwrap()
            .metadata
            .resource_version
            .unwrap();
        let mut events = schemas
            .watch()
            .resource_version(version)
            .label_selector(format!("watched={name},on=true"))
            .await
            .unwrap();
        schemas.create(&schema).await.unwrap();
        for on in [json!("true"), json!(null)] {
            let patch = json!({"metadata": {"labels": {"on": on}}});
            schemas.metadata().patch(&name).merge(&patch).await.unwrap();
        }
        assert!(matches!(
            events.next().await,
            Some(Ok(WatchEvent::Added { .. }))
        ));
        // The server may write the condition `Dangling` in between.
        loop {
            match events.next().await.unwrap().unwrap() {
                WatchEvent::Deleted { .. } => break,
                WatchEvent::Modified { .. } => {}
                other => panic!("unexpected {other:?}"),
            }
        }
        schemas.delete(&name).await.unwrap();
    }
}

#[tokio::test]
async fn a_watch_ends_cleanly_when_its_time_is_up() {
    for cluster in Cluster::each().await {
        let name = unique("nobody");
        let mut events = cluster
            .schemas()
            .await
            .watch()
            .field_selector(format!("metadata.name={name}"))
            .timeout_seconds(1)
            .await
            .unwrap();
        assert!(events.next().await.is_none());
        assert!(events.next().await.is_none(), "the end stays the end");
    }
}

#[tokio::test]
async fn an_expired_resource_version_is_an_error_that_says_so() {
    let (server, client) = release("1.29").await;
    let levels = client.priority_level_configurations();
    let old = levels
        .list()
        .await
        .unwrap()
        .metadata
        .resource_version
        .unwrap();
    levels.create(&sample(&unique("expired"))).await.unwrap();
    server.expire_history();

    let mut events = levels.watch().resource_version(&old).await.unwrap();
    let error = events.next().await.unwrap().unwrap_err();
    assert!(error.is_expired(), "{error}");
    assert_eq!(error.status().unwrap().code, Some(410));
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn bookmarks_hand_over_a_resource_version() {
    let server = ApiServer::builder()
        .bookmark_interval(Duration::from_millis(20))
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let schemas = client.flow_schemas();
    let version = schemas
        .list()
        .await
        .unwrap()
        .metadata
        .resource_version
        .unwrap();
    let mut events = schemas
        .watch()
        .resource_version(version)
        .bookmarks()
        .await
        .unwrap();
    let Some(Ok(WatchEvent::Bookmark(bookmark))) = events.next().await else {
        panic!("expected a bookmark");
    };
    assert!(!bookmark.resource_version.is_empty());
}

#[tokio::test]
async fn initial_events_end_with_a_marked_bookmark() {
    // Servers before 1.32 offer streaming lists only behind a feature gate.
    let (_server, client) = release("1.36").await;
    let levels = client.priority_level_configurations();
    let existing = levels.list().await.unwrap().items.len();
    let mut events = levels.watch().send_initial_events().await.unwrap();
    let mut added = 0;
    loop {
        match events.next().await.unwrap().unwrap() {
            WatchEvent::Added { .. } => added += 1,
            WatchEvent::Bookmark(bookmark) if bookmark.ends_initial_events => break,
            _ => {}
        }
    }
    assert!(added == existing, "{added} of {existing}");
}

#[tokio::test]
async fn initial_events_can_be_skipped() {
    let (_server, client) = release("1.36").await;
    let levels = client.priority_level_configurations();
    let mut events = levels.watch().skip_initial_events().await.unwrap();
    levels.create(&sample("first")).await.unwrap();
    let first = events.next().await.unwrap().unwrap();
    assert!(
        matches!(&first, WatchEvent::Added { object, .. } if object.name() == "first"),
        "{first:?}"
    );
}

#[tokio::test]
async fn a_watch_can_be_dropped_at_any_point() {
    for cluster in Cluster::each().await {
        let levels = cluster.levels().await;
        for seen in 0..5 {
            let mut events = levels.watch().await.unwrap();
            for _ in 0..seen {
                events.next().await.unwrap().unwrap();
            }
            drop(events);
        }
        assert!(
            !levels.list().await.unwrap().items.is_empty(),
            "the connection pool still works"
        );
    }
}

#[tokio::test]
async fn an_event_over_the_limit_ends_the_stream() {
    for cluster in Cluster::each().await {
        let mut events = cluster
            .schemas()
            .await
            .watch()
            .max_event_size(100)
            .await
            .unwrap();
        let error = events.next().await.unwrap().unwrap_err();
        assert!(error.to_string().contains("100"), "{error}");
        assert!(events.next().await.is_none());
    }
}
