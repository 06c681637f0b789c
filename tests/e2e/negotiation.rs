//! Negotiated requests to a server that is upgraded or downgraded, so that it no longer serves the version on the wire.

use crate::e2e::support::{object, release, sample, unique};
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::client::{Deleted, DeletedCollection, Negotiated};
use k8s_flowcontrol::watch::WatchEvent;
use k8s_flowcontrol::{Client, Error, GROUP, Release, Resource};
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Releases, each with its version on the wire, which the other one does not serve. After a downgrade a server must still know
/// the version in which the objects are stored.
const CHANGES: [(&str, &str, &str, &str); 4] = [
    ("1.28", "v1beta3", "1.32", "v1"),
    ("1.29", "v1", "1.28", "v1beta3"),
    ("1.25", "v1beta2", "1.29", "v1"),
    ("1.26", "v1beta3", "1.25", "v1beta2"),
];

async fn negotiated(client: &Client) -> Negotiated<Level> {
    client.negotiated().await.unwrap()
}

fn shares(level: &Level) -> Option<i32> {
    level.spec.limited.as_ref()?.nominal_concurrency_shares
}

#[tokio::test]
async fn every_verb_goes_on_in_another_version() {
    for (from, old, to, new) in CHANGES {
        let (server, client) = release(from).await;
        // Each has the old version until its own first request.
        let mut all = Vec::new();
        for _ in 0..14 {
            all.push(negotiated(&client).await);
        }
        let mut fresh = || all.pop().unwrap();
        let level = fresh().create(&sample("mine")).await.unwrap();
        server.upgrade(to).await.unwrap();

        let levels = fresh();
        assert_eq!(levels.wire_version(), old);
        assert_eq!(shares(&levels.get("mine").await.unwrap()), Some(5));
        assert_eq!(levels.wire_version(), new);
        assert_eq!(levels.clone().wire_version(), new);
        assert!(fresh().get_opt("mine").await.unwrap().is_some());
        assert!(fresh().get_opt("missing").await.unwrap().is_none());
        assert!(fresh().get("missing").await.unwrap_err().is_not_found());
        let list = fresh().list().label_selector("suite=e2e").await.unwrap();
        assert_eq!(list.items.len(), 1);
        let mut items = fresh().list().limit(1).items();
        items.next().await.unwrap().unwrap();
        items.next().await.unwrap().unwrap();

        let mut events = fresh()
            .watch()
            .field_selector("metadata.name=mine")
            .await
            .unwrap();
        match events.next().await {
            Some(Ok(WatchEvent::Added { object, .. })) => assert_eq!(object.name(), "mine"),
            other => panic!("{other:?}"),
        }
        let mut changed = level;
        changed.metadata.resource_version = None;
        changed
            .spec
            .limited
            .as_mut()
            .unwrap()
            .nominal_concurrency_shares = Some(6);
        let replaced = fresh().replace(&changed).await.unwrap();
        assert_eq!(shares(&replaced), Some(6));
        let applied = fresh().apply(&sample("theirs")).field_manager("e2e");
        assert!(applied.send().await.unwrap().was_created());
        assert_eq!(
            fresh()
                .create(&sample("other"))
                .dry_run()
                .await
                .unwrap()
                .name(),
            "other"
        );
        let updated = fresh().update_with("mine", |level| {
            level
                .spec
                .limited
                .get_or_insert_default()
                .nominal_concurrency_shares = Some(7);
        });
        assert_eq!(shares(&updated.await.unwrap()), Some(7));
        assert!(matches!(
            fresh().delete("mine").await.unwrap(),
            Deleted::Status(_)
        ));
        match fresh()
            .delete_collection()
            .label_selector("suite=e2e")
            .await
            .unwrap()
        {
            DeletedCollection::List(list) => assert_eq!(list.items.len(), 1),
            other => panic!("{other:?}"),
        }
        assert!(all.is_empty(), "{} are left", all.len());
    }
}

#[tokio::test]
async fn there_and_back_again() {
    let (server, client) = release("1.25").await;
    let levels = negotiated(&client).await;
    let name = unique("back");
    levels.create(&sample(&name)).await.unwrap();
    for (to, version) in [
        ("1.26", "v1beta2"),
        ("1.29", "v1"),
        ("1.28", "v1beta3"),
        ("1.31", "v1beta3"),
        ("1.37", "v1"),
    ] {
        server.upgrade(to).await.unwrap();
        assert_eq!(shares(&levels.get(&name).await.unwrap()), Some(5), "{to}");
        assert_eq!(levels.wire_version(), version, "{to}");
    }
}

