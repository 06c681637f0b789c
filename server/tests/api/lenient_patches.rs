//! The leniency and the messages of the libraries with which a server reads patches.

use crate::api::patches::{JSON, MERGE, STRATEGIC, api};
use crate::api::support::{GROUP, answer};
use serde_json::{Value, json};

const FINALIZERS: &str = "/metadata/finalizers";

/// The server's patch library counts negative indexes from the end, adds fields that are to be replaced, but not elements, and takes an
/// absent value for `null`.
#[tokio::test]
async fn operations_are_read_with_leniency() {
    let (api, path) = api().await;
    let at = |index: &str| format!("{FINALIZERS}/{index}");
    let patch = async |operation: Value| api.patch(&path, JSON, json!([operation])).await;
    let two = json!({"op": "add", "path": FINALIZERS, "value": ["example.com/a", "example.com/b"]});
    assert_eq!(patch(two).await.code, 200);
    for beyond in ["2", "-", "-3", "x"] {
        let operation = json!({"op": "replace", "path": at(beyond), "value": "example.com/c"});
        assert_eq!(patch(operation).await.code, 422, "{beyond}");
    }
    for (operation, expected) in [
        (
            json!({"op": "add", "path": at("-1"), "value": "example.com/c"}),
            json!(["a", "b", "c"]),
        ),
        (
            json!({"op": "add", "path": at("-3"), "value": "example.com/d"}),
            json!(["a", "d", "b", "c"]),
        ),
        (
            json!({"op": "remove", "path": at("-2")}),
            json!(["a", "d", "c"]),
        ),
        (
            json!({"op": "replace", "path": at("-1"), "value": "example.com/e"}),
            json!(["a", "d", "e"]),
        ),
        (
            json!({"op": "move", "from": at("-1"), "path": at("0")}),
            json!(["e", "a", "d"]),
        ),
        (
            json!({"op": "test", "path": at("-1"), "value": "example.com/d"}),
            json!(["e", "a", "d"]),
        ),
    ] {
        let patched = patch(operation.clone()).await.body;
        let finalizers = patched["metadata"]["finalizers"].as_array();
        let names = finalizers
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap());
        let names: Value = names
            .map(|name| name.trim_start_matches("example.com/"))
            .collect();
        assert_eq!(names, expected, "{operation}");
    }
    for (code, operation) in [
        (
            200,
            json!({"op": "test", "path": "/metadata/labels/absent", "value": null}),
        ),
        (
            200,
            json!({"op": "test", "path": "/metadata/labels/absent"}),
        ),
        (
            422,
            json!({"op": "test", "path": "/metadata/labels/lab", "value": null}),
        ),
        (
            422,
            json!({"op": "test", "path": "/metadata/nothing/absent", "value": null}),
        ),
        (200, json!({"op": "add", "path": "/metadata/labels/empty"})),
        (200, json!({"op": "replace", "path": "", "value": 5})),
    ] {
        assert_eq!(patch(operation.clone()).await.code, code, "{operation}");
    }
    let empty = api.get(&path).await.body["metadata"]["labels"]["empty"].clone();
    assert_eq!(empty, "");
}

#[tokio::test]
async fn null_changes_nothing_except_as_a_merge_patch() {
    let (api, path) = api().await;
    let before = api.get(&path).await.body;
    for (media_type, code) in [(JSON, 200), (STRATEGIC, 200), (MERGE, 400)] {
        assert_eq!(
            api.patch(&path, media_type, Value::Null).await.code,
            code,
            "{media_type}"
        );
    }
    assert_eq!(api.get(&path).await.body, before);
}

