//! Deletions: their options, the finalizers that they add, and objects that wait for finalizers.

use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, answer, level, schema};
use serde_json::{Value, json};

/// A body whose fields have other types must not delete anything.
#[tokio::test]
async fn options_of_another_type_delete_nothing() {
    for (release, code) in [("1.34", 500), ("1.35", 400)] {
        let api = Api::with(|builder| builder.kubernetes(release)).await;
        api.send("POST", LEVELS, Some(level("mine", 7))).await;
        let path = format!("{LEVELS}/mine");
        for (body, message) in [
            (
                json!({"propagationPolicy": 5}),
                "json: cannot unmarshal number into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation",
            ),
            (
                json!({"preconditions": {"uid": 5}}),
                "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID",
            ),
            (
                json!({"dryRun": "All"}),
                "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string",
            ),
            (
                json!({"gracePeriodSeconds": "5"}),
                "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
            ),
            (
                json!([]),
                "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct \
                 { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }",
            ),
        ] {
            let failed = api.send("DELETE", &path, Some(body)).await;
            assert_eq!(
                (failed.code, &failed.body["message"]),
                (code, &message.into())
            );
        }
        let text = api.request("DELETE", &format!("/apis/{GROUP}/{path}"));
        let text = text.header("content-type", "application/yaml");
        let failed = answer(text.body("dryRun: All")).await;
        assert_eq!(failed.code, code);
        assert_eq!(api.get(&path).await.code, 200);
        let unknown = json!({"other": 1, "dryRun": null, "preconditions": {}});
        assert_eq!(api.send("DELETE", &path, Some(unknown)).await.code, 200);
    }
}

#[tokio::test]
async fn parameters_are_options_without_a_body() {
    let api = Api::start().await;
    api.send("POST", LEVELS, Some(level("mine", 7))).await;
    let path = format!("{LEVELS}/mine");
    let failed = api
        .send("DELETE", &format!("{path}?gracePeriodSeconds=soon"), None)
        .await;
    let message = "strconv.ParseInt: parsing \"soon\": invalid syntax";
    assert_eq!(
        (failed.code, &failed.body["message"]),
        (400, &message.into())
    );
    let empty = json!({"preconditions": {"uid": ""}});
    assert_eq!(api.send("DELETE", &path, Some(empty)).await.code, 409);
    let path = format!("{path}?uid=&resourceVersion=&gracePeriodSeconds=0");
    assert_eq!(api.send("DELETE", &path, None).await.code, 200);
}

async fn held(api: &Api, finalizers: &[&str]) -> String {
    let mut object = schema("held");
    object["metadata"]["finalizers"] = json!(finalizers);
    assert_eq!(api.send("POST", SCHEMAS, Some(object)).await.code, 201);
    format!("{SCHEMAS}/held")
}

#[tokio::test]
async fn options_decide_about_the_finalizers_of_the_garbage_collector() {
    const X: &str = "example.com/x";
    for (finalizers, query, expected) in [
        (&["orphan", X][..], "", &["orphan", X][..]),
        (&["orphan", X], "?propagationPolicy=Orphan", &["orphan", X]),
        (
            &["orphan", X],
            "?propagationPolicy=Foreground",
            &[X, "foregroundDeletion"],
        ),
        (&["orphan", X], "?orphanDependents=false", &[X]),
        (&["foregroundDeletion", X], "?orphanDependents=false", &[X]),
        (
            &["foregroundDeletion", X],
            "?orphanDependents=true",
            &[X, "orphan"],
        ),
        (
            &["foregroundDeletion", X],
            "?propagationPolicy=Background",
            &[X],
        ),
    ] {
        let api = Api::start().await;
        let path = held(&api, finalizers).await;
        let deleted = api.send("DELETE", &format!("{path}{query}"), None).await;
        let found = &deleted.body["metadata"]["finalizers"];
        assert_eq!(*found, json!(expected), "{finalizers:?}{query}");
    }
}

#[tokio::test]
async fn an_update_cannot_change_the_time_of_a_deletion() {
    let api = Api::start().await;
    let path = held(&api, &["example.com/x"]).await;
    let deleted = api.send("DELETE", &path, None).await.body;
    let mut object = deleted.clone();
    for time in [json!("2001-01-01T00:00:00Z"), Value::Null] {
        object["metadata"]["deletionTimestamp"] = time;
        object["metadata"]["resourceVersion"] = Value::Null;
        let replaced = api.send("PUT", &path, Some(object.clone())).await;
        assert_eq!(replaced.code, 200, "{}", replaced.body);
        let times = |object: &Value| object["metadata"]["deletionTimestamp"].clone();
        assert_eq!(times(&replaced.body), times(&deleted));
    }
}

#[tokio::test]
async fn an_object_with_a_uid_cannot_be_applied_before_it_exists() {
    let api = Api::start().await;
    let mut object = schema("other");
    object["metadata"]["uid"] = "5".into();
    let path = format!("{SCHEMAS}/new?fieldManager=m");
    let failed = api.apply(&path, object).await.body;
    assert_eq!(
        failed["message"],
        "Operation cannot be fulfilled on flowschemas.flowcontrol.apiserver.k8s.io \"new\": uid mismatch: the \
         provided object specified uid 5, and no existing object was found"
    );
    assert_eq!(
        failed["details"],
        json!({"name": "new", "group": GROUP, "kind": "flowschemas"})
    );
}

