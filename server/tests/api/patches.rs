//! JSON patch, merge patch and strategic merge patch.

use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, level, schema};
use serde_json::{Value, json};

pub(crate) const JSON: &str = "application/json-patch+json";
pub(crate) const MERGE: &str = "application/merge-patch+json";
pub(crate) const STRATEGIC: &str = "application/strategic-merge-patch+json";

pub(crate) async fn api() -> (Api, String) {
    let api = Api::start().await;
    api.send("POST", SCHEMAS, Some(schema("a"))).await;
    (api, format!("{SCHEMAS}/a"))
}

#[tokio::test]
async fn each_type_changes_the_object() {
    let (api, path) = api().await;
    let precedence = |value: i64| json!({"spec": {"matchingPrecedence": value}});
    let operations = json!([
        {"op": "test", "path": "/spec/matchingPrecedence", "value": 5000},
        {"op": "replace", "path": "/spec/matchingPrecedence", "value": 1},
    ]);
    let failed = api.patch(&path, JSON, operations).await;
    assert_eq!(failed.code, 422, "precedence 1 belongs to another schema");
    for (media_type, patch, expected) in [
        (
            JSON,
            json!([{"op": "add", "path": "/spec/matchingPrecedence", "value": 6}]),
            6,
        ),
        (MERGE, precedence(7), 7),
        (STRATEGIC, precedence(8), 8),
    ] {
        let patched = api.patch(&path, media_type, patch).await;
        assert_eq!(patched.code, 200, "{}", patched.body);
        assert_eq!(
            patched.body["spec"]["matchingPrecedence"], expected,
            "{media_type}"
        );
    }
}

#[tokio::test]
async fn a_patch_can_remove_a_defaulted_field() {
    let (api, path) = api().await;
    let nothing = json!({"spec": {"matchingPrecedence": null}, "metadata": {"labels": null}});
    let patched = api.patch(&path, MERGE, nothing).await;
    assert_eq!(patched.body["spec"]["matchingPrecedence"], 1000);
    assert_eq!(patched.body["metadata"].get("labels"), None);
}

#[tokio::test]
async fn conditions_merge_by_type_in_the_status() {
    let (api, path) = api().await;
    let path = format!("{path}/status");
    let mine = json!({"status": {"conditions": [{"type": "Mine", "status": "True"}]}});
    let types = |object: &Value| -> Vec<String> {
        let conditions = object["status"]["conditions"].as_array().unwrap();
        conditions
            .iter()
            .map(|condition| condition["type"].as_str().unwrap().to_owned())
            .collect()
    };
    let merged = api.patch(&path, STRATEGIC, mine.clone()).await.body;
    assert_eq!(types(&merged), ["Mine", "Dangling"]);
    let reason = json!({"status": {"conditions": [{"type": "Mine", "reason": "R"}]}});
    let merged = api.patch(&path, STRATEGIC, reason.clone()).await.body;
    let condition = &merged["status"]["conditions"][0];
    assert_eq!(
        (&condition["status"], &condition["reason"]),
        (&"True".into(), &"R".into())
    );
    // Deletions come first, and elements with the same key are merged one after the other.
    let many = json!({"status": {"conditions": [
        {"type": "New", "status": "True"},
        {"type": "Mine", "status": "False"},
        {"type": "Mine", "$patch": "delete"},
        {"type": "New", "reason": "N"},
    ]}});
    let merged = api.patch(&path, STRATEGIC, many).await.body;
    assert_eq!(types(&merged), ["New", "Mine", "Dangling"]);
    let conditions = &merged["status"]["conditions"];
    assert_eq!(
        (&conditions[0]["status"], &conditions[0]["reason"]),
        (&"True".into(), &"N".into())
    );
    assert_eq!(conditions[1].get("reason"), None);
    let replaced = api.patch(&path, MERGE, mine).await.body;
    assert_eq!(types(&replaced), ["Mine"]);
    // The server restores its own condition immediately.
    assert_eq!(types(&api.get(&path).await.body).len(), 2);

    // The older versions lack the merge key.
    let old = Api::with(|builder| builder.kubernetes("1.27")).await;
    let path = "v1beta2/flowschemas/exempt/status";
    let replaced = old.patch(path, STRATEGIC, reason).await.body;
    assert_eq!(types(&replaced), ["Mine"]);
}

