//! The fields described by the public reference pages of the API, sent to a server in strict mode and read back. The
//! operations and parameters are in `wire`, the response codes in `answers`.

use crate::e2e::support::{Cluster, object, release, tree, unique};
use k8s_flowcontrol::api::{v1, v1beta2};
use k8s_flowcontrol::client::FieldValidation;
use k8s_flowcontrol::{Objects, Release, Resource};
use serde_json::{Value, json};

/// Creates the object in strict mode, and checks that the response, a get and a list contain every field of it.
async fn holds<K: Resource>(api: &impl Objects<K>, sent: Value) {
    let name = sent["metadata"]["name"].as_str().unwrap().to_owned();
    let typed: K = object(sent.clone());
    let created = api
        .create(&typed)
        .field_validation(FieldValidation::Strict)
        .await
        .unwrap();
    let read = api.get(&name).await.unwrap();
    let list = api
        .list()
        .field_selector(format!("metadata.name={name}"))
        .await
        .unwrap();
    for found in [&created, &read, &list.items[0]] {
        let found = tree(found);
        for part in ["metadata", "spec"] {
            contains(&found[part], &sent[part], part);
        }
    }
    // A server's own controller may write the status of a flow schema meanwhile.
    let with_status = loop {
        let mut with_status = api.get(&name).await.unwrap();
        if !sent["status"].is_null() {
            let metadata = &tree(&with_status)["metadata"];
            with_status = object(
                json!({"metadata": metadata, "spec": sent["spec"], "status": sent["status"]}),
            );
        }
        match api.replace_status(&with_status).await {
            Err(error) if error.is_conflict() => {}
            written => break written.unwrap(),
        }
    };
    contains(&tree(&with_status)["status"], &sent["status"], "status");
    api.delete(&name).await.unwrap();
}

fn contains(found: &Value, sent: &Value, path: &str) {
    match sent {
        Value::Null => {}
        Value::Object(members) => {
            for (name, member) in members {
                contains(&found[name], member, &format!("{path}.{name}"));
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                contains(&found[index], element, &format!("{path}[{index}]"));
            }
        }
        _ => assert_eq!(found, sent, "{path}"),
    }
}

fn conditions() -> Value {
    json!({"conditions": [{
        "type": "ConcurrencyShared", "status": "Unknown", "reason": "E2e", "message": "A message.",
        "lastTransitionTime": "2026-11-21T06:23:00Z",
    }]})
}

#[tokio::test]
async fn the_v1_reference_of_priority_levels() {
    for cluster in Cluster::serving("v1").await {
        let levels = cluster.client.priority_level_configurations();
        holds(
        &levels,
        json!({
            "metadata": {"name": unique("queue"), "labels": {"a": "b"}, "annotations": {"c": "d"}},
            "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": 40, "lendablePercent": 50, "borrowingLimitPercent": 150,
                "limitResponse": {
                    "type": "Queue",
                    "queuing": {"queues": 128, "handSize": 6, "queueLengthLimit": 200},
                },
            }},
            "status": conditions(),
        }),
    )
    .await;
        // Kubernetes 1.29 rejects zero shares.
        if cluster.client.release().await.unwrap() > Release::nearest(29) {
            let rejecting = json!({
                "metadata": {"name": unique("reject")},
                "spec": {"type": "Limited", "limited": {
                    "nominalConcurrencyShares": 0, "borrowingLimitPercent": 0, "limitResponse": {"type": "Reject"}}},
            });
            holds(&levels, rejecting).await;
        }
    }
}

