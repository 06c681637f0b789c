//! Server-side apply.

use crate::api::support::{Api, GROUP, SCHEMAS, schema};
use serde_json::{Value, json};

pub(crate) fn config(spec: Value, labels: Value) -> Value {
    let mut config = json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "FlowSchema",
        "metadata": {"name": "a"},
        "spec": spec,
    });
    if !labels.is_null() {
        config["metadata"]["labels"] = labels;
    }
    config
}

fn owned(object: &Value, manager: &str) -> Value {
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    entries
        .iter()
        .find(|entry| entry["manager"] == manager)
        .map_or(Value::Null, |entry| entry["fieldsV1"].clone())
}

#[tokio::test]
async fn managers_share_take_over_and_remove_fields() {
    let api = Api::start().await;
    let path = |manager: &str| format!("{SCHEMAS}/a?fieldManager={manager}");
    let spec = |precedence: i64| {
        json!({
            "priorityLevelConfiguration": {"name": "workload-low"},
            "matchingPrecedence": precedence,
        })
    };
    let created = api
        .apply(&path("m1"), config(spec(5000), json!({"own": "m1"})))
        .await;
    assert_eq!(created.code, 201, "{}", created.body);
    assert_eq!(
        owned(&created.body, "m1"),
        json!({
            "f:metadata": {"f:labels": {"f:own": {}}},
            "f:spec": {"f:matchingPrecedence": {}, "f:priorityLevelConfiguration": {"f:name": {}}},
        })
    );
    let precedence = |value: i64| config(json!({"matchingPrecedence": value}), Value::Null);
    let conflict = api.apply(&path("m2"), precedence(6000)).await;
    assert_eq!(conflict.code, 409);
    assert_eq!(
        conflict.body["message"],
        "Apply failed with 1 conflict: conflict with \"m1\": .spec.matchingPrecedence"
    );
    assert_eq!(
        conflict.body["details"]["causes"],
        json!([{
            "reason": "FieldManagerConflict",
            "message": "conflict with \"m1\"",
            "field": ".spec.matchingPrecedence",
        }])
    );
    let forced = api
        .apply(&(path("m2") + "&force=true"), precedence(6000))
        .await;
    assert_eq!(forced.body["spec"]["matchingPrecedence"], 6000);
    assert!(
        owned(&forced.body, "m1")["f:spec"]
            .get("f:matchingPrecedence")
            .is_none()
    );

    // Fields without an owner are removed, and fields of another manager stay.
    let less = config(
        json!({"priorityLevelConfiguration": {"name": "workload-low"}}),
        Value::Null,
    );
    let less = api.apply(&path("m1"), less).await;
    assert_eq!(less.code, 200, "{}", less.body);
    let less = less.body;
    assert_eq!(less["metadata"].get("labels"), None);
    assert_eq!(less["spec"]["matchingPrecedence"], 6000);
}

#[tokio::test]
async fn updates_are_tracked_and_conflict_too() {
    let api = Api::start().await;
    let created = api
        .send(
            "POST",
            &format!("{SCHEMAS}?fieldManager=tool"),
            Some(schema("a")),
        )
        .await
        .body;
    assert_eq!(
        owned(&created, "tool")["f:metadata"],
        json!({"f:labels": {".": {}, "f:lab": {}}})
    );
    // Nobody owns what only the server writes, such as the resource version, or the status by a write of the main resource.
    let mut changed = created;
    changed["metadata"]["labels"]["x"] = "y".into();
    changed["spec"]["matchingPrecedence"] = 5001.into();
    changed["metadata"]["resourceVersion"] = Value::Null;
    changed["status"] = json!({"conditions": [{"type": "A"}]});
    let path = format!("{SCHEMAS}/a?fieldManager=other");
    let changed = api.send("PUT", &path, Some(changed)).await.body;
    assert_eq!(
        owned(&changed, "other"),
        json!({"f:metadata": {"f:labels": {"f:x": {}}}, "f:spec": {"f:matchingPrecedence": {}}})
    );
    let path = format!("{SCHEMAS}/a?fieldManager=m");
    let other = config(
        json!({"distinguisherMethod": {"type": "ByNamespace"}}),
        Value::Null,
    );
    let conflict = api.apply(&path, other).await.body;
    assert_eq!(
        conflict["details"]["causes"][0]["message"],
        format!("conflict with \"tool\" using {GROUP}/v1")
    );
}

