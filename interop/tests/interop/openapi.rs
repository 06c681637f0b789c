//! Conversion from and to the types of k8s-openapi.

use k8s_flowcontrol::api::v1;
use k8s_flowcontrol_kube::Kube;
use k8s_flowcontrol_server::ApiServer;
use k8s_openapi::api::flowcontrol::v1 as openapi;
use kube::api::{Api, ListParams};
use serde_json::{Value, json};
use std::fmt::Debug;

/// Checks that an object of a server is the same in the types of both libraries.
fn same<K, O>(object: K)
where
    K: k8s_flowcontrol::Resource,
    O: TryFrom<Kube<K>, Error: Debug> + serde::de::DeserializeOwned + PartialEq + Debug,
    Kube<K>: From<O>,
{
    let text = serde_json::to_string(&object).unwrap();
    let converted = O::try_from(Kube::new(object.clone())).unwrap();
    assert_eq!(converted, serde_json::from_str(&text).unwrap());
    assert_eq!(Kube::from(converted), Kube::new(object));
}

#[tokio::test]
async fn the_objects_of_a_server() {
    let server = ApiServer::builder().start().await.unwrap();
    let client = k8s_flowcontrol::Client::from_url(server.url()).unwrap();
    let schemas = client.flow_schemas().list().await.unwrap();
    assert!(!schemas.items.is_empty());
    schemas
        .items
        .into_iter()
        .for_each(same::<_, openapi::FlowSchema>);
    let levels = client.priority_level_configurations().list().await.unwrap();
    assert!(!levels.items.is_empty());
    levels
        .items
        .into_iter()
        .for_each(same::<_, openapi::PriorityLevelConfiguration>);

    // kube reads the same as the types of k8s-openapi.
    let client = kube::Client::try_from(kube::Config::new(server.url().parse().unwrap())).unwrap();
    let theirs = Api::<openapi::FlowSchema>::all(client.clone());
    let ours = Api::<Kube<v1::FlowSchema>>::all(client);
    let theirs = theirs.list(&ListParams::default()).await.unwrap();
    let ours = ours.list(&ListParams::default()).await.unwrap();
    let converted: Vec<_> = theirs.items.into_iter().map(Kube::from).collect();
    assert_eq!(converted, ours.items);
}

#[test]
fn all_fields() {
    same::<_, openapi::FlowSchema>(of::<v1::FlowSchema>(json!({
        "metadata": {"name": "a"},
        "spec": {
            "priorityLevelConfiguration": {"name": "low"},
            "matchingPrecedence": 0,
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": [
                    {"kind": "User", "user": {"name": "alice"}},
                    {"kind": "Group", "group": {"name": "staff"}},
                    {"kind": "ServiceAccount", "serviceAccount": {"namespace": "n", "name": "s"}},
                    {"kind": "Other"},
                ],
                "resourceRules": [{
                    "verbs": ["get", "other"], "apiGroups": [""], "resources": ["pods"],
                    "clusterScope": true, "namespaces": ["*"],
                }],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/healthz"]}],
            }],
        },
        "status": {"conditions": [{
            "type": "Dangling", "status": "True", "reason": "NotFound", "message": "m",
            "lastTransitionTime": "2026-11-21T06:23:00Z",
        }]},
    })));
    let limited = json!({
        "nominalConcurrencyShares": 0, "lendablePercent": 1, "borrowingLimitPercent": 2,
        "limitResponse": {"type": "Queue", "queuing": {"queues": 3, "handSize": 4, "queueLengthLimit": 5}},
    });
    for spec in [
        json!({"type": "Limited", "limited": limited}),
        json!({"type": "Exempt", "exempt": {"nominalConcurrencyShares": 1, "lendablePercent": 0}}),
        json!({"type": "Other"}),
    ] {
        let level = json!({"metadata": {"name": "a"}, "spec": spec, "status": {}});
        same::<_, openapi::PriorityLevelConfiguration>(of::<v1::PriorityLevelConfiguration>(level));
    }
}

#[test]
fn losses_are_named() {
    let schema: v1::FlowSchema = of(json!({
        "metadata": {
            "name": "a", "x": 1, "deletionTimestamp": "soon",
            "ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u", "x": 1}],
            "managedFields": [{"manager": "m", "x": 1}],
        },
        "spec": {
            "priorityLevelConfiguration": {"name": "low", "x": 1},
            "distinguisherMethod": {"type": "ByUser", "x": 1},
            "rules": [
                {"subjects": []},
                {
                    "subjects": [{"kind": "User", "x": 1, "user": {"name": "u", "x": 1}}],
                    "resourceRules": [{"x": 1}],
                    "nonResourceRules": [{"x": 1}],
                    "x": 1,
                },
            ],
            "x": 1,
        },
        "status": {"x": 1, "conditions": [{"type": "Dangling", "lastTransitionTime": "late", "x": 1}]},
        "x": 1,
    }));
    let lossy = openapi::FlowSchema::try_from(Kube::new(schema)).unwrap_err();
    let mut paths: Vec<_> = lossy.losses.iter().map(|loss| loss.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "metadata.deletionTimestamp",
            "metadata.managedFields[0].x",
            "metadata.ownerReferences[0].x",
            "metadata.x",
            "spec.distinguisherMethod.x",
            "spec.priorityLevelConfiguration.x",
            "spec.rules[1].nonResourceRules[0].x",
            "spec.rules[1].resourceRules[0].x",
            "spec.rules[1].subjects[0].user.x",
            "spec.rules[1].subjects[0].x",
            "spec.rules[1].x",
            "spec.x",
            "status.conditions[0].lastTransitionTime",
            "status.conditions[0].x",
            "status.x",
            "x",
        ]
    );
    let object = lossy.into_object();
    assert_eq!(object.metadata.name.as_deref(), Some("a"));
    assert_eq!(object.spec.unwrap().rules.unwrap().len(), 2);

    let level: v1::PriorityLevelConfiguration = of(json!({"spec": {
        "limited": {"limitResponse": {"queuing": {"x": 1}, "x": 1}, "x": 1},
        "exempt": {"x": 1},
    }}));
    let lossy = openapi::PriorityLevelConfiguration::try_from(Kube::new(level)).unwrap_err();
    assert_eq!(lossy.losses.len(), 4, "{lossy}");
}

fn of<K: k8s_flowcontrol::Resource>(tree: Value) -> K {
    serde_json::from_value(tree).unwrap()
}