#[tokio::test]
async fn fields_of_operations_are_validated() {
    let (api, path) = api().await;
    let strict = format!("{path}?fieldValidation=Strict");
    let ignore = format!("{path}?fieldValidation=Ignore");
    let unknown = r#"[{"op": "test", "path": "/kind", "value": "FlowSchema", "extra": {"a": 1, "a": 2}, "op": "test"}]"#;
    let send = async |path: &str, body: &str| {
        let request = api.request("PATCH", &format!("/apis/{GROUP}/{path}"));
        answer(request.header("content-type", JSON).body(body.to_owned())).await
    };
    let warned = send(&path, unknown).await;
    assert_eq!(warned.code, 200);
    assert_eq!(
        warned.warnings,
        [
            r#"299 - "json patch unknown field \"[0].extra\"""#,
            r#"299 - "json patch duplicate field \"[0].op\"""#,
        ]
    );
    let failed = send(&strict, unknown).await;
    let message = failed.body["message"].as_str().unwrap();
    let problems = "strict decoding error: json patch unknown field \"[0].extra\", json patch duplicate field \"[0].op\"";
    assert!(
        failed.code == 422 && message.ends_with(problems),
        "{message}"
    );
    assert!(send(&ignore, unknown).await.warnings.is_empty());

    for (path, body, code, message) in [
        (
            &path,
            r#"[{"op": "test", "path": 5}]"#,
            400,
            "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string",
        ),
        (
            &ignore,
            r#"[{"op": "test", "path": 5}]"#,
            422,
            "the server rejected our request due to an error in our request",
        ),
        (
            &path,
            "[[]]",
            400,
            "error decoding patch: json: cannot unmarshal array into Go value of type handlers.jsonPatchOp",
        ),
        (
            &ignore,
            "[[]]",
            400,
            "json: cannot unmarshal array into Go value of type jsonpatch.Operation",
        ),
        (
            &ignore,
            "{}",
            400,
            "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
        ),
        (&ignore, "[", 400, "unexpected end of JSON input"),
    ] {
        let failed = send(path, body).await;
        assert_eq!(
            (failed.code, &failed.body["message"]),
            (code, &message.into()),
            "{body}"
        );
    }
}

/// Without field validation, libraries that keep the text of numbers read JSON patches and merge patches.
#[tokio::test]
async fn numbers_of_patches_are_64_bits() {
    let (api, path) = api().await;
    let merge = "application/merge-patch+json";
    let strategic = "application/strategic-merge-patch+json";
    let fields = r#"{"spec": {"zzz": [-1e400]}}"#;
    let operations = r#"[{"op": "add", "path": "/spec/zzz", "value": {"a": 1e400}}]"#;
    let twice = r#"[{"op": "add", "path": "/spec/zzz", "value": 1e400, "value": 1}]"#;
    let is = "json: cannot unmarshal number -1e400 into Go value of type float64";
    let array = "json: cannot unmarshal array into Go value of type map[string]interface {}";
    let in_operation = "error decoding patch: json: cannot unmarshal number 1e400 into Go struct field jsonPatchOp.value of type float64";
    for (query, media_type, body, expected) in [
        ("", JSON, operations, Some(in_operation.to_owned())),
        ("", JSON, twice, Some(in_operation.to_owned())),
        (
            "",
            merge,
            fields,
            Some(format!("error decoding patch: {is}")),
        ),
        ("", strategic, fields, Some(is.to_owned())),
        ("?fieldValidation=Ignore", JSON, operations, None),
        ("?fieldValidation=Ignore", merge, fields, None),
        (
            "?fieldValidation=Ignore",
            strategic,
            fields,
            Some(is.to_owned()),
        ),
        (
            "",
            merge,
            r#"{"spec": {"zzz": 123456789012345678901234567890}}"#,
            None,
        ),
        // The type of the whole patch is wrong.
        (
            "",
            merge,
            "[1e400]",
            Some(format!("error decoding patch: {array}")),
        ),
        ("", strategic, "[1e400]", Some(array.to_owned())),
    ] {
        let request = api
            .request("PATCH", &format!("/apis/{GROUP}/{path}{query}"))
            .header("content-type", media_type);
        let found = answer(request.body(body.to_owned())).await;
        let message = found.body["message"].as_str().map(str::to_owned);
        let code = if expected.is_some() { 400 } else { 200 };
        assert_eq!(
            (found.code, message),
            (code, expected),
            "{query} {media_type}"
        );
    }
}

