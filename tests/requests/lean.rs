//! Lists, watches, watchers and stores without `metadata.managedFields`.

use crate::requests::script::{Script, answer};
use crate::requests::support::embedded;
use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::watch::{Store, WatchEvent, WatcherEvent};

const LEAN: &str = "application/json;drop=metadata.managedFields, application/json";

fn is_lean(object: &impl Resource) -> bool {
    object.metadata().managed_fields.is_empty()
}

#[tokio::test]
async fn one_option_on_all_ways_to_read_many_objects() {
    let (server, client) = embedded().await;
    let schemas = client.flow_schemas();
    // The embedded server sends them, as released servers do.
    assert!(!schemas.list().await.unwrap().items.iter().any(is_lean));
    assert_eq!(
        server.requests()[0].header("accept"),
        Some("application/json")
    );
    let since = server.requests().len();

    let list = schemas.list().drop_managed_fields().await.unwrap();
    assert!(!list.items.is_empty() && list.items.iter().all(is_lean));
    let mut items = schemas.list().drop_managed_fields().limit(2).items();
    while let Some(item) = items.next().await {
        assert!(is_lean(&item.unwrap()));
    }
    let mut events = schemas.watch().drop_managed_fields().await.unwrap();
    match events.next().await {
        Some(Ok(WatchEvent::Added { object, .. })) => assert!(is_lean(&object)),
        other => panic!("{other:?}"),
    }
    let watcher = || schemas.watcher().drop_managed_fields();
    let mut watching = watcher().modify(|schema| {
        assert!(is_lean(schema), "dropped before other changes");
    });
    loop {
        match watching.next().await.unwrap() {
            Ok(WatcherEvent::ListBegin) => {}
            Ok(WatcherEvent::ListItem { object, .. }) => break assert!(is_lean(&object)),
            other => panic!("{other:?}"),
        }
    }
    let store = Store::start(watcher());
    store.wait_ready().await.unwrap();
    assert!(store.snapshot().iter().all(|schema| is_lean(&**schema)));
    let agreed = client.negotiated::<v1::FlowSchema>().await.unwrap();
    let agreed = agreed.list().drop_managed_fields().await.unwrap();
    assert!(agreed.items.iter().all(is_lean));

    let requests = server.requests();
    let reads = requests[since..]
        .iter()
        .filter(|request| request.path.contains("/flowschemas"));
    let accepts: Vec<_> = reads.map(|request| request.header("accept")).collect();
    assert!(accepts.len() > 5, "{accepts:?}");
    assert!(
        accepts.iter().all(|accept| *accept == Some(LEAN)),
        "{accepts:?}"
    );
}

#[tokio::test]
async fn metadata_stays_metadata() {
    let (server, client) = embedded().await;
    let metadata = client.flow_schemas().metadata();
    let list = metadata.list().drop_managed_fields().await.unwrap();
    assert!(list.items.iter().all(is_lean));
    let accept = server.requests()[0].header("accept").unwrap().to_owned();
    let kind = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    assert_eq!(
        accept,
        format!("{kind};drop=metadata.managedFields, {kind}")
    );
}

#[tokio::test]
async fn a_server_may_leave_them_out() {
    let body = r#"{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a"}}]}"#;
    let script = Script::start(vec![answer(200, "", body)]).await;
    let list = script.client.flow_schemas().list().drop_managed_fields();
    assert_eq!(list.await.unwrap().items.len(), 1);
    assert!(script.requests()[0].contains("drop=metadata.managedfields"));
}
