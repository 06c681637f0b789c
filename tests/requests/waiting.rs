//! `wait_for`: no change is missed, even if the watch breaks.

use crate::requests::script::{Act, Script, answer};
use crate::requests::support::{embedded, schema, schema_of_level};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::wait;
use k8s_flowcontrol::{Resource, api::v1, api::v1beta1};
use k8s_flowcontrol_server::Fault;
use serde_json::json;
use std::time::Duration;
use tokio::sync::mpsc;

fn level(name: &str) -> PriorityLevelConfiguration {
    serde_json::from_value(json!({
        "metadata": {"name": name},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }))
    .unwrap()
}

#[tokio::test]
async fn until_a_schema_is_not_dangling() {
    let (_server, client) = embedded().await;
    let schemas = client.flow_schemas();
    schemas
        .create(&schema_of_level("mine", "later"))
        .await
        .unwrap();
    let waiting = schemas.wait_for("mine", wait::has_condition("Dangling", "True"));
    waiting.timeout(Duration::from_secs(600)).await.unwrap();
    let waiting = crate::spawn(
        schemas
            .wait_for("mine", wait::is_not_dangling())
            .into_future(),
    );
    client
        .priority_level_configurations()
        .create(&level("later"))
        .await
        .unwrap();
    let mine = waiting.await.unwrap().unwrap().unwrap();
    let conditions = mine.status.unwrap().conditions;
    assert!(
        conditions
            .iter()
            .any(|condition| condition.r#type == "Dangling")
    );
}

#[tokio::test]
async fn until_it_exists_and_until_it_is_deleted() {
    let (_server, client) = embedded().await;
    let schemas = client.flow_schemas();
    // The condition holds at once.
    assert_eq!(
        schemas.wait_for("mine", wait::is_deleted()).await.unwrap(),
        None
    );
    let existing = crate::spawn(schemas.wait_for("mine", wait::exists()).into_future());
    schemas.create(&schema("mine")).await.unwrap();
    assert!(existing.await.unwrap().unwrap().is_some());

    let (sender, mut received) = mpsc::unbounded_channel();
    let mut is_deleted = wait::is_deleted();
    let waiting = schemas.wait_for("mine", move |schema: Option<&FlowSchema>| {
        sender.send(schema.is_some()).unwrap();
        is_deleted(schema)
    });
    let deleted = crate::spawn(waiting.into_future());
    assert_eq!(received.recv().await, Some(true));
    schemas.delete("mine").await.unwrap();
    assert_eq!(deleted.await.unwrap().unwrap(), None);
    assert_eq!(received.recv().await, Some(false));
}

/// Waits for a precedence of 120 while it rises in steps. `disturb` is called before each step.
async fn every_step_is_seen(disturb: impl Fn(&k8s_flowcontrol_server::ApiServer)) -> Vec<i32> {
    let (server, client) = embedded().await;
    let schemas = client.flow_schemas();
    schemas.create(&schema("mine")).await.unwrap();
    let (sender, mut received) = mpsc::unbounded_channel();
    let waiting = schemas.wait_for("mine", move |schema: Option<&FlowSchema>| {
        let precedence = schema.unwrap().spec.matching_precedence.unwrap();
        sender.send(precedence).unwrap();
        precedence == 120
    });
    let waiting = crate::spawn(waiting.timeout(Duration::from_secs(600)).into_future());
    let mut all = vec![received.recv().await.unwrap()];
    for precedence in 101..=120 {
        disturb(&server);
        let patch = json!({"spec": {"matchingPrecedence": precedence}});
        schemas.patch("mine").merge(&patch).await.unwrap();
        while let Some(seen) = received.recv().await {
            all.push(seen);
            if seen == precedence {
                break;
            }
        }
    }
    assert_eq!(
        waiting
            .await
            .unwrap()
            .unwrap()
            .unwrap()
            .spec
            .matching_precedence,
        Some(120)
    );
    all
}

#[tokio::test]
async fn no_state_is_missed() {
    let mut seen = every_step_is_seen(|_| {}).await;
    // The status is updated too.
    seen.dedup();
    assert_eq!(
        seen,
        [9000].into_iter().chain(101..=120).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn watches_that_break_or_are_too_old_are_opened_anew() {
    // The first fault hits the watch that is opened after the broken one.
    let mut seen = every_step_is_seen(|server| server.inject(Fault::cut_watch(0))).await;
    seen.dedup();
    assert_eq!(
        seen,
        [9000].into_iter().chain(101..=120).collect::<Vec<_>>()
    );
    every_step_is_seen(|server| server.expire_history()).await;
    every_step_is_seen(|server| {
        server.inject(Fault::cut_watch(0));
        server.inject(Fault::too_many_requests(0).times(7).on_method("GET"));
        server.inject(Fault::unavailable().times(3).on_method("GET"));
        server.inject(Fault::expire_history().on_method("GET"));
    })
    .await;
}

/// A list with a resource version and the objects named.
fn list(version: u32, names: &[&str]) -> Act {
    let items: Vec<_> = names
        .iter()
        .map(|name| json!({"metadata": {"name": name, "resourceVersion": "1"}, "spec": {}}))
        .collect();
    let list = json!({"metadata": {"resourceVersion": version.to_string()}, "items": items});
    answer(200, "", list.to_string())
}

#[tokio::test]
async fn a_watch_that_ends_without_an_event_leads_to_a_list() {
    let error = r#"{"type":"ERROR","object":{"kind":"Status","status":"Failure","code":500}}"#;
    for watch in ["", error] {
        let script = Script::start(vec![
            list(5, &[]),
            answer(200, "", watch),
            list(6, &[]),
            answer(200, "", watch),
            list(4, &["mine"]),
        ])
        .await;
        let schemas = script.client.flow_schemas();
        let found = schemas.wait_for("mine", wait::exists()).await.unwrap();
        assert!(found.is_some());
        let requests = script.requests();
        let versions = |index: usize| requests[index].contains("resourceversion=");
        assert!(versions(1) && versions(3) && !versions(2) && !versions(4));
    }
}

#[tokio::test]
async fn objects_that_the_server_should_have_left_out_are_ignored() {
    let event = |kind: &str, name: &str, version: u32| {
        let object =
            json!({"metadata": {"name": name, "resourceVersion": version.to_string()}, "spec": {}});
        format!("{}\n", json!({"type": kind, "object": object}))
    };
    let events = [
        event("MODIFIED", "other", 6),
        event("DELETED", "other", 7),
        event("DELETED", "mine", 8),
    ];
    let watch = answer(200, "", events.concat());
    let script = Script::start(vec![list(5, &["mine", "other"]), watch]).await;
    let mut seen = Vec::new();
    let schemas = script.client.flow_schemas();
    let waiting = schemas.wait_for("mine", |schema: Option<&FlowSchema>| {
        seen.push(schema.is_some());
        schema.is_none()
    });
    waiting.await.unwrap();
    assert_eq!(seen, [true, false]);
}

#[tokio::test]
async fn waits_end() {
    let (server, client) = embedded().await;
    let client = client
        .with_retry_policy(RetryPolicy::none().with_initial_backoff(Duration::from_millis(1)));
    let schemas = client.flow_schemas();
    let limit = Duration::from_millis(200);
    let error = schemas
        .wait_for("missing", wait::exists())
        .timeout(limit)
        .await
        .unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert!(
        error.to_string().contains(
            "the wait for FlowSchema `missing`, which does not exist, did not finish within 200ms"
        ),
        "{error}"
    );
    assert!(std::error::Error::source(&error).is_none());

    server.inject(Fault::unavailable().times(usize::MAX));
    let error = schemas
        .wait_for("missing", wait::exists())
        .timeout(5 * limit)
        .await
        .unwrap_err();
    assert!(error.is_timeout(), "{error}");
    let trouble = std::error::Error::source(&error).unwrap().to_string();
    assert!(trouble.contains("503 ServiceUnavailable"), "{trouble}");

    server.clear_faults();
    server.inject(Fault::internal_error());
    // A failure of the server passes; an error of the arguments does not.
    let found = schemas.wait_for("exempt", wait::exists()).await.unwrap();
    assert_eq!(found.unwrap().name(), "exempt");
    let error = schemas
        .wait_for("no/name", wait::exists())
        .await
        .unwrap_err();
    assert!(error.is_argument(), "{error}");
}

#[tokio::test]
async fn one_object_of_many_is_followed() {
    let (server, client) = embedded().await;
    let schemas = client.flow_schemas();
    let mine = crate::spawn(schemas.wait_for("mine", wait::exists()).into_future());
    for name in ["other", "mine2", "mine"] {
        schemas.create(&schema(name)).await.unwrap();
    }
    assert_eq!(
        mine.await
            .unwrap()
            .unwrap()
            .unwrap()
            .metadata
            .name
            .as_deref(),
        Some("mine")
    );
    let requests = server.requests();
    let reads: Vec<_> = requests
        .iter()
        .filter(|request| request.method == "GET")
        .collect();
    let selector = ("fieldSelector".to_owned(), "metadata.name=mine".to_owned());
    assert!(
        reads
            .iter()
            .all(|request| request.query.contains(&selector)),
        "{reads:?}"
    );
}

fn with_conditions<K: Resource>(uid: &str, dangling: &str) -> K {
    let conditions =
        json!([{"type": "Other", "status": "True"}, {"type": "Dangling", "status": dangling}]);
    let tree = json!({"metadata": {"uid": uid}, "spec": {}, "status": {"conditions": conditions}});
    serde_json::from_value(tree).unwrap()
}

#[test]
fn conditions_of_the_status() {
    assert!(wait::is_not_dangling()(Some(&with_conditions::<
        v1::FlowSchema,
    >("a", "False"))));
    assert!(wait::is_not_dangling()(Some(&with_conditions::<
        v1beta1::FlowSchema,
    >("a", "False"))));
    assert!(!wait::is_not_dangling()(Some(&with_conditions::<
        v1::FlowSchema,
    >("a", "True"))));
    assert!(!wait::is_not_dangling()(Some(&v1::FlowSchema::default())));
    assert!(!wait::is_not_dangling::<v1::FlowSchema>()(None));
    assert!(wait::has_condition("Other", "True")(Some(
        &with_conditions::<v1::FlowSchema>("a", "x")
    )));
}

#[test]
fn deleted_or_replaced() {
    let (first, second): (v1::FlowSchema, _) = (with_conditions("a", ""), with_conditions("b", ""));
    let mut gone = wait::is_deleted();
    assert!(!gone(Some(&first)) && !gone(Some(&first)));
    assert!(gone(Some(&second)));
    assert!(gone(None));
    assert!(wait::exists()(Some(&first)) && !wait::exists::<v1::FlowSchema>()(None));
}
