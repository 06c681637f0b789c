//! A negotiated watch converts objects; the fields that the conversions lose come with the events.

use crate::watching::support::{relabel_through, server_of, soon};
use k8s_flowcontrol::api::{v1, v1beta3};
use k8s_flowcontrol::client::Negotiated;
use k8s_flowcontrol::convert::{Loss, PRESERVE_ZERO_ANNOTATION};
use k8s_flowcontrol::watch::{ObjectKey, Store, StoreEvent, WatchEvent, Watcher, WatcherEvent};
use k8s_flowcontrol::{Api, Resource};
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;

type Wire = v1beta3::PriorityLevelConfiguration;
type Level = v1::PriorityLevelConfiguration;

/// A server of v1beta3 with two levels, of which `lossy` has an annotation that v1 cannot have.
async fn levels() -> (ApiServer, Api<Wire>, Negotiated<Level>) {
    let (server, client) = server_of("1.28").await;
    let wire = client.api::<Wire>();
    for (name, annotations) in [
        ("lossy", json!({PRESERVE_ZERO_ANNOTATION: ""})),
        ("plain", json!({})),
    ] {
        let level: Wire = serde_json::from_value(json!({
            "metadata": {"name": name, "annotations": annotations},
            "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}}},
        }))
        .unwrap();
        wire.create(&level).await.unwrap();
    }
    let negotiated = client.negotiated().await.unwrap();
    assert_eq!(negotiated.wire_version(), "v1beta3");
    (server, wire, negotiated)
}

/// The name of the object and the paths of the losses.
fn lost(object: &Level, losses: &[Loss]) -> String {
    let paths: Vec<&str> = losses.iter().map(|loss| loss.path.as_str()).collect();
    format!("{}: {}", object.name(), paths.join(","))
}

fn annotation_of(name: &str) -> String {
    format!("{name}: metadata.annotations[{PRESERVE_ZERO_ANNOTATION}]")
}

#[tokio::test]
async fn of_a_watch() {
    let (_server, wire, levels) = levels().await;
    let mut events = levels.watch().await.unwrap();
    let mut added = Vec::new();
    for _ in 0..2 {
        match soon(events.next()).await.unwrap().unwrap() {
            WatchEvent::Added { object, losses } => added.push(lost(&object, &losses)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(added, [annotation_of("lossy"), "plain: ".to_owned()]);
    relabel_through(&wire, "lossy").await;
    match soon(events.next()).await.unwrap().unwrap() {
        WatchEvent::Modified { object, losses } => {
            assert_eq!(lost(&object, &losses), annotation_of("lossy"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn of_a_watcher() {
    let (_server, wire, levels) = levels().await;
    for mut watcher in [
        levels.watcher(),
        levels.watcher().streaming_lists(false).page_size(1),
    ] {
        let mut items = Vec::new();
        loop {
            match soon(watcher.next()).await.unwrap().unwrap() {
                WatcherEvent::ListItem { object, losses } => items.push(lost(&object, &losses)),
                WatcherEvent::ListEnd { .. } => break,
                _ => {}
            }
        }
        items.sort();
        assert_eq!(items, [annotation_of("lossy"), "plain: ".to_owned()]);
        relabel_through(&wire, "lossy").await;
        assert_eq!(applied(&mut watcher).await, annotation_of("lossy"));
        relabel_through(&wire, "plain").await;
        assert_eq!(applied(&mut watcher).await, "plain: ");
    }
}

async fn applied(watcher: &mut Watcher<Level>) -> String {
    match soon(watcher.next()).await.unwrap().unwrap() {
        WatcherEvent::Applied { object, losses } => lost(&object, &losses),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn of_a_store() {
    let (_server, wire, levels) = levels().await;
    let store = Store::start(levels.watcher());
    let mut events = store.subscribe();
    let Some(StoreEvent::Snapshot(all)) = soon(events.next()).await else {
        panic!("expected a snapshot");
    };
    let (lossy, plain) = (ObjectKey::new("lossy"), ObjectKey::new("plain"));
    assert_eq!(all.objects.len(), 2);
    assert_eq!(all.losses.keys().collect::<Vec<_>>(), [&lossy]);
    assert_eq!(all.losses[&lossy], store.losses(&lossy));
    assert_eq!(store.losses(&lossy).len(), 1);
    assert!(store.losses(&plain).is_empty());
    assert!(store.losses(&ObjectKey::new("missing")).is_empty());

    relabel_through(&wire, "lossy").await;
    match soon(events.next()).await.unwrap() {
        StoreEvent::Modified { new, losses, .. } => {
            assert_eq!(lost(&new, &losses), annotation_of("lossy"));
        }
        other => panic!("{other:?}"),
    }
    // Without the annotation nothing is lost any more.
    let patch = json!({"metadata": {"annotations": {PRESERVE_ZERO_ANNOTATION: null}}});
    wire.patch("lossy").merge(&patch).await.unwrap();
    match soon(events.next()).await.unwrap() {
        StoreEvent::Modified { new, losses, .. } => assert_eq!(lost(&new, &losses), "lossy: "),
        other => panic!("{other:?}"),
    }
    assert!(store.losses(&lossy).is_empty());
}
