//! The configurations that server-side apply accepts, and what it makes of their values.

use crate::api::apply::config;
use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, answer, level, schema};
use serde_json::{Value, json};

/// An applied configuration is a YAML mapping, and a new object needs its name. A status is applied to an object that exists.
#[tokio::test]
async fn an_applied_configuration_is_a_named_mapping() {
    let api = Api::start().await;
    let path = format!("/apis/{GROUP}/{LEVELS}/mine");
    let apply = async |path: &str, body: String| {
        let request = api
            .request("PATCH", &format!("{path}?fieldManager=a"))
            .header("content-type", "application/apply-patch+yaml");
        let answer = answer(request.body(body)).await;
        (
            answer.code,
            answer.body["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    for (body, found) in [
        ("5", "number"),
        ("yes", "bool"),
        ("// a\n", "string"),
        ("[1]", "array"),
    ] {
        let message = format!(
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go \
             value of type map[string]interface {{}}"
        );
        assert_eq!(apply(&path, body.into()).await, (400, message));
        let (code, _) = apply(&format!("{path}/status"), body.into()).await;
        assert_eq!(code, 404, "{body}");
    }
    let mut unnamed = level("mine", 7);
    unnamed["metadata"] = json!({});
    let message =
        "the name of the object (mine based on URL) was undeterminable: name must be provided";
    assert_eq!(
        apply(&path, unnamed.to_string()).await,
        (400, message.into())
    );
    let mut malformed = level("mine", 7);
    malformed["apiVersion"] = "a/b/c".into();
    let message = "invalid object type: /, Kind=".to_owned();
    assert_eq!(apply(&path, malformed.to_string()).await, (400, message));
    assert_eq!(apply(&path, level("mine", 7).to_string()).await.0, 201);
    assert_eq!(apply(&path, unnamed.to_string()).await.0, 200);
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

/// An owner without a UID has an empty one, which the validation then rejects.
#[tokio::test]
async fn an_absent_key_with_a_default_is_that_default() {
    let api = Api::start().await;
    let mut config = config(schema("a")["spec"].clone(), Value::Null);
    config["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "Pod", "name": "a"}]);
    let path = format!("{SCHEMAS}/a?fieldManager=tool");
    let failed = api.apply(&path, config).await;
    assert_eq!(failed.code, 422, "{}", failed.body);
    let message = failed.body["message"].as_str().unwrap();
    assert!(
        message.contains("metadata.ownerReferences.uid"),
        "{message}"
    );
}

/// A POST drops the time of deletion, and server-side apply keeps it.
#[tokio::test]
async fn a_time_of_deletion_stays_in_a_new_object() {
    let api = Api::start().await;
    let mut config = config(schema("a")["spec"].clone(), Value::Null);
    config["metadata"]["deletionTimestamp"] = "2026-11-29T09:00:00Z".into();
    let path = format!("{SCHEMAS}?dryRun=All");
    let posted = api.send("POST", &path, Some(config.clone())).await;
    assert_eq!(posted.code, 201, "{}", posted.body);
    assert_eq!(posted.body["metadata"]["deletionTimestamp"], Value::Null);
    let path = format!("{SCHEMAS}/a?fieldManager=tool&dryRun=All");
    let applied = api.apply(&path, config.clone()).await;
    assert_eq!(applied.code, 201, "{}", applied.body);
    assert_eq!(
        applied.body["metadata"]["deletionTimestamp"],
        config["metadata"]["deletionTimestamp"]
    );
}
