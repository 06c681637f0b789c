//! The metadata of objects without the rest.

use crate::e2e::support::{Cluster, release, sample, unique};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::{Deleted, DeletedCollection};
use k8s_flowcontrol::watch::{Store, StoreEvent, WatchEvent, WatcherEvent};
use k8s_flowcontrol::{PartialObjectMetadata, Resource};
use serde_json::json;

#[tokio::test]
async fn reads_and_deletions_return_the_metadata_alone() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
        let label = unique("metadata");
        let mine = format!("mine={label}");
        let mut created = Vec::new();
        for _ in 0..3 {
            let mut schema: FlowSchema = sample(&unique("metadata"));
            schema.metadata.labels.insert("mine".into(), label.clone());
            created.push(schemas.create(&schema).await.unwrap());
        }

        let metadata = schemas.metadata();
        let first = metadata.get(created[0].name()).await.unwrap();
        assert_eq!(first.metadata.uid, created[0].metadata.uid);
        assert!(!first.metadata.managed_fields.is_empty());
        assert!(first.unknown.is_empty());
        assert!(metadata.get_opt("no-such-schema").await.unwrap().is_none());

        let mut names = Vec::new();
        let mut items = metadata.list().label_selector(&mine).limit(2).items();
        while let Some(item) = items.next().await {
            names.push(item.unwrap().name().to_owned());
        }
        names.sort();
        let mut expected: Vec<_> = created.iter().map(|schema| schema.name()).collect();
        expected.sort_unstable();
        assert_eq!(names, expected);

        let patch = json!({"metadata": {"annotations": {"note": "patched"}}});
        let patched = metadata.patch(first.name()).merge(&patch).await.unwrap();
        assert_eq!(patched.metadata.annotations["note"], "patched");

        let deleted = metadata.delete(first.name()).await.unwrap();
        match deleted {
            Deleted::Object(object) => assert_eq!(object.name(), first.name()),
            Deleted::Status(status) => assert_eq!(status.status.as_deref(), Some("Success")),
        }
        match metadata
            .delete_collection()
            .label_selector(&mine)
            .await
            .unwrap()
        {
            DeletedCollection::List(list) => assert_eq!(list.items.len(), 2),
            DeletedCollection::Status(_) => {}
        }
        let error = metadata.get(first.name()).await.unwrap_err();
        assert!(error.is_not_found(), "{error}");
    }
}

#[tokio::test]
async fn watches_and_stores_hold_the_metadata_alone() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
        let name = unique("metadata");
        let this = format!("metadata.name={name}");
        let metadata = schemas.metadata();

        let store = Store::start(metadata.watcher().field_selector(&this));
        let mut changes = store.subscribe();
        assert!(matches!(
            changes.next().await,
            Some(StoreEvent::Snapshot(_))
        ));
        let version = metadata.list().limit(1).await.unwrap();
        let version = version.metadata.resource_version.unwrap();
        let mut events = metadata
            .watch()
            .field_selector(&this)
            .resource_version(version)
            .await
            .unwrap();

        let created = schemas.create(&sample(&name)).await.unwrap();
        match events.next().await {
            Some(Ok(WatchEvent::Added { object, .. })) => {
                assert_eq!(object.metadata, created.metadata)
            }
            other => panic!("{other:?}"),
        }
        match changes.next().await {
            Some(StoreEvent::Added { object, .. }) => assert_eq!(object.metadata, created.metadata),
            other => panic!("{other:?}"),
        }
        schemas.delete(&name).await.unwrap();
        loop {
            match changes.next().await {
                // The server sets the status.
                Some(StoreEvent::Modified { new, .. }) => assert_eq!(new.name(), name),
                Some(StoreEvent::Deleted { .. }) => break,
                other => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn an_expired_watch_of_metadata_lists_again() {
    let (server, client) = release("1.29").await;
    let schemas = client.flow_schemas();
    let created = schemas.create(&sample(&unique("metadata"))).await.unwrap();
    server.expire_history();
    let version = created.metadata.resource_version.unwrap();
    let mut watcher = schemas.metadata().watcher().start_from(version);
    assert!(watcher.next().await.unwrap().unwrap_err().is_expired());
    let begin = watcher.next().await.unwrap().unwrap();
    assert!(matches!(begin, WatcherEvent::ListBegin), "{begin:?}");
}

#[tokio::test]
async fn metadata_comes_in_every_negotiated_version() {
    let (_server, client) = release("1.27").await;
    let schemas = client.negotiated::<FlowSchema>().await.unwrap();
    let metadata = schemas.metadata();
    assert_eq!(metadata.wire_version(), "v1beta3");
    let whole = schemas.get("exempt").await.unwrap();
    let exempt = metadata.get("exempt").await.unwrap();
    assert_eq!(exempt.metadata.uid, whole.metadata.uid);
    let store = Store::start(metadata.watcher());
    store.wait_ready().await.unwrap();
    assert_eq!(store.len(), schemas.list().await.unwrap().items.len());
}

#[tokio::test]
async fn metadata_is_not_written() {
    let (server, client) = release("1.29").await;
    let metadata = client.api::<PartialObjectMetadata<FlowSchema>>();
    let object = metadata.get("exempt").await.unwrap();
    let before = client.flow_schemas().get("exempt").await.unwrap();
    for result in [
        metadata.replace(&object).await,
        metadata.create(&object).await,
        metadata.apply(&object).field_manager("e2e").await,
        metadata
            .update_with("exempt", |object| {
                object.metadata.labels.insert("a".into(), "b".into());
            })
            .await,
    ] {
        let error = result.unwrap_err();
        assert!(error.is_argument(), "{error}");
        assert_eq!(
            error.to_string(),
            "a PartialObjectMetadata cannot be written; patch the object, or write a FlowSchema; \
             nothing was sent"
        );
    }
    assert_eq!(client.flow_schemas().get("exempt").await.unwrap(), before);
    drop(server);
}
