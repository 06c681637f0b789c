//! Server-side apply.

use crate::api::support::{Api, GROUP, SCHEMAS, answer, schema};
use serde_json::{Value, json};

fn config(spec: Value, labels: Value) -> Value {
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
async fn a_configuration_must_fit_its_schema() {
    let api = Api::start().await;
    let path = format!("{SCHEMAS}/a?fieldManager=m");
    let nameless = format!("{SCHEMAS}/a");
    let bogus = config(json!({"bogus": 1}), Value::Null);
    let answer = api.apply(&path, bogus).await;
    assert_eq!(answer.code, 500);
    assert_eq!(
        answer.body["message"],
        format!(
            "failed to create typed patch object (/a; {GROUP}/v1, Kind=FlowSchema): .spec.bogus: \
             field not declared in schema"
        )
    );
    let good = config(
        json!({"priorityLevelConfiguration": {"name": "x"}}),
        Value::Null,
    );
    assert_eq!(api.apply(&nameless, good.clone()).await.code, 422);
    let mut typeless = good;
    typeless["kind"] = Value::Null;
    assert_eq!(api.apply(&path, typeless).await.code, 400);
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

#[tokio::test]
async fn configurations_of_other_types_have_the_messages_of_the_library() {
    let api = Api::start().await;
    api.send("POST", SCHEMAS, Some(schema("mine"))).await;
    let object = |field: &str, value: Value| json!({"apiVersion": format!("{GROUP}/v1"), "kind": "FlowSchema", "metadata": {"name": "mine"}, field: value});
    let typed = "failed to create typed patch object (/mine; flowcontrol.apiserver.k8s.io/v1, Kind=FlowSchema): ";
    for (path, config, message) in [
        (
            "",
            object("spec", json!({"matchingPrecedence": "5"})),
            ".spec.matchingPrecedence: expected numeric (int or float), got string",
        ),
        (
            "",
            object("spec", json!({"matchingPrecedence": [5]})),
            ".spec.matchingPrecedence: expected numeric (int or float), got []interface {}",
        ),
        (
            "",
            object("spec", json!({"priorityLevelConfiguration": {"name": 5}})),
            ".spec.priorityLevelConfiguration.name: expected string, got &value.valueUnstructured{Value:5}",
        ),
        (
            "",
            object(
                "spec",
                json!({"priorityLevelConfiguration": {"name": ["a", true]}}),
            ),
            ".spec.priorityLevelConfiguration.name: expected string, got &value.valueUnstructured{Value:[]interface {}{\"a\", true}}",
        ),
        (
            "",
            object("spec", json!({"rules": {"a": 1}})),
            ".spec.rules: expected list, got &{map[a:1]}",
        ),
        (
            "",
            object(
                "spec",
                json!({"rules": [{"resourceRules": [{"clusterScope": "yes"}]}]}),
            ),
            ".spec.rules[0].resourceRules[0].clusterScope: expected boolean, got &{yes}",
        ),
        (
            "",
            object(
                "spec",
                json!({"rules": [{"resourceRules": [{"verbs": [null]}]}]}),
            ),
            ".spec.rules[0].resourceRules[0].verbs: element 0: associative list without keys has an element that's an explicit null",
        ),
        (
            "",
            object("spec", json!("x")),
            ".spec: expected map, got &{x}",
        ),
        (
            "",
            object("spec", json!({"also": 1, "bogus": 2})),
            ".spec.also: field not declared in schema",
        ),
        (
            "/status",
            object(
                "status",
                json!({"conditions": [{"status": "True"}, {"type": "A"}]}),
            ),
            ".status.conditions: element 0: associative list with keys has an element that omits key field \"type\" (and doesn't have default value)",
        ),
        (
            "/status",
            object("status", json!({"conditions": ["A"]})),
            ".status.conditions: element 0: associative list with keys may not have non-map elements",
        ),
    ] {
        let failed = api
            .apply(&format!("{SCHEMAS}/mine{path}?fieldManager=m"), config)
            .await;
        assert_eq!(
            (failed.code, &failed.body["message"]),
            (500, &format!("{typed}{message}").into())
        );
    }
}

/// What fits the schema is converted into Go's types afterwards.
#[tokio::test]
async fn applied_numbers_and_times_are_converted() {
    let api = Api::start().await;
    let path = format!("{SCHEMAS}/mine?fieldManager=m");
    let mut config = schema("mine");
    config["spec"]["matchingPrecedence"] = 4_294_968_096_i64.into();
    let applied = api.apply(&path, config.clone()).await;
    assert_eq!(applied.body["spec"]["matchingPrecedence"], 800);
    let unconverted = "failed to convert new object (/mine; flowcontrol.apiserver.k8s.io/v1, Kind=FlowSchema) to proper version: \
         unable to convert unstructured object to flowcontrol.apiserver.k8s.io/v1, Kind=FlowSchema: ";
    config["spec"]["matchingPrecedence"] = json!(1.5);
    let failed = api.apply(&path, config).await;
    let message = format!("{unconverted}cannot convert float64 to int32");
    assert_eq!(
        (failed.code, &failed.body["message"]),
        (500, &message.into())
    );

    let path = format!("{SCHEMAS}/mine/status?fieldManager=m");
    let status = |time: &str| {
        json!({"apiVersion": format!("{GROUP}/v1"), "kind": "FlowSchema", "metadata": {"name": "mine"},
            "status": {"conditions": [{"type": "A", "lastTransitionTime": time}]}})
    };
    let applied = api.apply(&path, status("2020-01-01T00:00:00+02:00")).await;
    let conditions = applied.body["status"]["conditions"].as_array().unwrap();
    let found = conditions
        .iter()
        .find(|condition| condition["type"] == "A")
        .unwrap();
    assert_eq!(found["lastTransitionTime"], "2019-12-31T22:00:00Z");
    let failed = api.apply(&path, status("soon")).await;
    let message = failed.body["message"].as_str().unwrap();
    assert!(
        failed.code == 500 && message.starts_with(&format!("{unconverted}parsing time \"soon\"")),
        "{message}"
    );
}

#[tokio::test]
async fn the_resource_version_of_a_new_object_must_be_a_number() {
    let api = Api::start().await;
    let path = format!("{SCHEMAS}/a?fieldManager=m1");
    let spec = json!({"priorityLevelConfiguration": {"name": "workload-low"}});
    let mut config = config(spec, Value::Null);
    config["metadata"]["resourceVersion"] = "x".into();
    let refused = api.apply(&path, config.clone()).await;
    assert_eq!(refused.code, 500, "{}", refused.body);
    let message = "strconv.ParseUint: parsing \"x\": invalid syntax";
    assert_eq!(refused.body["message"], message);
    assert_eq!(api.get(&format!("{SCHEMAS}/a")).await.code, 404);
    config["metadata"]["resourceVersion"] = "5".into();
    let dry = api
        .apply(&format!("{path}&dryRun=All"), config.clone())
        .await;
    assert_eq!(dry.code, 201, "{}", dry.body);
    assert_eq!(dry.body["metadata"]["resourceVersion"], "5");
    let created = api.apply(&path, config).await;
    assert_eq!(created.code, 201, "{}", created.body);
    assert_ne!(created.body["metadata"]["resourceVersion"], "5");
}

#[tokio::test]
async fn duplicate_fields_are_found_after_the_merge() {
    let api = Api::start().await;
    let send = async |query: &str, name: &str| {
        let path = format!("/apis/{GROUP}/{SCHEMAS}/a?fieldManager=m&{query}");
        let text = format!(
            "apiVersion: {GROUP}/v1\nkind: FlowSchema\nmetadata:\n  name: {name}\nspec:\n  \
             matchingPrecedence: 1\n  matchingPrecedence: 7\n  priorityLevelConfiguration: {{name: exempt}}\n"
        );
        let request = api.request("PATCH", &path);
        answer(
            request
                .header("content-type", "application/apply-patch+yaml")
                .body(text),
        )
        .await
    };
    let strict = send("fieldValidation=Strict", "a").await;
    assert_eq!(
        (strict.code, strict.body["message"].as_str()),
        (
            400,
            Some(
                "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key \
                 \"matchingPrecedence\" already set in map"
            )
        )
    );
    for (query, warnings) in [
        ("fieldValidation=Ignore", &[][..]),
        (
            "",
            &[r#"299 - "line 7: key \"matchingPrecedence\" already set in map""#],
        ),
    ] {
        assert_eq!(send(query, "a").await.warnings, warnings);
    }
}
