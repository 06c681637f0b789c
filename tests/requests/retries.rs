//! The failed requests that are sent again.

use crate::requests::support::{arrived, embedded, schema};
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol_server::Fault;
use serde_json::json;

#[tokio::test]
async fn any_rejected_request_is_sent_again() {
    for fault in [Fault::rejected(0), Fault::too_many_requests(0)] {
        let (server, client) = embedded().await;
        let schemas = client.flow_schemas();
        let twice = || server.inject(fault.clone().times(2));

        twice();
        let created = schemas.create(&schema("mine")).send().await.unwrap();
        assert_eq!((created.code(), created.attempts()), (201, 3));
        twice();
        assert_eq!(schemas.get("mine").send().await.unwrap().attempts(), 3);
        twice();
        let patch = json!({"spec": {"matchingPrecedence": 8000}});
        assert_eq!(
            schemas
                .patch("mine")
                .merge(&patch)
                .send()
                .await
                .unwrap()
                .attempts(),
            3
        );
        twice();
        let mine = schemas.get("mine").await.unwrap();
        let mut unconditional = mine.clone();
        unconditional.metadata.resource_version = None;
        assert!(schemas.replace(&unconditional).await.is_ok());
        twice();
        assert_eq!(
            schemas
                .apply(&schema("other"))
                .field_manager("m")
                .send()
                .await
                .unwrap()
                .attempts(),
            3
        );
        twice();
        assert_eq!(schemas.watch().send().await.unwrap().attempts(), 3);
        twice();
        assert_eq!(schemas.delete("mine").send().await.unwrap().attempts(), 3);
        twice();
        assert_eq!(client.version().send().await.unwrap().attempts(), 3);
        assert_eq!(server.pending_faults(), 0);
    }
}

#[tokio::test]
async fn a_generated_name_is_generated_once() {
    let (server, client) = embedded().await;
    server.inject(Fault::rejected(0).times(3).on_method("POST"));
    let mut unnamed = schema("");
    unnamed.metadata.name = None;
    unnamed.metadata.generate_name = Some("generated-".into());
    let created = client.flow_schemas().create(&unnamed).await.unwrap();

    let all = client.flow_schemas().list().await.unwrap();
    let generated = all.into_iter().map(|schema| schema.metadata.name.unwrap());
    let generated: Vec<_> = generated
        .filter(|name| name.starts_with("generated-"))
        .collect();
    assert_eq!(generated, [created.metadata.name.unwrap()]);
    assert_eq!(arrived(&server, "POST"), 4);
}

#[tokio::test]
async fn attempts_are_bounded_and_told() {
    let (server, client) = embedded().await;
    server.inject(Fault::too_many_requests(0).times(100));
    let error = client.flow_schemas().get("exempt").await.unwrap_err();
    assert!(error.is_too_many_requests());
    assert_eq!(error.attempts(), 5);
    assert!(
        error
            .to_string()
            .ends_with("(after 5 attempts, the limit of the retry policy)"),
        "{error}"
    );
    assert_eq!(server.requests().len(), 5);

    let thrice = client.retry_policy().clone().with_max_attempts(3);
    let error = client
        .flow_schemas()
        .list()
        .retry_policy(thrice.clone())
        .await
        .unwrap_err();
    assert_eq!(error.attempts(), 3);
    let error = client
        .with_retry_policy(thrice)
        .version()
        .await
        .unwrap_err();
    assert_eq!(error.attempts(), 3);
}

#[tokio::test]
async fn retries_can_be_turned_off() {
    let (server, client) = embedded().await;
    server.inject(Fault::rejected(0).times(3));
    let once = client.clone().with_retry_policy(RetryPolicy::none());
    assert_eq!(
        once.flow_schemas()
            .get("exempt")
            .await
            .unwrap_err()
            .attempts(),
        1
    );
    let request = client
        .flow_schemas()
        .get("exempt")
        .retry_policy(RetryPolicy::none());
    assert_eq!(request.await.unwrap_err().attempts(), 1);
    assert_eq!(server.pending_faults(), 1);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn pages_are_tried_again_one_by_one() {
    let (server, client) = embedded().await;
    let all = client.flow_schemas().list().await.unwrap().items.len();
    let mut items = client.flow_schemas().list().limit(2).items();
    let mut count = 0;
    while let Some(item) = items.next().await {
        item.unwrap();
        count += 1;
        if count % 2 == 0 {
            server.inject(Fault::unavailable());
        }
    }
    assert_eq!(count, all);
}

#[tokio::test]
async fn pages_go_on_from_a_fresh_token() {
    let (server, client) = embedded().await;
    let schemas = client.flow_schemas();
    let all = schemas.list().await.unwrap().items.len();
    server.inject(Fault::expire_history());
    schemas.create(&schema("new")).await.unwrap();
    let mut pages = schemas.list().limit(3).pages();
    let mut count = pages.next().await.unwrap().unwrap().items.len();
    schemas.create(&schema("newer")).await.unwrap();
    server.expire_history();
    let error = pages.next().await.unwrap().unwrap_err();
    assert!(error.is_expired() && !error.is_retryable(), "{error}");
    assert_eq!(error.attempts(), 1);
    assert!(pages.next().await.is_none());

    let fresh = error.continue_token().unwrap();
    let mut rest = schemas.list().limit(3).continue_token(fresh).items();
    while let Some(item) = rest.next().await {
        item.unwrap();
        count += 1;
    }
    assert_eq!(count, all + 2);
}
