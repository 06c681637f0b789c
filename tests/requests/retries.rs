//! The failed requests that are sent again.

use crate::requests::script::{Script, answer};
use crate::requests::support::{arrived, embedded, schema};
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol_server::Fault;
use serde_json::json;
use std::time::Duration;

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
async fn requests_with_unknown_outcome_are_not_sent_again() {
    let (server, client) = embedded().await;
    let schemas = client.flow_schemas();
    schemas.create(&schema("mine")).await.unwrap();
    let posts = arrived(&server, "POST");
    let mut mine = schemas.get("mine").await.unwrap();
    let version = mine.metadata.resource_version.take().unwrap();
    let patch = json!({"spec": {"matchingPrecedence": 8000}});

    let unavailable = || server.inject(Fault::unavailable());
    unavailable();
    let created = schemas.create(&schema("other")).await.map(drop);
    unavailable();
    let replaced = schemas.replace(&mine).await.map(drop);
    unavailable();
    let patched = schemas.patch("mine").merge(&patch).await.map(drop);
    unavailable();
    let applied = schemas
        .apply(&schema("mine"))
        .field_manager("m")
        .await
        .map(drop);
    unavailable();
    let deleted = schemas.delete("mine").await.map(drop);
    unavailable();
    let cleared = schemas
        .delete_collection()
        .label_selector("a=b")
        .await
        .map(drop);
    for result in [created, replaced, patched, applied, deleted, cleared] {
        let error = result.unwrap_err();
        assert_eq!((error.code(), error.attempts()), (Some(503), 1), "{error}");
        assert!(
            error.is_retryable() && !error.to_string().contains("tried"),
            "{error}"
        );
    }
    assert_eq!(arrived(&server, "POST"), posts + 1);

    // The same requests with a guard, or as a dry run.
    unavailable();
    assert_eq!(
        schemas
            .create(&schema("other"))
            .dry_run()
            .send()
            .await
            .unwrap()
            .attempts(),
        2
    );
    unavailable();
    assert_eq!(
        schemas
            .delete("mine")
            .dry_run()
            .send()
            .await
            .unwrap()
            .attempts(),
        2
    );
    unavailable();
    mine.metadata.resource_version = Some(version);
    let replaced = schemas.replace(&mine).send().await.unwrap();
    assert_eq!(replaced.attempts(), 2);
    unavailable();
    let uid = replaced.value().metadata.uid.clone().unwrap();
    assert_eq!(
        schemas
            .delete("mine")
            .precondition_uid(uid)
            .send()
            .await
            .unwrap()
            .attempts(),
        2
    );
    unavailable();
    assert_eq!(schemas.list().send().await.unwrap().attempts(), 2);
    assert_eq!(server.pending_faults(), 0);
}

#[tokio::test]
async fn an_unavailable_server_that_asks_to_come_back_has_done_nothing() {
    let body =
        json!({"kind": "Status", "apiVersion": "v1", "code": 503, "reason": "ServiceUnavailable"});
    let created = serde_json::to_vec(&schema("mine")).unwrap();
    let script = Script::start(vec![
        answer(503, "Retry-After: 0\r\n", body.to_string()),
        answer(503, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", ""),
        answer(201, "", created),
    ])
    .await;
    let created = script
        .client
        .flow_schemas()
        .create(&schema("mine"))
        .send()
        .await
        .unwrap();
    assert_eq!((created.attempts(), created.code()), (3, 201));
    assert_eq!(script.requests().len(), 3);
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
async fn a_wait_that_would_be_too_long_is_not_begun() {
    let (server, client) = embedded().await;
    server.inject(Fault::rejected(3600).times(2));
    let error = client.flow_schemas().get("exempt").await.unwrap_err();
    assert!(error.is_rejected_by_flow_control(), "{error}");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert_eq!(error.attempts(), 1);
    // The server asks for more than the policy obeys, however much time there is.
    let patient = client
        .retry_policy()
        .clone()
        .with_max_elapsed(Duration::MAX);
    let get = |policy: RetryPolicy| client.flow_schemas().get("exempt").retry_policy(policy);
    let error = get(patient.clone()).timeout(None).await.unwrap_err();
    assert_eq!((error.is_too_many_requests(), error.attempts()), (true, 1));
    // Longer than the request's timeout.
    server.inject(Fault::rejected(3600));
    let patient = patient.with_max_retry_after(Duration::MAX);
    let error = get(patient)
        .timeout(Duration::from_secs(30))
        .await
        .unwrap_err();
    assert_eq!((error.is_too_many_requests(), error.attempts()), (true, 1));
    assert_eq!(server.pending_faults(), 0);
}

#[tokio::test]
async fn failures_that_would_repeat_are_handed_on() {
    let (server, client) = embedded().await;
    server.inject(Fault::internal_error());
    let error = client.flow_schemas().get("exempt").await.unwrap_err();
    assert_eq!((error.code(), error.attempts()), (Some(500), 1));
    server.inject(Fault::garbage());
    let error = client.flow_schemas().get("exempt").await.unwrap_err();
    assert!(error.is_decode());
    assert_eq!(error.attempts(), 1);
    let error = client.flow_schemas().get("missing").await.unwrap_err();
    assert_eq!((error.is_not_found(), error.attempts()), (true, 1));
    let error = client.flow_schemas().get("no/name").await.unwrap_err();
    assert_eq!((error.is_argument(), error.attempts()), (true, 0));
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
