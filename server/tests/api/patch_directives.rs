//! The directives of strategic merge patches, as `kubectl apply` sends them.

use crate::api::patches::{MERGE, STRATEGIC, api};
use crate::api::support::{Api, LEVELS, level};
use serde_json::{Value, json};

const UID: &str = "11111111-2222-3333-4444-55555555555";

/// An owner whose UID ends with `digit`.
fn owner(digit: u32) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "name": "n", "uid": format!("{UID}{digit}")})
}

fn key(digit: u32) -> Value {
    json!({"uid": format!("{UID}{digit}")})
}

fn owners(object: &Value) -> String {
    let owners = object["metadata"]["ownerReferences"].as_array();
    let uids = owners
        .into_iter()
        .flatten()
        .map(|owner| owner["uid"].as_str().unwrap());
    uids.map(|uid| uid.trim_start_matches(UID)).collect()
}

#[tokio::test]
async fn lists_are_sorted_by_the_order_directive() {
    let (api, path) = api().await;
    let four = json!({"metadata": {"ownerReferences": [owner(1), owner(2), owner(3), owner(4)]}});
    for (patch, expected) in [
        // Elements that the directive does not name keep their places before others.
        (
            json!({"$setElementOrder/ownerReferences": [key(4), key(1)]}),
            "2341",
        ),
        (
            json!({"$setElementOrder/ownerReferences": [key(3), key(9)]}),
            "1234",
        ),
        (
            json!({
                "$setElementOrder/ownerReferences": [key(5), key(3), key(2)],
                "ownerReferences": [owner(5), {"uid": format!("{UID}2"), "name": "m"}, {"$patch": "delete", "uid": format!("{UID}4")}],
            }),
            "5132",
        ),
        (
            json!({"$setElementOrder/ownerReferences": [], "ownerReferences": [owner(5)]}),
            "12345",
        ),
    ] {
        assert_eq!(api.patch(&path, MERGE, four.clone()).await.code, 200);
        let patched = api
            .patch(&path, STRATEGIC, json!({"metadata": patch}))
            .await;
        assert_eq!(
            (patched.code, owners(&patched.body).as_str()),
            (200, expected),
            "{patch}"
        );
    }
}

#[tokio::test]
async fn lists_of_strings_are_sorted_by_the_order_directive() {
    let (api, path) = api().await;
    let names = |names: &str| -> Value {
        names
            .chars()
            .map(|name| format!("example.com/{name}"))
            .collect()
    };
    for (before, patch, expected) in [
        (
            "abc",
            json!({"$setElementOrder/finalizers": names("cxa"), "finalizers": names("x")}),
            "bcxa",
        ),
        (
            "abc",
            json!({
                "$setElementOrder/finalizers": names("ca"), "$deleteFromPrimitiveList/finalizers": names("b"),
            }),
            "ca",
        ),
        (
            "",
            json!({"$setElementOrder/finalizers": names("ba"), "finalizers": names("ba")}),
            "ba",
        ),
        ("aab", json!({"finalizers": names("cc")}), "cab"),
    ] {
        let before = json!({"metadata": {"finalizers": names(before)}});
        api.patch(&path, MERGE, before).await;
        let patched = api
            .patch(&path, STRATEGIC, json!({"metadata": patch}))
            .await;
        assert_eq!(
            patched.body["metadata"]["finalizers"],
            names(expected),
            "{patch}"
        );
    }
}