#[tokio::test]
async fn each_character_that_cannot_be_printed_is_an_error_of_the_field_manager() {
    let api = Api::start().await;
    let long = "m".repeat(129);
    for (manager, messages) in [
        (
            "a%01b%0Ac".to_owned(),
            vec![
                "Invalid value: \"a\\x01b\\nc\": invalid character U+0001 (at position 1)",
                "Invalid value: \"a\\x01b\\nc\": invalid character U+000A (at position 3)",
            ],
        ),
        (
            "%C2%A0".to_owned(),
            vec!["Invalid value: \"\\u00a0\": invalid character U+00A0 (at position 0)"],
        ),
        (
            format!("{long}%7F"),
            vec![
                "Too long: may not be more than 128 bytes",
                "Invalid value: \"LONG\\x7f\": invalid character U+007F (at position 129)",
            ],
        ),
    ] {
        let path = format!("{SCHEMAS}?dryRun=All&fieldManager={manager}");
        let failed = api.send("POST", &path, Some(schema("a"))).await;
        let causes = failed.body["details"]["causes"].as_array().unwrap();
        let found = causes.iter().map(|cause| &cause["message"]);
        let expected = messages.iter().map(|text| text.replace("LONG", &long));
        assert!(found.eq(expected.collect::<Vec<_>>().iter()), "{causes:?}");
    }
}

/// The resource version in the query belongs to the list. Without a body it is a precondition too.
#[tokio::test]
async fn a_collection_is_deleted_as_of_its_list() {
    for (release, query, body, code, left) in [
        (
            "1.27",
            "resourceVersion=THEN",
            Some(json!({})),
            200,
            &[][..],
        ),
        ("1.28", "resourceVersion=THEN", Some(json!({})), 200, &["c"]),
        (
            "1.28",
            "resourceVersion=THEN&resourceVersionMatch=NotOlderThan",
            Some(json!({})),
            200,
            &[],
        ),
        (
            "1.28",
            "resourceVersion=1&resourceVersionMatch=Exact",
            Some(json!({})),
            410,
            &["b", "c"],
        ),
        (
            "1.28",
            "resourceVersion=x",
            Some(json!({})),
            400,
            &["b", "c"],
        ),
        (
            "1.28",
            "resourceVersion=9999",
            Some(json!({})),
            500,
            &["b", "c"],
        ),
        ("1.28", "resourceVersion=0", None, 409, &["b", "c"]),
        ("1.28", "resourceVersionMatch=Exact", None, 422, &["b", "c"]),
    ] {
        let api = Api::with(|builder| builder.kubernetes(release).bootstrap(false)).await;
        let levels = LEVELS.replace("v1/", "v1beta3/");
        for name in ["a", "b", "c"] {
            let mut level = level(name, 1);
            level["apiVersion"] = format!("{GROUP}/v1beta3").into();
            api.send("POST", &levels, Some(level)).await;
            if name == "a" {
                api.server.expire_history();
            }
        }
        let list = api.get(&levels).await.body;
        let then = list["items"][1]["metadata"]["resourceVersion"].as_str();
        // An object of the list that is gone is not an error.
        api.send("DELETE", &format!("{levels}/a"), None).await;
        let query = query.replace("THEN", then.unwrap());
        let deleted = api.send("DELETE", &format!("{levels}?{query}"), body).await;
        assert_eq!(deleted.code, code, "{release} {query}: {}", deleted.body);
        assert_eq!(api.names(&levels).await, left, "{release} {query}");
    }
}

#[tokio::test]
async fn a_cascading_deletion_that_waits_is_accepted() {
    let api = Api::start().await;
    let path = held(&api, &["example.com/x"]).await;
    for (query, code) in [
        ("orphanDependents=false", 202),
        ("propagationPolicy=Background", 200),
    ] {
        let deleted = api.send("DELETE", &format!("{path}?{query}"), None).await;
        assert_eq!(
            (deleted.code, &deleted.body["kind"]),
            (code, &"FlowSchema".into())
        );
    }
    // The content type of an empty body does not matter.
    let collection = api.request("DELETE", &format!("/apis/{GROUP}/{SCHEMAS}"));
    let deleted = answer(collection.header("content-type", "text/plain")).await;
    assert_eq!(deleted.code, 200);
}

/// The options belong to all versions, and to `meta.k8s.io/v1` without one.
#[tokio::test]
async fn options_can_name_any_version() {
    let api = Api::start().await;
    let scheme =
        "in scheme \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\"";
    for (kind, version, code, message) in [
        (
            "DeleteOptions",
            "apps/v1",
            404,
            format!("prioritylevelconfigurations.{GROUP} \"none\" not found"),
        ),
        (
            "DeleteOptions",
            "a/b/c",
            400,
            "unexpected GroupVersion string: a/b/c".to_owned(),
        ),
        (
            "Other",
            "",
            400,
            format!("no kind \"Other\" is registered for version \"meta.k8s.io/v1\" {scheme}"),
        ),
        (
            "Other",
            "v2",
            400,
            format!("no kind \"Other\" is registered for version \"v2\" {scheme}"),
        ),
    ] {
        let options = json!({"kind": kind, "apiVersion": version});
        let answer = api
            .send("DELETE", &format!("{LEVELS}/none"), Some(options))
            .await;
        assert_eq!(
            (answer.code, &answer.body["message"]),
            (code, &json!(message))
        );
    }
}
