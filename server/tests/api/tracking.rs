//! The fields that managers own, and their form in errors and dry runs.

use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, answer, level, schema};
use serde_json::{Value, json};

async fn create(release: &str, version: &str, mut object: Value, query: &str) -> (u16, Value) {
    let api = Api::with(|builder| builder.kubernetes(release)).await;
    object["apiVersion"] = format!("{GROUP}/{version}").into();
    let path = format!("{version}/flowschemas?{query}");
    let answer = api.send("POST", &path, Some(object)).await;
    (answer.code, answer.body)
}

#[tokio::test]
async fn nobody_owns_the_fields_that_only_the_server_sets() {
    let mut object = schema("a");
    object["metadata"] = json!({
        "name": "a",
        "deletionTimestamp": "2020-01-01T00:00:00Z",
        "deletionGracePeriodSeconds": 5,
    });
    let (code, created) = create("1.31", "v1", object, "").await;
    assert_eq!(code, 201, "{created}");
    assert_eq!(created["metadata"].get("deletionTimestamp"), None);
    let fields = &created["metadata"]["managedFields"][0]["fieldsV1"];
    assert_eq!(fields.get("f:metadata"), None, "{fields}");
}

#[tokio::test]
async fn untrackable_fields_have_no_managers() {
    let mut twice = schema("a");
    twice["spec"]["rules"][0]["nonResourceRules"][0]["verbs"] = json!(["get", "get"]);
    let mut keyless = schema("a");
    keyless["status"] = json!({"conditions": [{"type": ""}]});
    for (release, version, object, is_tracked) in [
        ("1.28", "v1beta3", &twice, false),
        ("1.29", "v1beta3", &twice, true),
        ("1.28", "v1beta3", &keyless, false),
        ("1.31", "v1", &keyless, false),
    ] {
        let (code, created) = create(release, version, object.clone(), "dryRun=All").await;
        assert_eq!(code, 201, "{release}: {created}");
        let managed = created["metadata"].get("managedFields");
        assert_eq!(managed.is_some(), is_tracked, "{release}: {created}");
    }
}

#[tokio::test]
async fn a_reset_of_managers_has_no_effect_on_a_new_object() {
    let mut object = schema("a");
    object["metadata"]["managedFields"] = json!([]);
    let (_, created) = create("1.29", "v1", object, "fieldManager=tool").await;
    assert_eq!(created["metadata"]["managedFields"][0]["manager"], "tool");
}

#[tokio::test]
async fn only_storage_rejects_a_resource_version() {
    for (version, query, code) in [
        ("7", "", 500),
        ("7", "dryRun=All", 201),
        ("0", "", 201),
        ("abc", "", 201),
    ] {
        let mut object = schema("a");
        object["metadata"]["resourceVersion"] = version.into();
        let (found, answer) = create("1.29", "v1", object, query).await;
        assert_eq!(found, code, "{version} {query}: {answer}");
        if query == "dryRun=All" {
            assert_eq!(answer["metadata"]["resourceVersion"], version);
        }
    }
}

#[tokio::test]
async fn a_patch_cannot_change_the_uid() {
    let api = Api::start().await;
    let patch = json!({"metadata": {"uid": "other"}});
    let path = format!("{SCHEMAS}/exempt");
    let answer = api
        .patch(&path, "application/merge-patch+json", patch)
        .await;
    assert_eq!(answer.code, 422);
    assert_eq!(
        answer.body["details"]["causes"],
        json!([{
            "reason": "FieldValueInvalid",
            "message": "Invalid value: \"other\": field is immutable",
            "field": "metadata.uid",
        }])
    );
}

#[tokio::test]
async fn messages_show_the_spec_that_was_sent() {
    let mut object = schema("catch-all");
    object["spec"] = json!({
        "priorityLevelConfiguration": {"name": "catch-all"},
        "matchingPrecedence": 10000,
        "rules": [],
    });
    let (code, invalid) = create("1.29", "v1", object.clone(), "").await;
    assert_eq!(code, 422);
    assert_eq!(
        invalid["details"]["causes"][0]["message"],
        "Invalid value: flowcontrol.FlowSchemaSpec{PriorityLevelConfiguration:flowcontrol.\
         PriorityLevelConfigurationReference{Name:\"catch-all\"}, MatchingPrecedence:10000, \
         DistinguisherMethod:(*flowcontrol.FlowDistinguisherMethod)(nil), \
         Rules:[]flowcontrol.PolicyRulesWithSubjects{}}: spec of 'catch-all' must equal the fixed value"
    );
    let (_, invalid) = create("1.36", "v1", object, "").await;
    assert_eq!(
        invalid["details"]["causes"][0]["message"],
        "Invalid value: {\"PriorityLevelConfiguration\":{\"Name\":\"catch-all\"},\
         \"MatchingPrecedence\":10000,\"DistinguisherMethod\":null,\"Rules\":[]}: spec of 'catch-all' must \
         equal the fixed value"
    );
}