#[tokio::test]
async fn the_exempt_level_keeps_what_an_operator_sets() {
    let (_server, client) = release("1.36").await;
    let levels = client.priority_level_configurations();
    let mut exempt = levels.get("exempt").await.unwrap();
    assert_eq!(exempt.spec.r#type, v1::PriorityLevelType::Exempt);
    let settings = exempt.spec.exempt.as_mut().unwrap();
    assert_eq!(
        (
            settings.nominal_concurrency_shares,
            settings.lendable_percent
        ),
        (Some(0), Some(0))
    );
    settings.nominal_concurrency_shares = Some(10);
    settings.lendable_percent = Some(25);
    let replaced = levels.replace(&exempt).await.unwrap();
    assert_eq!(replaced.spec.exempt, exempt.spec.exempt);
}

#[tokio::test]
async fn the_descriptions_of_flow_schemas() {
    for cluster in Cluster::each().await {
        let subjects = json!([
            {"kind": "User", "user": {"name": "ann"}},
            {"kind": "User", "user": {"name": "*"}},
            {"kind": "Group", "group": {"name": "system:authenticated"}},
            {"kind": "ServiceAccount", "serviceAccount": {"namespace": "team-a", "name": "builder"}},
            {"kind": "ServiceAccount", "serviceAccount": {"namespace": "team-a", "name": "*"}},
        ]);
        holds(
        &cluster.schemas().await,
        json!({
            "metadata": {"name": unique("schema")},
            "spec": {
                "priorityLevelConfiguration": {"name": "workload-low"},
                "matchingPrecedence": 9999,
                "distinguisherMethod": {"type": "ByNamespace"},
                "rules": [
                    {
                        "subjects": subjects,
                        "resourceRules": [
                            {"verbs": ["get", "list", "create", "update", "delete", "deletecollection",
                                "patch", "watch", "proxy"],
                             "apiGroups": ["", "apps"], "resources": ["pods", "deployments/status"],
                             "namespaces": ["team-a", "team-b"]},
                            {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true,
                             "namespaces": ["*"]},
                        ],
                        "nonResourceRules": [
                            {"verbs": ["get"], "nonResourceURLs": ["/healthz", "/metrics/*", "/e2e"]},
                            {"verbs": ["*"], "nonResourceURLs": ["*"]},
                        ],
                    },
                ],
            },
        }),
    )
    .await;
    }
}

#[tokio::test]
async fn the_older_shares_and_the_v1beta2_schemas() {
    let (_server, client) = release("1.28").await;
    holds(
        &client.api::<v1beta2::PriorityLevelConfiguration>(),
        json!({
            "metadata": {"name": unique("assured")},
            "spec": {"type": "Limited", "limited": {
                "assuredConcurrencyShares": 9, "lendablePercent": 10, "borrowingLimitPercent": 20,
                "limitResponse": {
                    "type": "Queue",
                    "queuing": {"queues": 16, "handSize": 4, "queueLengthLimit": 50},
                },
            }},
            "status": conditions(),
        }),
    )
    .await;
    holds(
        &client.api::<v1beta2::FlowSchema>(),
        json!({
            "metadata": {"name": unique("schema")},
            "spec": {
                "priorityLevelConfiguration": {"name": "global-default"},
                "matchingPrecedence": 500,
                "distinguisherMethod": {"type": "ByUser"},
                "rules": [{
                    "subjects": [{"kind": "Group", "group": {"name": "*"}}],
                    "resourceRules": [{"verbs": ["list"], "apiGroups": [""], "resources": ["secrets"],
                        "clusterScope": true}],
                }],
            },
        }),
    )
    .await;
}

#[tokio::test]
async fn absent_members_read_as_the_servers_defaults() {
    for cluster in Cluster::serving("v1").await {
        let levels = cluster.client.priority_level_configurations();
        let level: v1::PriorityLevelConfiguration = object(json!({
            "metadata": {"name": unique("defaults")},
            "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Queue", "queuing": {}}}},
        }));
        let answer = levels.create(&level).dry_run().await.unwrap();
        let limited = answer.spec.limited.unwrap();
        assert_eq!(limited.nominal_concurrency_shares, Some(30));
        assert_eq!(limited.lendable_percent, Some(0));
        assert_eq!(limited.borrowing_limit_percent, None);
        let queuing = limited.limit_response.queuing.unwrap();
        assert_eq!(
            (
                queuing.queues,
                queuing.hand_size,
                queuing.queue_length_limit
            ),
            (Some(64), Some(8), Some(50))
        );
    }
}
