//! Kinds that are chosen at run time: trees, all verbs, watches and stores.

use crate::e2e::support::{Cluster, unique};
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::ResourceKind;
use k8s_flowcontrol::watch::{Store, WatchEvent};
use k8s_flowcontrol::{ApiVersion, DynamicObject, GROUP, Kind, Resource, wait};
use serde_json::{Value, json};

fn object(kind: Kind, version: ApiVersion, name: &str) -> Value {
    let spec = match kind {
        Kind::FlowSchema => {
            json!({"priorityLevelConfiguration": {"name": "catch-all"}, "matchingPrecedence": 9000})
        }
        Kind::PriorityLevelConfiguration => {
            json!({"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}})
        }
    };
    json!({"apiVersion": format!("{GROUP}/{version}"), "kind": kind.as_str(), "metadata": {"name": name, "labels": {"a": "b"}}, "spec": spec})
}

#[tokio::test]
async fn every_verb_in_every_served_version() {
    for cluster in Cluster::each().await {
        for version in ApiVersion::ALL.iter().copied() {
            if !cluster.serves(version.as_str()).await {
                continue;
            }
            for kind in Kind::ALL.iter().copied() {
                let objects = cluster.client.objects(kind, version);
                assert_eq!(objects.wire_version(), version.as_str());
                let name = unique("dynamic");
                let tree = object(kind, version, &name);
                let new = DynamicObject::from_tree(tree.clone()).unwrap();
                let created = objects.create(&new).await.unwrap();
                assert_eq!(created.tree()["apiVersion"], tree["apiVersion"]);

                // Servers send the items of lists without `apiVersion` and kind.
                let mine = format!("metadata.name={name}");
                let listed = objects.list().field_selector(&mine).await.unwrap();
                assert_eq!(listed.items[0].kind.as_deref(), Some(kind.as_str()));
                assert_eq!(listed.items[0].tree()["spec"], created.tree()["spec"]);
                let store = Store::start(objects.watcher().field_selector(&mine));
                store.wait_ready().await.unwrap();
                let mut events = objects.watch().field_selector(&mine).await.unwrap();
                let first = events.next().await.unwrap().unwrap();
                assert!(
                    matches!(first, WatchEvent::Added { object, .. } if object.kind.as_deref() == Some(kind.as_str()))
                );

                let patched = objects
                    .patch(&name)
                    .merge(&json!({"metadata": {"labels": {"a": "c"}}}));
                let patched = patched.await.unwrap();
                let mut tree = objects.get(&name).await.unwrap().tree();
                tree["metadata"]["labels"]["a"] = json!("d");
                let changed = DynamicObject::from_tree(tree).unwrap();
                let replaced = objects.replace(&changed).await.unwrap();
                assert_ne!(
                    replaced.metadata.resource_version,
                    patched.metadata.resource_version
                );
                assert!(objects.replace(&patched).await.unwrap_err().is_conflict());
                let apply = DynamicObject::from_tree(object(kind, version, &name)).unwrap();
                let applied = objects
                    .apply(&apply)
                    .field_manager("e2e")
                    .force()
                    .await
                    .unwrap();
                assert_eq!(applied.metadata.labels["a"], "b");
                let metadata = objects.metadata().get(&name).await.unwrap();
                assert_eq!(metadata.metadata.uid, created.metadata.uid);

                objects.delete(&name).await.unwrap();
                objects.wait_for(&name, wait::is_deleted()).await.unwrap();
                let error = objects.get(&name).await.unwrap_err();
                assert!(error.is_not_found() && error.is_permanent(), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn an_object_becomes_typed() {
    for cluster in Cluster::each().await {
        if !cluster.serves("v1").await {
            continue;
        }
        let objects = cluster.client.objects(Kind::FlowSchema, ApiVersion::V1);
        let tree = objects.get("catch-all").await.unwrap();
        let typed: v1::FlowSchema = tree.typed().unwrap();
        assert_eq!(
            typed,
            cluster
                .client
                .flow_schemas()
                .get("catch-all")
                .await
                .unwrap()
        );
        tree.typed::<v1::PriorityLevelConfiguration>().unwrap_err();
    }
}

#[tokio::test]
async fn a_kind_is_discovered() {
    for cluster in Cluster::each().await {
        let group = cluster.client.api_group(GROUP).await.unwrap();
        let version = &group.versions[0].version;
        let resources = cluster.client.api_resources(GROUP, version).await.unwrap();
        assert_eq!(ResourceKind::discovered(&resources, "Nothing"), None);
        let kind = ResourceKind::discovered(&resources, "FlowSchema").unwrap();
        assert_eq!((kind.plural(), kind.namespaced()), ("flowschemas", false));
        let found = cluster.client.dynamic(kind, None).list().await.unwrap();
        assert!(found.items.iter().any(|schema| schema.name() == "exempt"));
    }
}

/// Of a namespaced kind, an object needs its namespace, and so do creates and deletions of all.
#[tokio::test]
async fn namespaces() {
    let cluster = Cluster::each().await.into_iter().next().unwrap();
    let kind = ResourceKind::new("", "v1", "ConfigMap", "configmaps", true);
    let maps = cluster.client.dynamic(kind, None);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let map = DynamicObject::from_tree(map).unwrap();
    for error in [
        maps.get("a").await.unwrap_err(),
        maps.create(&map).await.unwrap_err(),
        maps.delete_collection().await.unwrap_err(),
    ] {
        assert!(
            error.is_argument() && error.to_string().contains("ConfigMap"),
            "{error}"
        );
    }
}