#[tokio::test]
async fn directives_of_strategic_merge_patches() {
    let (api, path) = api().await;
    let held = json!({"metadata": {"finalizers": ["example.com/x", "example.com/y"]}});
    api.patch(&path, MERGE, held).await;
    let patch = json!({"metadata": {
        "labels": {"$patch": "replace", "b": "2"},
        "$deleteFromPrimitiveList/finalizers": ["example.com/x"],
        "finalizers": ["example.com/z"],
    }});
    let patched = api.patch(&path, STRATEGIC, patch).await.body;
    assert_eq!(patched["metadata"]["labels"], json!({"b": "2"}));
    assert_eq!(
        patched["metadata"]["finalizers"],
        json!(["example.com/z", "example.com/y"])
    );
    for (path, patch, message) in [
        (
            path.clone(),
            json!({"metadata": {"labels": {"$patch": "frob"}}}),
            "unknown patch type: frob in map: map[$patch:frob]",
        ),
        (
            format!("{path}/status"),
            json!({"status": {"conditions": [{"type": "Mine", "$patch": "merge"}]}}),
            "merging lists cannot yet be specified in the patch",
        ),
        (
            format!("{path}/status"),
            json!({"status": {"conditions": [{"status": "False"}]}}),
            "map: map[status:False] does not contain declared merge key: type",
        ),
    ] {
        let failed = api.patch(&path, STRATEGIC, patch).await;
        assert_eq!(
            (failed.code, &failed.body["message"]),
            (500, &message.into())
        );
    }
}

#[tokio::test]
async fn operations_apply_in_order_or_not_at_all() {
    let (api, path) = api().await;
    let labels = |object: Value| object["metadata"]["labels"].clone();
    let patched = api.patch(
        &path,
        JSON,
        json!([
            {"op": "test", "path": "/metadata/labels/lab", "value": "yes"},
            {"op": "move", "from": "/metadata/labels/lab", "path": "/metadata/labels/b"},
            {"op": "replace", "path": "/metadata/labels/c", "value": "2"},
        ]),
    );
    assert_eq!(labels(patched.await.body), json!({"b": "yes", "c": "2"}));
    let failing = json!([
        {"op": "remove", "path": "/metadata/labels/b"},
        {"op": "remove", "path": "/metadata/labels/x"},
    ]);
    assert_eq!(api.patch(&path, JSON, failing).await.code, 422);
    assert_eq!(
        labels(api.get(&path).await.body),
        json!({"b": "yes", "c": "2"})
    );
    // Copies of copies grow exponentially.
    let long = json!({"metadata": {"annotations": {"text": "x".repeat(100_000)}}});
    assert_eq!(api.patch(&path, MERGE, long).await.code, 200);
    let double = json!({"op": "copy", "from": "/metadata", "path": "/metadata/copy"});
    let growing = Value::Array(vec![double; 64]);
    assert_eq!(api.patch(&path, JSON, growing).await.code, 422);
}

/// Go writes the parts that a patch has touched with sorted fields, and the others in the order of their struct.
#[tokio::test]
async fn only_what_was_touched_is_sorted() {
    let (api, path) = api().await;
    let patch = json!([{"op": "replace", "path": "/spec/matchingPrecedence", "value": "s"}]);
    let failed = api.patch(&path, JSON, patch).await;
    let message = failed.body["message"].as_str().unwrap();
    let message = message.replace("\\\"", "\"");
    for part in [
        "{\"apiVersion\":\"flowcontrol.apiserver.k8s.io/v1\",\"kind\":\"FlowSchema\",\"metadata\":{\"name\":\"a\",\"uid\":",
        "\"spec\":{\"distinguisherMethod\":{\"type\":\"ByUser\"},\"matchingPrecedence\":\"s\",\
         \"priorityLevelConfiguration\":{\"name\":\"workload-low\"},\"rules\":[{\"subjects\":[{\"kind\":\"User\",\"user\":",
    ] {
        assert!(message.contains(part), "{part}\nis not in\n{message}");
    }
}

