//! Every documented operation with every documented query parameter, in all four versions. The documents in `specs/` list
//! them, and the requests recorded by the server must contain them.

use crate::e2e::documents::{Documented, operations};
use crate::e2e::support::{sample, unique};
use k8s_flowcontrol::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol::client::{
    Api, Client, FieldValidation, PropagationPolicy, ResourceVersionMatch,
};
use k8s_flowcontrol::watch::WatchEvent;
use k8s_flowcontrol::{GROUP, Resource};
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use std::collections::BTreeSet;

const VERSIONS: [&str; 4] = ["v1", "v1beta3", "v1beta2", "v1beta1"];

#[tokio::test]
async fn every_documented_operation_and_parameter_arrives_at_the_server() {
    let server = ApiServer::builder()
        .all_versions()
        .record_requests()
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    exercise::<v1::FlowSchema>(&client).await;
    exercise::<v1::PriorityLevelConfiguration>(&client).await;
    exercise::<v1beta3::FlowSchema>(&client).await;
    exercise::<v1beta3::PriorityLevelConfiguration>(&client).await;
    exercise::<v1beta2::FlowSchema>(&client).await;
    exercise::<v1beta2::PriorityLevelConfiguration>(&client).await;
    exercise::<v1beta1::FlowSchema>(&client).await;
    exercise::<v1beta1::PriorityLevelConfiguration>(&client).await;
    for version in VERSIONS {
        client.api_resources(GROUP, version).await.unwrap();
    }

    let arrived = server.requests();
    let documented: Vec<Documented> = VERSIONS.into_iter().flat_map(operations).collect();
    assert_eq!(documented.len(), 100);
    for operation in &documented {
        let requests: Vec<_> = arrived
            .iter()
            .filter(|request| operation.is(&request.method, &request.path))
            .collect();
        assert!(!requests.is_empty(), "{operation:?} was never requested");
        let sent: BTreeSet<String> = requests
            .iter()
            .flat_map(|request| &request.query)
            .map(|(name, _)| name.clone())
            .collect();
        let missing: Vec<_> = operation.query.difference(&sent).collect();
        assert!(
            missing.is_empty(),
            "{operation:?} never came with {missing:?}"
        );
        // The documents of older versions come from older releases, which have fewer parameters.
        let is_newest = operation.path.contains("/v1/");
        assert!(!is_newest || sent == operation.query, "{operation:?}");
        let bodies = requests
            .iter()
            .filter(|request| request.header("content-type").is_some());
        assert_eq!(bodies.count() > 0, operation.has_body, "{operation:?}");
        if operation.method == "PATCH" {
            let types: BTreeSet<_> = requests
                .iter()
                .filter_map(|request| request.header("content-type"))
                .collect();
            assert_eq!(
                types,
                BTreeSet::from([
                    "application/apply-patch+yaml",
                    "application/json-patch+json",
                    "application/merge-patch+json",
                    "application/strategic-merge-patch+json",
                ]),
                "{operation:?}"
            );
        }
    }
    for request in &arrived {
        assert!(
            documented
                .iter()
                .any(|operation| operation.is(&request.method, &request.path)),
            "{} {} is not documented",
            request.method,
            request.path
        );
    }
}

async fn exercise<K: Resource>(client: &Client) {
    let api = client.api::<K>();
    let name = unique("wire");
    write(&api, &name).await;
    read(&api).await;
    patch(&api, &name).await;
    watch(&api, &name).await;
    delete(&api, &name).await;
}

async fn write<K: Resource>(api: &Api<K>, name: &str) {
    let created = api
        .create(&sample(name))
        .field_manager("e2e")
        .field_validation(FieldValidation::Strict)
        .pretty(true)
        .send()
        .await
        .unwrap();
    assert_eq!((created.code(), created.was_created()), (201, true));
    let again = unique("wire");
    api.create(&sample(&again)).dry_run().await.unwrap();
    assert!(
        api.get(&again).await.unwrap_err().is_not_found(),
        "a dry run stored an object"
    );

    let object = api.get(name).pretty(true).await.unwrap();
    let replaced = api
        .replace(&object)
        .dry_run()
        .field_manager("e2e")
        .field_validation(FieldValidation::Warn)
        .pretty(false)
        .send()
        .await
        .unwrap();
    assert_eq!(replaced.code(), 200);
    let status = api.get_status(name).pretty(true).await.unwrap();
    api.replace_status(&status)
        .dry_run()
        .field_manager("e2e")
        .field_validation(FieldValidation::Ignore)
        .pretty(true)
        .await
        .unwrap();
}