#[tokio::test]
async fn entries_are_ordered_by_operation_time_and_name() {
    let api = Api::start().await;
    let path = format!("{SCHEMAS}/a?fieldManager=tool");
    api.send("POST", SCHEMAS, Some(schema("a"))).await;
    let fields = json!({
        "f:metadata": {
            "f:finalizers": {"v:\"example.com/x\"": {}},
            "f:labels": {".": {}, "f:lab": {}},
        },
        "f:status": {"f:conditions": {"k:{\"type\":\"A\"}": {".": {}, "f:type": {}}}},
    });
    let entry = |manager: &str, operation: &str, time: u8| {
        json!({
            "manager": manager, "operation": operation, "apiVersion": format!("{GROUP}/v1"),
            "time": format!("2026-01-01T00:00:0{time}Z"), "fieldsType": "FieldsV1", "fieldsV1": fields,
        })
    };
    let sent = [
        entry("b", "Update", 1),
        entry("c", "Update", 0),
        entry("a", "Update", 1),
        entry("z", "Apply", 2),
    ];
    let mut object = schema("a");
    object["metadata"]["managedFields"] = json!(sent);
    let replaced = api.send("PUT", &path, Some(object)).await.body;
    let entries = &replaced["metadata"]["managedFields"];
    assert_eq!(*entries, json!([sent[3], sent[1], sent[2], sent[0]]));
}

#[tokio::test]
async fn the_oldest_updaters_share_an_entry() {
    let api = Api::start().await;
    let mut object = Value::Null;
    for number in 0..12 {
        let path = format!("{SCHEMAS}/exempt?fieldManager=m{number:02}");
        let patch = json!({"metadata": {"labels": {format!("l{number}"): "x"}}});
        let patched = api
            .patch(&path, "application/merge-patch+json", patch)
            .await;
        assert_eq!(patched.code, 200, "{}", patched.body);
        object = patched.body;
    }
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let updaters = entries
        .iter()
        .filter(|entry| entry["operation"] == "Update");
    let updaters: Vec<_> = updaters
        .map(|entry| entry["manager"].as_str().unwrap())
        .collect();
    assert_eq!(updaters.len(), 10, "{updaters:?}");
    assert!(updaters.contains(&"ancient-changes"), "{updaters:?}");
    let shared = entries
        .iter()
        .find(|entry| entry["manager"] == "ancient-changes")
        .unwrap();
    let labels = shared["fieldsV1"]["f:metadata"]["f:labels"]
        .as_object()
        .unwrap();
    assert!(labels.len() > 2, "{labels:?}");
}

/// A server fails to compute the fields with an entry of a malformed version, and drops all entries.
#[tokio::test]
async fn an_entry_of_a_malformed_version_leaves_no_managers() {
    let mut object = schema("a");
    for (version, is_tracked) in [("a/b", true), ("a/b/c", false)] {
        object["metadata"]["managedFields"] = json!([{
            "manager": "other",
            "operation": "Update",
            "apiVersion": version,
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:metadata": {"f:labels": {"f:lab": {}}}},
        }]);
        let (code, created) = create("1.36", "v1", object.clone(), "dryRun=All").await;
        assert_eq!(code, 201, "{created}");
        let managed = created["metadata"].get("managedFields");
        assert_eq!(managed.is_some(), is_tracked, "{created}");
    }
}

#[tokio::test]
async fn a_user_agent_can_have_any_letters() {
    let api = Api::start().await;
    let request = api.request("POST", &format!("/apis/{GROUP}/{SCHEMAS}"));
    let request = request.header("user-agent", "é/1");
    let created = answer(request.json(&schema("a"))).await;
    assert_eq!(created.body["metadata"]["managedFields"][0]["manager"], "é");
}

/// Malformed entries of a client do not replace the entries of the object.
#[tokio::test]
async fn malformed_entries_are_ignored() {
    let api = Api::start().await;
    let path = format!("{LEVELS}?fieldManager=tool");
    let created = api.send("POST", &path, Some(level("a", 7))).await.body;
    for (fields, is_read) in [
        (json!({"f:spec": {"f:type": {}}}), true),
        (json!({"z:later": {}, "f:spec": {"f:type": {}}}), true),
        (json!({"x": {}}), false),
        (json!({"k:{": {}}), false),
        (json!({"f:metadata": 1}), false),
    ] {
        let mut object = created.clone();
        object["metadata"]["resourceVersion"] = Value::Null;
        object["metadata"]["managedFields"][0]["fieldsV1"] = fields.clone();
        object["metadata"]["managedFields"][0]["manager"] = "other".into();
        let path = format!("{LEVELS}/a?dryRun=All");
        let replaced = api.send("PUT", &path, Some(object)).await;
        assert_eq!(replaced.code, 200, "{}", replaced.body);
        let manager = &replaced.body["metadata"]["managedFields"][0]["manager"];
        let expected = if is_read { "other" } else { "tool" };
        assert_eq!(*manager, expected, "{fields}: {}", replaced.body);
    }
}
