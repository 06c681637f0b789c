//! Watchers that begin at a stored resource version.

use crate::watching::support::{create, delete, next, relabel, server, soon, take, watcher};
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol_server::ApiServer;

/// The query of each list and watch that arrived.
fn queries(server: &ApiServer) -> Vec<Vec<(String, String)>> {
    let requests = server.requests().into_iter();
    let reads = requests.filter(|request| request.method == "GET");
    reads.map(|request| request.query).collect()
}

#[tokio::test]
async fn a_watcher_continues_where_another_one_has_stopped() {
    let (server, client) = server().await;
    create(&client, "a", &[]).await;
    create(&client, "b", &[]).await;
    let mut first = watcher(&client);
    assert_eq!(first.resource_version(), None);
    assert_eq!(take(&mut first, 3).await, ["begin", "item a", "item b"]);
    assert_eq!(first.resource_version(), None, "the list is not complete");
    assert_eq!(next(&mut first).await, "end");
    let listed = first.resource_version().unwrap().to_owned();
    let c = create(&client, "c", &[]).await;
    assert_eq!(next(&mut first).await, "applied c");
    let position = first.resource_version().map(str::to_owned);
    assert_eq!(position, c.metadata.resource_version);
    drop(first);
    delete(&client, "a").await;
    relabel(&client, "b", "x", Some("1")).await;

    let before = queries(&server).len();
    let mut second = watcher(&client).start_from(position.clone().unwrap());
    assert_eq!(second.resource_version(), position.as_deref());
    assert_eq!(take(&mut second, 2).await, ["deleted a", "applied b"]);
    let requests = queries(&server).split_off(before);
    assert_eq!(requests.len(), 1, "no list: {requests:?}");
    // Only the changes that match.
    let mut second = second.label_selector("x");
    assert_eq!(
        take(&mut second, 3).await,
        ["begin", "item b", "end"],
        "a changed setting leads to a list"
    );
    let mut third = watcher(&client).field_selector("metadata.name=c");
    third = third.start_from(listed);
    assert_eq!(next(&mut third).await, "applied c");
}

#[tokio::test]
async fn an_expired_position_leads_to_a_list() {
    let (server, client) = server().await;
    let a = create(&client, "a", &[]).await;
    create(&client, "b", &[]).await;
    server.expire_history();
    let mut watcher = watcher(&client).start_from(a.metadata.resource_version.unwrap());
    assert_eq!(
        take(&mut watcher, 5).await,
        ["error 410", "begin", "item a", "item b", "end"]
    );
    assert!(watcher.resource_version().is_some());
}

#[tokio::test]
async fn watchers_that_need_all_objects_begin_with_a_list() {
    let (_server, client) = server().await;
    let version = create(&client, "a", &[]).await.metadata.resource_version;
    let version = version.unwrap();
    for version in ["", "0"] {
        let mut watcher = watcher(&client).start_from(version);
        assert_eq!(take(&mut watcher, 3).await, ["begin", "item a", "end"]);
    }
    let store = Store::start(watcher(&client).start_from(&version));
    soon(store.wait_ready()).await.unwrap();
    assert_eq!(store.len(), 1);
}