async fn read<K: Resource>(api: &Api<K>) {
    let page = api
        .list()
        .limit(1)
        .pretty(true)
        .label_selector("")
        .field_selector("")
        .await
        .unwrap();
    assert_eq!(page.items.len(), 1);
    let token = page.metadata.r#continue.expect("more than one object");
    api.list()
        .limit(1)
        .continue_token(token)
        .timeout_seconds(10)
        .await
        .unwrap();
    let version = page.metadata.resource_version.unwrap();
    api.list()
        .resource_version(version)
        .resource_version_match(ResourceVersionMatch::NotOlderThan)
        .allow_watch_bookmarks(false)
        .await
        .unwrap();
    // Documented for lists, but without effect or an error there. Only the request matters here.
    drop(api.list().send_initial_events(false).await);
    drop(api.list().shard_selector("").await);
    // `watch` turns a list into a watch.
    drop(api.watch().timeout_seconds(1).await.unwrap());
}

async fn patch<K: Resource>(api: &Api<K>, name: &str) {
    let labels = json!({"metadata": {"labels": {"patched": "yes"}}});
    let status = json!({"status": {"conditions": [{"type": "E2e", "status": "True"}]}});
    let operations = json!([{"op": "test", "path": "/metadata/name", "value": name}]);
    for patch in [
        api.patch(name).merge(&labels),
        api.patch_status(name).merge(&status),
    ] {
        patch
            .dry_run()
            .field_manager("e2e")
            .field_validation(FieldValidation::Strict)
            .pretty(true)
            .await
            .unwrap();
    }
    api.patch(name).strategic(&labels).await.unwrap();
    api.patch_status(name).strategic(&status).await.unwrap();
    api.patch(name).json(&operations).await.unwrap();
    api.patch_status(name).json(&operations).await.unwrap();
    let applied = sample::<K>(name);
    api.apply(&applied)
        .field_manager("applier")
        .force()
        .await
        .unwrap();
    let status = json!({
        "apiVersion": K::API_VERSION, "kind": K::KIND, "metadata": {"name": name},
        "status": {"conditions": [{"type": "Applied", "status": "True"}]},
    });
    let status: K = serde_json::from_value(status).unwrap();
    api.apply_status(&status)
        .field_manager("applier")
        .force()
        .await
        .unwrap();
}

#[allow(
    deprecated,
    reason = "the documents describe the old watch endpoints, so they must work"
)]
async fn watch<K: Resource>(api: &Api<K>, name: &str) {
    for watch in [
        api.watch(),
        api.watch_list_deprecated(),
        api.watch_object_deprecated(name),
    ] {
        let events = watch
            .allow_watch_bookmarks(true)
            .field_selector(format!("metadata.name={name}"))
            .label_selector("suite=e2e")
            .resource_version("0")
            .timeout_seconds(30)
            .pretty(false)
            .await;
        let first = events.unwrap().next().await.unwrap().unwrap();
        assert!(
            matches!(&first, WatchEvent::Added { object, .. } if object.name() == name),
            "{first:?}"
        );
    }
    for watch in [
        api.watch(),
        api.watch_list_deprecated(),
        api.watch_object_deprecated(name),
    ] {
        // Sets sendInitialEvents and resourceVersionMatch. Not every version offers streaming lists.
        drop(watch.send_initial_events().timeout_seconds(1).await);
    }
    for watch in [
        api.watch_list_deprecated(),
        api.watch_object_deprecated(name),
    ] {
        drop(
            watch
                .limit(1)
                .continue_token("")
                .shard_selector("")
                .timeout_seconds(1)
                .await,
        );
    }
}

async fn delete<K: Resource>(api: &Api<K>, name: &str) {
    api.delete(name)
        .dry_run()
        .grace_period_seconds(0)
        .propagation_policy(PropagationPolicy::Background)
        .ignore_store_read_error_with_cluster_breaking_potential(false)
        .pretty(true)
        .await
        .unwrap();
    let uid = api.get(name).await.unwrap().metadata().uid.clone().unwrap();
    let wrong = api
        .delete(name)
        .precondition_uid("another")
        .await
        .unwrap_err();
    assert!(wrong.is_conflict(), "{wrong}");
    api.delete(name)
        .orphan_dependents(false)
        .precondition_uid(uid)
        .await
        .unwrap();
    assert!(api.get(name).await.unwrap_err().is_not_found());

    let nothing = || {
        api.delete_collection()
            .label_selector("suite=nobody")
            .pretty(true)
    };
    nothing()
        .dry_run()
        .field_selector("metadata.name=nobody")
        .grace_period_seconds(0)
        .limit(10)
        .propagation_policy(PropagationPolicy::Background)
        .ignore_store_read_error_with_cluster_breaking_potential(false)
        .timeout_seconds(10)
        .await
        .unwrap();
    // Each parameter is documented, but some combinations are errors. Only the request matters here.
    drop(nothing().orphan_dependents(false).await);
    drop(nothing().precondition_uid("nobody").await);
    drop(nothing().continue_token("").await);
    drop(
        nothing()
            .resource_version("1")
            .resource_version_match(ResourceVersionMatch::NotOlderThan)
            .await,
    );
    drop(nothing().send_initial_events(false).await);
    drop(nothing().shard_selector("").await);
    drop(nothing().precondition_uid("u").await);
}
