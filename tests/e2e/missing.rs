//! Missing objects, and versions that the server does not serve.

use crate::e2e::support::{Cluster, release, sample, unique};
use k8s_flowcontrol::Error;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::client::{Client, Deleted};
use k8s_flowcontrol::meta::Status;
use k8s_flowcontrol_server::{ApiServer, Fault};

#[tokio::test]
async fn a_missing_object_is_none() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
        let name = unique("missing");
        assert_eq!(schemas.get_opt(&name).await.unwrap(), None);
        assert_eq!(schemas.delete_if_exists(&name).await.unwrap(), None);
        let response = schemas.get_opt(&name).send().await.unwrap();
        assert_eq!(response.code(), 404);

        schemas.create(&sample(&name)).await.unwrap();
        assert!(schemas.get_opt(&name).await.unwrap().is_some());
        assert!(
            schemas
                .delete_if_exists(&name)
                .dry_run()
                .await
                .unwrap()
                .is_some()
        );
        assert!(
            schemas.get_opt(&name).await.unwrap().is_some(),
            "a dry run deletes nothing"
        );
        let deleted = schemas.delete_if_exists(&name).await.unwrap();
        assert!(matches!(deleted, Some(Deleted::Status(_))), "{deleted:?}");
        assert_eq!(schemas.get_opt(&name).await.unwrap(), None);
        // Other errors stay errors.
        assert!(schemas.get_opt("a/b").await.unwrap_err().is_argument());
    }
}

fn assert_not_served(error: &Error) {
    assert!(
        error.is_version_not_served() && !error.is_not_found(),
        "{error}"
    );
    assert_eq!(error.code(), Some(404));
    let text = error.to_string();
    let words = "the server serves flowcontrol.apiserver.k8s.io in v1beta2, v1beta1, and not in v1; \
                 `Client::negotiated` chooses the best version of the server";
    assert!(text.ends_with(words), "{text}");
}

#[tokio::test]
async fn a_version_that_is_not_served_is_no_missing_object() {
    let (_server, client) = release("1.25").await;
    let schemas = client.flow_schemas();
    assert_not_served(&schemas.get("exempt").await.unwrap_err());
    assert_not_served(&schemas.get_opt("exempt").await.unwrap_err());
    assert_not_served(&schemas.delete_if_exists("exempt").await.unwrap_err());
    assert_not_served(&schemas.list().await.unwrap_err());
    assert_not_served(&schemas.create(&sample("new")).await.unwrap_err());
    assert_not_served(&schemas.watch().await.unwrap_err());
    let update = schemas.create_or_update("exempt", |_| ());
    assert_not_served(&update.await.unwrap_err());

    let negotiated = client.negotiated::<FlowSchema>().await.unwrap();
    assert!(negotiated.get_opt("exempt").await.unwrap().is_some());
    assert_eq!(negotiated.get_opt("missing").await.unwrap(), None);
    assert_eq!(negotiated.delete_if_exists("missing").await.unwrap(), None);
}

#[tokio::test]
async fn create_or_update_creates_and_updates() {
    for name in ["1.25", "1.36"] {
        let (_server, client) = release(name).await;
        let levels = client
            .negotiated::<PriorityLevelConfiguration>()
            .await
            .unwrap();
        let set = |shares: i32| {
            levels.create_or_update("batch", move |level| {
                level.spec.r#type = "Limited".into();
                let limited = level.spec.limited.get_or_insert_default();
                limited.nominal_concurrency_shares = Some(shares);
                limited.limit_response.r#type = "Reject".into();
            })
        };
        let created = set(5).field_manager("tool").await.unwrap();
        let same = set(5).await.unwrap();
        assert_eq!(
            same.metadata.resource_version,
            created.metadata.resource_version
        );
        let changed = set(6).await.unwrap();
        assert_eq!(changed.metadata.uid, created.metadata.uid);
        let limited = changed.spec.limited.unwrap();
        assert_eq!(limited.nominal_concurrency_shares, Some(6), "{name}");
    }
}

/// A client for a server on which the first write of a method meets a failure.
async fn failing_once(method: &str, code: u16, reason: &str) -> (ApiServer, Client) {
    let status = Status {
        reason: Some(reason.to_owned()),
        code: Some(code.into()),
        details: Some(serde_json::from_str(r#"{"name": "mine", "kind": "flowschemas"}"#).unwrap()),
        ..Default::default()
    };
    let fault = Fault::status(code, status).on_method(method);
    let server = ApiServer::builder().fault(fault).start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    (server, client)
}

#[tokio::test]
async fn create_or_update_starts_again_when_the_object_comes_or_goes() {
    let (server, client) = failing_once("POST", 409, "AlreadyExists").await;
    let mut calls = 0;
    let schemas = client.flow_schemas();
    let update = schemas.create_or_update("mine", |schema: &mut FlowSchema| {
        calls += 1;
        *schema = sample("mine");
    });
    update.await.unwrap();
    assert_eq!((calls, server.pending_faults()), (2, 0));

    let (server, client) = failing_once("PUT", 404, "NotFound").await;
    let schemas = client.flow_schemas();
    schemas.create(&sample("mine")).await.unwrap();
    let update = schemas.create_or_update("mine", |schema| {
        schema.spec.matching_precedence = Some(8000);
    });
    assert_eq!(update.await.unwrap().spec.matching_precedence, Some(8000));
    assert_eq!(server.pending_faults(), 0);
}