#[tokio::test]
async fn a_manager_stays_the_same_across_versions() {
    let api = Api::with(|builder| builder.kubernetes("1.29")).await;
    let level = |version: &str, shares: i64| {
        json!({
            "apiVersion": format!("{GROUP}/{version}"),
            "kind": "PriorityLevelConfiguration",
            "metadata": {"name": "a"},
            "spec": {
                "type": "Limited",
                "limited": {
                    "nominalConcurrencyShares": shares,
                    "limitResponse": {"type": "Reject"},
                },
            },
        })
    };
    for (version, shares) in [("v1beta3", 20), ("v1", 21)] {
        let path = format!("{version}/prioritylevelconfigurations/a?fieldManager=m");
        let applied = api.apply(&path, level(version, shares)).await;
        assert!(applied.code < 300, "{}", applied.body);
        let entries = applied.body["metadata"]["managedFields"]
            .as_array()
            .unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0]["apiVersion"], format!("{GROUP}/{version}"));
    }
}

#[tokio::test]
async fn conflicts_name_elements_by_their_keys() {
    let api = Api::start().await;
    api.send("POST", SCHEMAS, Some(schema("a"))).await;
    let status = |value: &str| {
        let mut config = config(Value::Null, Value::Null);
        config.as_object_mut().unwrap().remove("spec");
        config["status"] = json!({"conditions": [{"type": "A", "status": value}]});
        config
    };
    let path = |manager: &str| format!("{SCHEMAS}/a/status?fieldManager={manager}");
    let applied = api.apply(&path("m1"), status("True")).await;
    assert_eq!(applied.code, 200, "{}", applied.body);
    assert_eq!(
        owned(&applied.body, "m1"),
        json!({"f:status": {"f:conditions": {"k:{\"type\":\"A\"}": {".": {}, "f:status": {}, "f:type": {}}}}})
    );
    let conflict = api.apply(&path("m2"), status("False")).await;
    assert_eq!(
        conflict.body["message"],
        "Apply failed with 1 conflict: conflict with \"m1\" with subresource \"status\": \
         .status.conditions[type=\"A\"].status"
    );
}

/// Managers are sorted by name, and each of several has its own list.
#[tokio::test]
async fn conflicts_with_several_managers_are_listed_by_manager() {
    let api = Api::start().await;
    let path = |manager: &str| format!("{SCHEMAS}/mine?fieldManager={manager}");
    let mut config = schema("mine");
    api.apply(&path("b"), config.clone()).await;
    let patch = json!({"metadata": {"labels": {"lab": "other"}}});
    let merge = "application/merge-patch+json";
    assert_eq!(api.patch(&path("a"), merge, patch).await.code, 200);
    config["metadata"]["labels"]["lab"] = "third".into();
    config["spec"]["matchingPrecedence"] = 77.into();
    let failed = api.apply(&path("c"), config).await;
    assert_eq!(
        failed.body["message"],
        "Apply failed with 2 conflicts: conflicts with \"a\" using flowcontrol.apiserver.k8s.io/v1:\n- \
         .metadata.labels.lab\nconflicts with \"b\":\n- .spec.matchingPrecedence"
    );
    let causes = failed.body["details"]["causes"].as_array().unwrap();
    let fields: Vec<_> = causes.iter().map(|cause| &cause["field"]).collect();
    assert_eq!(fields, [".metadata.labels.lab", ".spec.matchingPrecedence"]);
}