#[tokio::test]
async fn invalid_patches_are_rejected() {
    let (api, path) = api().await;
    assert_eq!(
        api.patch(&path, "application/json", json!({})).await.code,
        415
    );
    assert_eq!(api.patch(&path, JSON, json!({})).await.code, 400);
    let failing = json!([{"op": "test", "path": "/kind", "value": "Other"}]);
    assert_eq!(api.patch(&path, JSON, failing).await.code, 422);
    let forced = api
        .patch(&format!("{path}?force=true"), MERGE, json!({}))
        .await;
    assert_eq!(forced.code, 422);
    let renamed = json!({"metadata": {"name": "b"}});
    assert_eq!(api.patch(&path, MERGE, renamed).await.code, 400);
    let unknown = json!({"spec": {"bogus": 1}});
    let strict = format!("{path}?fieldValidation=Strict");
    assert_eq!(api.patch(&strict, MERGE, unknown.clone()).await.code, 422);
    assert_eq!(api.patch(&path, MERGE, unknown).await.warnings.len(), 1);
}

#[tokio::test]
async fn a_patch_may_write_in_another_version() {
    let api = Api::with(|builder| builder.kubernetes("1.30")).await;
    api.send("POST", LEVELS, Some(level("mine", 7))).await;
    let path = format!("{LEVELS}/mine");
    let version = |version: &str| json!(format!("{GROUP}/{version}"));
    let shares = |object: &Value| object["spec"]["limited"]["nominalConcurrencyShares"].clone();
    let zero = json!({"apiVersion": version("v1beta3"), "spec": {"limited": {"nominalConcurrencyShares": 0}}});
    let operation = |path: &str, value: Value| json!({"op": "add", "path": path, "value": value});
    let operations = json!([
        operation("/apiVersion", version("v1beta3")),
        operation("/spec/limited/nominalConcurrencyShares", json!(0)),
    ]);
    // In v1beta3 zero shares are defaulted. A strategic merge patch writes in the version of its path.
    for (media_type, patch, expected) in [
        (MERGE, zero.clone(), 30),
        (STRATEGIC, zero, 0),
        (JSON, operations, 30),
    ] {
        let patched = api.patch(&path, media_type, patch).await;
        assert_eq!(patched.body["apiVersion"], version("v1"));
        assert_eq!(shares(&patched.body), expected, "{media_type}");
    }
    // A server decodes versions that it does not serve any more.
    let old = json!({"apiVersion": version("v1beta2"), "spec": {"limited": {"assuredConcurrencyShares": 8}}});
    let patched = api.patch(&path, MERGE, old).await;
    assert_eq!(shares(&patched.body), 8, "{}", patched.body);
    assert_eq!(
        patched.warnings,
        [r#"299 - "unknown field \"spec.limited.nominalConcurrencyShares\"""#]
    );
    for media_type in [MERGE, STRATEGIC] {
        let unknown = json!({"apiVersion": version("v2")});
        let failed = api.patch(&path, media_type, unknown).await;
        let message = failed.body["message"].as_str().unwrap_or_default();
        let why = "no kind \"PriorityLevelConfiguration\" is registered for version \
                   \"flowcontrol.apiserver.k8s.io/v2\" in scheme \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\"";
        let expected = media_type == MERGE;
        assert_eq!(
            (failed.code == 422, message.ends_with(why)),
            (expected, expected)
        );
    }
}

/// The kind is that of the path if a patch removes it.
#[tokio::test]
async fn a_patch_may_remove_the_kind() {
    let api = Api::start().await;
    let path = format!("{SCHEMAS}/exempt?dryRun=All");
    for kind in [Value::Null, json!("")] {
        let patch = json!({"kind": kind});
        let patched = api
            .patch(&path, "application/merge-patch+json", patch)
            .await;
        assert_eq!(
            (patched.code, &patched.body["kind"]),
            (200, &json!("FlowSchema"))
        );
    }
    let patch = json!({"kind": "Other"});
    let failed = api
        .patch(&path, "application/merge-patch+json", patch)
        .await;
    assert_eq!(failed.code, 422);
}

/// Warnings of a patched object are sent with a later error too.
#[tokio::test]
async fn an_error_comes_with_the_warnings_before_it() {
    let api = Api::start().await;
    let path = format!("{SCHEMAS}/exempt");
    for (media_type, patch, code) in [
        (
            "merge-patch+json",
            json!({"other": 1, "metadata": {"name": "b"}}),
            400,
        ),
        (
            "strategic-merge-patch+json",
            json!({"other": 1, "spec": {"matchingPrecedence": -1}}),
            422,
        ),
        (
            "json-patch+json",
            json!([{"op": "add", "path": "/other", "value": 1}, {"op": "add", "path": "/metadata/uid", "value": "a"}]),
            422,
        ),
    ] {
        let failed = api
            .patch(&path, &format!("application/{media_type}"), patch)
            .await;
        assert_eq!(failed.code, code, "{}", failed.body);
        assert_eq!(failed.warnings, ["299 - \"unknown field \\\"other\\\"\""]);
    }
}

#[tokio::test]
async fn an_unknown_directive_is_printed_as_go_does() {
    let api = Api::start().await;
    for (directive, shown) in [
        (json!("other"), "other in map: map[$patch:other]"),
        (json!(5), "%!s(int64=5) in map: map[$patch:5]"),
        (json!(true), "%!s(bool=true) in map: map[$patch:true]"),
    ] {
        let patch = json!({"spec": {"$patch": directive}});
        let path = format!("{SCHEMAS}/exempt");
        let failed = api
            .patch(&path, "application/strategic-merge-patch+json", patch)
            .await;
        assert_eq!(
            failed.body["message"],
            format!("unknown patch type: {shown}")
        );
    }
}

/// Also below a list, which a patch replaces as a whole.
#[tokio::test]
async fn unknown_fields_in_a_list_of_a_patch_are_found() {
    let api = Api::start().await;
    let mut rules = schema("a")["spec"]["rules"].clone();
    rules[0]["subjects"][0]["user"]["other"] = json!({"b": 1});
    rules[0]["another"] = json!([{"c": 1}]);
    let patches = [
        ("merge-patch+json", json!({"spec": {"rules": rules}})),
        (
            "strategic-merge-patch+json",
            json!({"spec": {"rules": rules}}),
        ),
        (
            "json-patch+json",
            json!([{"op": "replace", "path": "/spec/rules", "value": rules}]),
        ),
        (
            "json-patch+json",
            json!([{"op": "add", "path": "/spec/rules/-", "value": rules[0]}]),
        ),
    ];
    api.send("POST", SCHEMAS, Some(schema("a"))).await;
    for (media_type, patch) in patches {
        let media_type = format!("application/{media_type}");
        let path = format!("{SCHEMAS}/a?dryRun=All&fieldValidation");
        let warned = api
            .patch(&format!("{path}=Warn"), &media_type, patch.clone())
            .await;
        assert_eq!(
            (warned.code, warned.warnings.len()),
            (200, 2),
            "{media_type}: {:?}",
            warned.warnings
        );
        let strict = api
            .patch(&format!("{path}=Strict"), &media_type, patch)
            .await;
        assert_eq!(strict.code, 422, "{media_type}");
        let message = strict.body["message"].as_str().unwrap();
        assert!(
            message.contains(".another\"") && message.contains(".other\""),
            "{message}"
        );
    }
}