#[tokio::test]
async fn invalid_directives_are_rejected() {
    let (api, path) = api().await;
    let held =
        json!({"metadata": {"finalizers": ["example.com/a"], "ownerReferences": [owner(1)]}});
    api.patch(&path, MERGE, held).await;
    let order = |list: &str, order: Value| json!({format!("$setElementOrder/{list}"): order});
    for (patch, code, message) in [
        (
            json!({"$setElementOrder/finalizers": ["a", "b"], "finalizers": ["b", "a"]}),
            500,
            "The order in patch list:\n[b a]\n doesn't match $setElementOrder list:\n[a b]\n",
        ),
        (
            json!({"$setElementOrder/ownerReferences": [{"uid": "x"}], "ownerReferences": [{"uid": "y"}]}),
            500,
            "The order in patch list:\n[map[uid:y]]\n doesn't match $setElementOrder list:\n[map[uid:x]]\n",
        ),
        (
            order("finalizers", "a".into()),
            500,
            "expected a []interface {}, but received a string",
        ),
        (
            order("labels", json!([])),
            500,
            "expected a []interface {}, but received a map[string]interface {}",
        ),
        (
            order("ownerReferences", json!(["x"])),
            500,
            "expected a map[string]interface {}, but received a string",
        ),
        (
            order("ownerReferences", json!([{"a": 1}])),
            500,
            "map: map[a:1] does not contain declared merge key: uid",
        ),
        (
            order("name2", json!([])),
            500,
            "unable to find api field in struct ObjectMeta for the json field \"name2\"",
        ),
        (
            order("namespace", json!([])),
            500,
            "expected slice or array type, but got: struct",
        ),
        (
            json!({"labels": order("x", json!([]))}),
            500,
            "merging an object in json but data type is not struct, instead is: map",
        ),
        (
            json!({"$setElementOrder": []}),
            400,
            "invalid patch format of setElementOrder list",
        ),
        (
            json!({"$deleteFromPrimitiveList": []}),
            400,
            "invalid patch format of primitive list",
        ),
        (
            json!({"$retainKeys": {}}),
            400,
            "invalid patch format of retainKeys",
        ),
        (
            json!({"$retainKeys": ["name"], "labels": {}}),
            400,
            "invalid patch format of retainKeys",
        ),
        (
            json!({"finalizers": [{}]}),
            500,
            "list element types are not identical: [[example.com/a] [map[]]]",
        ),
        (
            json!({"finalizers": [[]]}),
            500,
            "list element types are not identical: [[example.com/a] [[]]]",
        ),
        (
            json!({"ownerReferences": [{"$patch": "replace"}, {"name": "n"}]}),
            500,
            "map: map[name:n] does not contain declared merge key: uid",
        ),
    ] {
        let failed = api
            .patch(&path, STRATEGIC, json!({"metadata": patch}))
            .await;
        assert_eq!(
            (failed.code, failed.body["message"].as_str()),
            (code, Some(message)),
            "{patch}"
        );
    }
}

/// Go stores a value that is new to the object without merging it. Since 1.28 it leaves out the maps with directives.
#[tokio::test]
async fn directives_in_new_values_depend_on_the_release() {
    for (release, code) in [("1.28", 200), ("1.27", 422)] {
        let api = Api::with(|builder| builder.kubernetes(release)).await;
        let path = "v1beta3/flowschemas/probes";
        let labels = json!({"metadata": {"labels": {"$patch": "replace", "a": "b"}}});
        let patched = api.patch(path, STRATEGIC, labels).await;
        assert_eq!(patched.code, code, "{}", patched.body);
        assert_eq!(patched.body["metadata"].get("labels"), None, "{release}");
        let nulls = json!({"metadata": {"labels": {"a": null, "b": "c"}}});
        let patched = api.patch(path, STRATEGIC, nulls).await;
        assert_eq!(patched.body["metadata"]["labels"], json!({"b": "c"}));
    }
}

/// The elements of the patch count before its directives take effect.
#[tokio::test]
async fn an_order_of_a_list_that_only_directives_make_empty() {
    let api = Api::start().await;
    api.send("POST", LEVELS, Some(level("a", 7))).await;
    let patch = json!({"status": {
        "conditions": [{"$patch": "delete", "type": "A"}],
        "$setElementOrder/conditions": [{"type": "A"}],
    }});
    let path = format!("{LEVELS}/a/status");
    let patched = api
        .patch(&path, "application/strategic-merge-patch+json", patch)
        .await;
    assert_eq!(patched.code, 200, "{}", patched.body);
}