#[tokio::test]
async fn concurrent_requests_share_one_negotiation() {
    let (server, client) = release("1.28").await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let client = client.on_request(move |attempt| {
        let is_group = attempt.path() == format!("/apis/{GROUP}/");
        counted.fetch_add(usize::from(is_group), Ordering::SeqCst);
    });
    let levels = negotiated(&client).await;
    server.upgrade("1.32").await.unwrap();
    asked.store(0, Ordering::SeqCst);
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let levels = levels.clone();
        requests.spawn(async move { levels.get("exempt").await });
    }
    while let Some(result) = requests.join_next().await {
        result.unwrap().unwrap();
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_write_that_the_new_version_would_lose_is_not_sent() {
    let zero: Level = object(json!({
        "metadata": {"name": "zero"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}}},
    }));
    let (server, client) = release("1.29").await;
    let (levels, lossy) = (negotiated(&client).await, negotiated(&client).await);
    server.upgrade("1.28").await.unwrap();
    let error = levels.create(&zero).await.unwrap_err();
    assert!(
        error.is_lossy() && !error.may_have_taken_effect(),
        "{error}"
    );
    assert!(error.to_string().contains("/v1beta3/"), "{error}");
    assert_eq!(levels.get_opt("zero").await.unwrap(), None);
    lossy.create(&zero).allow_loss().await.unwrap();
}

#[tokio::test]
async fn a_list_does_not_continue_in_another_version() {
    let (server, client) = release("1.28").await;
    let levels = negotiated(&client).await;
    let mut pages = levels.list().limit(2).pages();
    let first = pages.next().await.unwrap().unwrap();
    let token = first.metadata.r#continue.unwrap();
    let place = pages.page_token().unwrap();
    server.upgrade("1.32").await.unwrap();
    let error = pages.next().await.unwrap().unwrap_err();
    assert!(error.is_expired() && !error.is_version_not_served());
    assert_eq!(
        error.to_string(),
        "GET /apis/flowcontrol.apiserver.k8s.io/v1beta3/prioritylevelconfigurations: the server no longer serves v1beta3 \
         and further requests use v1; list again"
    );
    assert!(pages.next().await.is_none());
    assert_eq!(levels.wire_version(), "v1");
    assert_eq!(levels.list().limit(2).await.unwrap().items.len(), 2);
    let error = levels.list().page_token(&place).await.unwrap_err();
    assert!(error.is_expired() && !error.is_argument(), "{error}");

    // A token in a single request expires in the same way.
    let (server, client) = release("1.28").await;
    let request = negotiated(&client).await.list().limit(2);
    server.upgrade("1.32").await.unwrap();
    let request = request.continue_token(token);
    assert!(request.await.unwrap_err().is_expired());
}

/// A client of a server that answers some requests with a 404 that names no object.
async fn not_found(times: usize) -> (ApiServer, Negotiated<Level>) {
    let (server, client) = release("1.36").await;
    let levels = negotiated(&client).await;
    let fault = Fault::status(404, Default::default()).times(times);
    server.inject(fault.on_path("/prioritylevelconfigurations"));
    (server, levels)
}

#[tokio::test]
async fn a_server_that_serves_the_version_now_and_then_is_asked_again() {
    // As behind a load balancer in the middle of an upgrade.
    let (_server, levels) = not_found(2).await;
    levels.get("exempt").await.unwrap();
    assert_eq!(levels.wire_version(), "v1");

    let (_server, levels) = not_found(1000).await;
    let error: Error = levels.get("exempt").await.unwrap_err();
    assert!(error.is_version_not_served() && !error.is_not_found());
    assert!(levels.get_opt("exempt").await.is_err());
}

#[tokio::test]
async fn the_release_of_the_server() {
    for name in ["1.25", "1.26", "1.29", "1.37"] {
        let (server, client) = release(name).await;
        assert_eq!(client.release().await.unwrap(), name.parse().unwrap());
        server.upgrade("1.30").await.unwrap();
        assert_eq!(client.release().await.unwrap(), Release::nearest(30));
    }
}
