//! `update_with`: get, change, replace, and repeat on conflict.

use crate::requests::support::{arrived, embedded, schema};
use k8s_flowcontrol::Error;
use k8s_flowcontrol::api::{v1, v1beta2};
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;

#[tokio::test]
async fn nothing_of_concurrent_updates_is_lost() {
    let (_server, client) = embedded().await;
    client
        .flow_schemas()
        .create(&schema("counter"))
        .await
        .unwrap();
    let updates = (0..8).map(|_| {
        let schemas = client.flow_schemas();
        crate::spawn(async move {
            for _ in 0..5 {
                let update = schemas.update_with("counter", |schema| {
                    *schema.spec.matching_precedence.as_mut().unwrap() += 1;
                });
                update.max_attempts(1000).await.unwrap();
            }
        })
    });
    for update in updates.collect::<Vec<_>>() {
        update.await.unwrap();
    }
    let counter = client.flow_schemas().get("counter").await.unwrap();
    assert_eq!(counter.spec.matching_precedence, Some(9040));
}

/// Changes the object after another client has read it.
async fn interfere(client: &Client, precedence: i32) {
    let patch = json!({"spec": {"matchingPrecedence": precedence}});
    client
        .flow_schemas()
        .patch("mine")
        .merge(&patch)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_change_sees_what_the_other_one_did() {
    let (server, client) = embedded().await;
    client.flow_schemas().create(&schema("mine")).await.unwrap();
    let other = client.clone();
    let mut seen = Vec::new();
    let updated = client
        .flow_schemas()
        .update_with("mine", |schema| {
            let precedence = schema.spec.matching_precedence.unwrap();
            seen.push(precedence);
            if seen.len() <= 2 {
                let interference = interfere(&other, precedence + 1);
                tokio::task::block_in_place(|| {
                    tokio::runtime::Handle::current().block_on(interference)
                });
            }
            schema
                .metadata
                .labels
                .insert("seen".into(), precedence.to_string());
            // The update restores the identity of the object it has read.
            schema.metadata.resource_version = None;
            schema.metadata.uid = None;
        })
        .field_manager("updater")
        .await;
    let updated = updated.unwrap();
    assert_eq!(seen, [9000, 9001, 9002]);
    assert_eq!(updated.metadata.labels["seen"], "9002");
    assert_eq!(arrived(&server, "PUT"), 3);
    let managers: Vec<_> = updated.metadata.managed_fields.entries().unwrap();
    assert!(
        managers
            .iter()
            .any(|entry| entry.manager.as_deref() == Some("updater"))
    );
}

#[tokio::test]
async fn nothing_is_written_when_nothing_changed() {
    let (server, client) = embedded().await;
    let exempt = client.flow_schemas().get("exempt").await.unwrap();
    let same = client
        .flow_schemas()
        .update_with("exempt", |_| {})
        .await
        .unwrap();
    assert_eq!(same, exempt);
    assert_eq!(arrived(&server, "PUT"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conflicts_are_bounded() {
    let (server, client) = embedded().await;
    client.flow_schemas().create(&schema("mine")).await.unwrap();
    let other = client.clone();
    let mut calls = 1000;
    let update = client.flow_schemas().update_with("mine", |schema| {
        calls += 1;
        let interference = interfere(&other, calls);
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(interference));
        schema.spec.matching_precedence = Some(2);
    });
    let error = update.max_attempts(3).await.unwrap_err();
    assert!(error.is_conflict(), "{error}");
    assert_eq!(error.attempts(), 3);
    assert_eq!(arrived(&server, "PUT"), 3);
    assert_eq!(calls, 1003);
}

/// An error type of the program.
#[derive(Debug)]
enum Refusal {
    TooHigh(i32),
    Api(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Api(error)
    }
}

#[tokio::test]
async fn a_change_may_refuse() {
    let (server, client) = embedded().await;
    let schemas = client.flow_schemas();
    schemas.create(&schema("mine")).await.unwrap();
    let refuse = |schema: &mut v1::FlowSchema| {
        schema.spec.matching_precedence = Some(1);
        Err(Refusal::TooHigh(9000))
    };
    let refused = schemas.try_update_with("mine", refuse).await.unwrap_err();
    assert!(matches!(refused, Refusal::TooHigh(9000)));
    let missing = schemas
        .try_update_with("missing", refuse)
        .await
        .unwrap_err();
    assert!(matches!(missing, Refusal::Api(error) if error.is_not_found()));
    assert_eq!(arrived(&server, "PUT"), 0);

    let renamed = schemas
        .update_with("mine", |schema| schema.metadata.name = Some("yours".into()))
        .await;
    let error = renamed.unwrap_err();
    assert!(
        error.is_argument() && error.to_string().contains("`yours`"),
        "{error}"
    );
    let tested = schemas
        .update_with("mine", |schema| schema.spec.matching_precedence = Some(5))
        .dry_run()
        .await;
    assert_eq!(tested.unwrap().spec.matching_precedence, Some(5));
    assert_eq!(
        schemas.get("mine").await.unwrap().spec.matching_precedence,
        Some(9000)
    );
}

#[tokio::test]
async fn the_status_alone() {
    let (_server, client) = embedded().await;
    let schemas = client.flow_schemas();
    schemas.create(&schema("mine")).await.unwrap();
    let change = |schema: &mut v1::FlowSchema| {
        let condition = v1::FlowSchemaCondition {
            r#type: "Seen".into(),
            status: Some("True".into()),
            ..Default::default()
        };
        schema
            .status
            .get_or_insert_default()
            .conditions
            .push(condition);
        schema.spec.matching_precedence = Some(1);
    };
    let updated = schemas.update_status_with("mine", change).await.unwrap();
    assert_eq!(updated.spec.matching_precedence, Some(9000));
    let conditions = updated.status.unwrap().conditions;
    assert!(
        conditions
            .iter()
            .any(|condition| condition.r#type == "Seen")
    );
}

#[tokio::test]
async fn busy_servers_are_borne() {
    let (server, client) = embedded().await;
    client.flow_schemas().create(&schema("mine")).await.unwrap();
    server.inject(Fault::rejected(0).times(2));
    server.inject(Fault::unavailable().on_method("PUT"));
    let update = client
        .flow_schemas()
        .update_with("mine", |schema| schema.spec.matching_precedence = Some(5));
    assert_eq!(update.await.unwrap().spec.matching_precedence, Some(5));
    assert_eq!(server.pending_faults(), 0);
}

#[tokio::test]
async fn fields_that_the_version_cannot_express_are_not_overwritten() {
    let server = ApiServer::builder()
        .kubernetes("1.31")
        .start()
        .await
        .unwrap();
    let client = crate::requests::support::client(server.url());
    let level: v1::PriorityLevelConfiguration = serde_json::from_value(json!({
        "metadata": {"name": "zero"},
        "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}}},
    }))
    .unwrap();
    client
        .priority_level_configurations()
        .create(&level)
        .await
        .unwrap();
    let old = client
        .negotiated::<v1beta2::PriorityLevelConfiguration>()
        .await
        .unwrap();
    let label = |level: &mut v1beta2::PriorityLevelConfiguration| {
        level.metadata.labels.insert("a".into(), "b".into());
    };
    let error = old.update_with("zero", label).await.unwrap_err();
    assert!(error.is_lossy() && !error.losses().is_empty(), "{error}");
    assert!(old.update_with("workload-low", label).await.is_ok());
}

#[tokio::test]
async fn an_update_has_a_response() {
    let (_server, client) = embedded().await;
    let schemas = client.flow_schemas();
    let set = |precedence| {
        let change = move |schema: &mut v1::FlowSchema| {
            schema.spec = self::schema("mine").spec;
            schema.spec.matching_precedence = Some(precedence);
        };
        schemas.create_or_update("mine", change).send()
    };
    let created = set(5).await.unwrap();
    assert!(created.was_created() && created.audit_id().is_some());
    let replaced = set(6).await.unwrap();
    assert_eq!(replaced.code(), 200);
    assert_eq!(replaced.value().spec.matching_precedence, Some(6));
    // Nothing changes: the response is that of the read.
    let read = set(6).await.unwrap();
    assert_ne!(read.audit_id(), replaced.audit_id());
    assert_eq!(read.value(), replaced.value());
}
