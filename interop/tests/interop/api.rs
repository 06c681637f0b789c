//! kube's `Api`, watcher and reflector with our kinds.

use futures_util::{StreamExt, TryStreamExt};
use k8s_flowcontrol::api::{v1, v1beta3};
use k8s_flowcontrol_kube::Kube;
use k8s_flowcontrol_server::ApiServer;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, ResourceExt};
use serde_json::json;

type Level = Kube<v1::PriorityLevelConfiguration>;

async fn start() -> (ApiServer, Client) {
    let server = ApiServer::builder()
        .kubernetes("1.31")
        .start()
        .await
        .unwrap();
    let config = kube::Config::new(server.url().parse().unwrap());
    (server, Client::try_from(config).unwrap())
}

fn level(name: &str) -> Level {
    let level = json!({
        "metadata": {"name": name},
        "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}}},
    });
    serde_json::from_value(level).unwrap()
}

#[tokio::test]
async fn the_verbs() {
    let (_server, client) = start().await;
    let levels: Api<Level> = Api::all(client.clone());

    let created = levels
        .create(&PostParams::default(), &level("a"))
        .await
        .unwrap();
    assert!(created.uid().is_some());
    let mut read = levels.get("a").await.unwrap();
    assert_eq!(read, created);
    read.labels_mut().insert("team".into(), "a".into());
    read.spec
        .limited
        .as_mut()
        .unwrap()
        .nominal_concurrency_shares = Some(0);
    let replaced = levels
        .replace("a", &PostParams::default(), &read)
        .await
        .unwrap();
    assert_eq!(replaced.metadata.labels["team"], "a");
    assert_eq!(
        replaced
            .spec
            .limited
            .as_ref()
            .unwrap()
            .nominal_concurrency_shares,
        Some(0)
    );

    let list = levels
        .list(&ListParams::default().labels("team=a"))
        .await
        .unwrap();
    assert_eq!(list.items, [replaced]);
    let patch = Patch::Merge(json!({"spec": {"limited": {"lendablePercent": 7}}}));
    let patched = levels
        .patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(
        patched.spec.limited.as_ref().unwrap().lendable_percent,
        Some(7)
    );
    let metadata = levels.get_metadata("a").await.unwrap();
    assert_eq!(metadata.resource_version(), patched.resource_version());

    // The same object in an older version, with its own types.
    let old: Api<Kube<v1beta3::PriorityLevelConfiguration>> = Api::all(client);
    assert_eq!(old.get("a").await.unwrap().uid(), patched.uid());

    levels.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(levels.get_opt("a").await.unwrap().is_none());
}

#[tokio::test]
async fn watcher_and_reflector() {
    let (_server, client) = start().await;
    let levels: Api<Level> = Api::all(client);
    let (reader, writer) = reflector::store();
    let events = watcher(
        levels.clone(),
        watcher::Config::default().fields("metadata.name=a"),
    );
    let mut events = events
        .default_backoff()
        .reflect(writer)
        .touched_objects()
        .boxed();

    let mut shares = async || {
        let level = events.try_next().await.unwrap().unwrap();
        level
            .spec
            .limited
            .as_ref()
            .unwrap()
            .nominal_concurrency_shares
            .unwrap()
    };
    let created = levels
        .create(&PostParams::default(), &level("a"))
        .await
        .unwrap();
    assert_eq!(shares().await, 5);
    let patch = Patch::Merge(json!({"spec": {"limited": {"nominalConcurrencyShares": 6}}}));
    levels
        .patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(shares().await, 6);

    let kept = reader.get(&ObjectRef::new("a")).unwrap();
    assert_eq!(kept.uid(), created.uid());
    assert_eq!(
        kept.spec
            .limited
            .as_ref()
            .unwrap()
            .nominal_concurrency_shares,
        Some(6)
    );
    levels.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(shares().await, 6);
    assert!(reader.get(&ObjectRef::new("a")).is_none());
}