#[tokio::test]
async fn a_missing_object_is_reported_before_a_malformed_patch() {
    let (api, path) = api().await;
    let send = async |path: &str, media_type: &str| {
        let request = api.request("PATCH", &format!("/apis/{GROUP}/{path}?fieldManager=m"));
        answer(
            request
                .header("content-type", media_type)
                .body("{".to_owned()),
        )
        .await
        .code
    };
    for media_type in [JSON, MERGE, STRATEGIC] {
        assert_eq!(
            send("v1/flowschemas/missing", media_type).await,
            404,
            "{media_type}"
        );
        assert_eq!(send(&path, media_type).await, 400, "{media_type}");
    }
    assert_eq!(
        send("v1/flowschemas/missing", "application/apply-patch+yaml").await,
        400
    );
}

/// Go converts the patched tree into its structs, without JSON in between.
#[tokio::test]
async fn a_strategic_merge_patch_has_rules_of_its_own_for_types() {
    let (api, path) = api().await;
    let precedence = |value: Value| json!({"spec": {"matchingPrecedence": value}});
    for (patch, expected) in [
        (precedence(json!(700.0)), 700),
        (precedence(json!(4_294_968_096_i64)), 800),
        (
            json!({"kind": "Other", "apiVersion": "v9", "spec": {"matchingPrecedence": 900}}),
            900,
        ),
    ] {
        let patched = api.patch(&path, STRATEGIC, patch.clone()).await.body;
        assert_eq!(patched["spec"]["matchingPrecedence"], expected, "{patch}");
        assert_eq!(patched["kind"], "FlowSchema");
    }
    for (patch, shown, why) in [
        (
            precedence("500".into()),
            "map[spec:map[matchingPrecedence:500]]",
            "unrecognized type: int32",
        ),
        (
            precedence(json!(1.5)),
            "map[spec:map[matchingPrecedence:1.5]]",
            "cannot convert float64 to int32",
        ),
        (
            precedence(true.into()),
            "map[spec:map[matchingPrecedence:true]]",
            "unrecognized type: int32",
        ),
        (
            json!({"spec": {"rules": "x"}}),
            "map[spec:map[rules:x]]",
            "cannot restore slice from string",
        ),
        (
            json!({"spec": 5}),
            "map[spec:5]",
            "cannot restore struct from: int64",
        ),
        (
            json!({"metadata": {"labels": []}}),
            "map[metadata:map[labels:[]]]",
            "cannot restore map from slice",
        ),
        (
            json!({"metadata": {"labels": {"a": 5}}}),
            "map[metadata:map[labels:map[a:5]]]",
            "cannot convert int64 to string",
        ),
        (
            json!({"metadata": {"labels": {"a": true}}}),
            "map[metadata:map[labels:map[a:true]]]",
            "unrecognized type: string",
        ),
        (
            json!({"spec": {"distinguisherMethod": {"type": 5}}}),
            "map[spec:map[distinguisherMethod:map[type:5]]]",
            "cannot convert int64 to v1.FlowDistinguisherMethodType",
        ),
    ] {
        let failed = api.patch(&path, STRATEGIC, patch).await;
        let message = format!(" \"\" is invalid: patch: Invalid value: \"{shown}\": {why}");
        assert_eq!(
            (failed.code, &failed.body["message"]),
            (422, &message.into())
        );
    }
    let unknown = json!({"zz": 1, "spec": {"bogus": 1, "also": 2}});
    assert_eq!(
        api.patch(&path, STRATEGIC, unknown).await.warnings,
        ["spec.also", "spec.bogus", "zz"]
            .map(|field| format!("299 - \"unknown field \\\"{field}\\\"\""))
    );
}

#[tokio::test]
async fn nulls_vanish_in_what_a_merge_patch_adds() {
    let (api, path) = api().await;
    let rules = json!([{
        "subjects": [{"kind": "Group", "group": {"name": "g", "bogus": null}, "user": null}],
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/a"]}],
    }]);
    let strict = format!("{path}?fieldValidation=Strict");
    let patched = api
        .patch(&strict, MERGE, json!({"spec": {"rules": rules}}))
        .await;
    assert_eq!(patched.code, 200, "{}", patched.body);
    // Without field validation a list is not an error of the patch, but of the object.
    let ignore = format!("{path}?fieldValidation=Ignore");
    assert_eq!(api.patch(&ignore, MERGE, json!([])).await.code, 422);
    let failed = api.patch(&ignore, MERGE, json!("x")).await;
    assert_eq!(
        (failed.code, &failed.body["message"]),
        (400, &"Invalid JSON Patch".into())
    );
}
