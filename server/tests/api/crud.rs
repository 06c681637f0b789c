//! Creating, reading, replacing and deleting.

use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, answer, level, schema};
use serde_json::json;

#[tokio::test]
async fn an_object_is_created_read_replaced_and_deleted() {
    let api = Api::start().await;
    let created = api.send("POST", LEVELS, Some(level("mine", 7))).await;
    assert_eq!(created.code, 201);
    assert_eq!(
        created.body["spec"]["limited"],
        json!({
            "nominalConcurrencyShares": 7,
            "lendablePercent": 0,
            "limitResponse": {
                "type": "Queue",
                "queuing": {"queues": 64, "handSize": 8, "queueLengthLimit": 50},
            },
        })
    );
    let path = format!("{LEVELS}/mine");
    assert_eq!(api.get(&path).await.body, created.body);
    let uid = created.body["metadata"]["uid"].as_str().unwrap();
    let lengths: Vec<_> = uid.split('-').map(str::len).collect();
    assert_eq!(lengths, [8, 4, 4, 4, 12], "{uid}");
    assert!(
        uid.as_bytes()[14] == b'4' && b"89ab".contains(&uid.as_bytes()[19]),
        "{uid}"
    );
    let list = api.get(LEVELS).await.body;
    let version = &created.body["metadata"]["resourceVersion"];
    assert_eq!(list["metadata"]["resourceVersion"], *version);

    let mut changed = created.body.clone();
    changed["spec"]["limited"]["nominalConcurrencyShares"] = 8.into();
    let replaced = api.send("PUT", &path, Some(changed)).await;
    assert_eq!(replaced.code, 200);
    assert_eq!(replaced.body["metadata"]["generation"], 2);

    let deleted = api.send("DELETE", &path, None).await;
    assert_eq!(
        (deleted.code, &deleted.body["status"]),
        (200, &json!("Success"))
    );
    assert_eq!(
        deleted.body["details"]["uid"],
        created.body["metadata"]["uid"]
    );
    let gone = api.get(&path).await;
    assert_eq!((gone.code, &gone.body["reason"]), (404, &json!("NotFound")));
}

#[tokio::test]
async fn names_are_unique_and_can_be_generated() {
    let api = Api::start().await;
    assert_eq!(api.send("POST", SCHEMAS, Some(schema("a"))).await.code, 201);
    let taken = api.send("POST", SCHEMAS, Some(schema("a"))).await;
    assert_eq!(
        (taken.code, &taken.body["reason"]),
        (409, &json!("AlreadyExists"))
    );

    let mut nameless = schema("");
    nameless["metadata"] = json!({"generateName": "gen-"});
    let generated = api.send("POST", SCHEMAS, Some(nameless.clone())).await;
    let name = generated.body["metadata"]["name"].as_str().unwrap();
    assert!(name.starts_with("gen-") && name.len() == 9, "{name}");

    let exported = api.get(&format!("{SCHEMAS}/a?export=true")).await;
    assert_eq!(exported.code, 400);
    // A server takes a name beside the prefix for one that it generated.
    nameless["metadata"]["name"] = "a".into();
    let taken = api.send("POST", SCHEMAS, Some(nameless.clone())).await.body;
    assert_eq!(
        taken["message"],
        "flowschemas.flowcontrol.apiserver.k8s.io \"a\" already exists, the server was not able to generate a unique \
         name for the object"
    );
    assert_eq!(taken["details"]["retryAfterSeconds"], 1);

    nameless["metadata"] = json!({});
    assert_eq!(api.send("POST", SCHEMAS, Some(nameless)).await.code, 422);
    assert_eq!(
        api.send("POST", SCHEMAS, Some(schema("Bad_Name")))
            .await
            .code,
        422
    );
}

#[tokio::test]
async fn a_stale_write_conflicts_and_a_write_without_change_is_not_stored() {
    let api = Api::start().await;
    api.send("POST", LEVELS, Some(level("mine", 7))).await;
    let path = format!("{LEVELS}/mine");
    let first = api.get(&path).await.body;
    let same = api.send("PUT", &path, Some(first.clone())).await;
    assert_eq!(same.body, first);

    api.send("PUT", &path, Some(level("mine", 9))).await;
    let stale = api.send("PUT", &path, Some(first)).await;
    assert_eq!(
        (stale.code, &stale.body["reason"]),
        (409, &json!("Conflict"))
    );
    let other = api.send("PUT", &path, Some(level("other", 9))).await;
    assert_eq!(
        (other.code, &other.body["reason"]),
        (400, &json!("BadRequest"))
    );
}

/// The server keeps the texts of objects, of which the next one may have the memory.
#[tokio::test]
async fn each_state_is_read_as_it_was_written() {
    let api = Api::with(|builder| builder.bootstrap(false).history(1)).await;
    let path = format!("{LEVELS}/mine");
    api.send("POST", LEVELS, Some(level("mine", 1))).await;
    for shares in 2..200 {
        api.send("PUT", &path, Some(level("mine", shares))).await;
        let found = &api.get(&path).await.body["spec"]["limited"]["nominalConcurrencyShares"];
        assert_eq!(*found, shares);
    }
}

#[tokio::test]
async fn a_dry_run_stores_nothing() {
    let api = Api::start().await;
    let created = api
        .send(
            "POST",
            &format!("{LEVELS}?dryRun=All"),
            Some(level("mine", 7)),
        )
        .await;
    assert_eq!(created.code, 201);
    assert!(created.body["metadata"].get("resourceVersion").is_none());
    assert_eq!(api.get(&format!("{LEVELS}/mine")).await.code, 404);

    let path = format!("{LEVELS}/system");
    let before = api.get(&path).await.body;
    for method in ["PUT", "DELETE"] {
        let body = (method == "PUT").then(|| level("system", 1));
        let answer = api.send(method, &format!("{path}?dryRun=All"), body).await;
        assert_eq!(answer.code, 200, "{method}");
    }
    assert_eq!(api.get(&path).await.body, before);
    let bad = api
        .send("DELETE", &format!("{path}?dryRun=Some"), None)
        .await;
    assert_eq!(bad.code, 422);
}

/// The message has the key of the object in etcd, which a dry run does not reach.
#[tokio::test]
async fn a_dry_run_names_the_key_without_the_prefix_of_etcd() {
    let api = Api::start().await;
    let mut other = level("system", 7);
    other["metadata"]["uid"] = json!("other");
    for (query, key) in [
        ("", "/registry/prioritylevelconfigurations/system"),
        ("?dryRun=All", "/prioritylevelconfigurations/system"),
    ] {
        let path = format!("{LEVELS}/system{query}");
        let answer = api.send("PUT", &path, Some(other.clone())).await;
        let message = answer.body["message"].as_str().unwrap();
        assert_eq!(answer.code, 409, "{message}");
        assert!(message.contains(&format!(" Key: {key}, ")), "{message}");
    }
}

#[tokio::test]
async fn finalizers_hold_an_object() {
    let api = Api::start().await;
    let mut held = level("held", 7);
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    api.send("POST", LEVELS, Some(held)).await;
    let path = format!("{LEVELS}/held");
    let deleted = api.send("DELETE", &path, None).await;
    assert_eq!(deleted.body["kind"], "PriorityLevelConfiguration");
    assert!(deleted.body["metadata"]["deletionTimestamp"].is_string());
    let again = api.send("POST", LEVELS, Some(level("held", 7))).await;
    assert_eq!(again.code, 409);

    let mut released = api.get(&path).await.body;
    released["metadata"]["finalizers"] = json!([]);
    assert_eq!(api.send("PUT", &path, Some(released)).await.code, 200);
    assert_eq!(api.get(&path).await.code, 404);
}

#[tokio::test]
async fn preconditions_and_propagation_count() {
    let api = Api::start().await;
    let created = api.send("POST", LEVELS, Some(level("mine", 7))).await.body;
    let path = format!("{LEVELS}/mine");
    let options = |key: &str, value: &str| json!({"preconditions": {key: value}});
    let wrong = api
        .send("DELETE", &path, Some(options("uid", "other")))
        .await;
    assert_eq!(wrong.code, 409);
    let wrong = api
        .send("DELETE", &format!("{path}?resourceVersion=1"), None)
        .await;
    assert_eq!(wrong.code, 409);
    let foreground = json!({
        "propagationPolicy": "Foreground",
        "preconditions": {"uid": created["metadata"]["uid"]},
    });
    let answer = api.send("DELETE", &path, Some(foreground)).await;
    assert_eq!(
        answer.body["metadata"]["finalizers"],
        json!(["foregroundDeletion"])
    );
}

#[tokio::test]
async fn no_deletion_waits_for_the_garbage_collector() {
    let api = Api::start().await;
    let path = format!("{LEVELS}/mine");
    for policy in ["Foreground", "Orphan", "Background"] {
        api.send("POST", LEVELS, Some(level("mine", 7))).await;
        let options = json!({"propagationPolicy": policy});
        assert_eq!(api.send("DELETE", &path, Some(options)).await.code, 200);
        assert_eq!(api.get(&path).await.code, 404, "{policy}");
    }
    // The finalizers of others stay.
    let mut waiting = level("mine", 7);
    waiting["metadata"]["finalizers"] = json!(["example.com/wait"]);
    api.send("POST", LEVELS, Some(waiting)).await;
    let options = json!({"propagationPolicy": "Foreground"});
    api.send("DELETE", &path, Some(options)).await;
    let object = api.get(&path).await.body;
    assert_eq!(
        object["metadata"]["finalizers"],
        json!(["example.com/wait"])
    );
}

#[tokio::test]
async fn a_collection_is_deleted_by_selector() {
    let api = Api::start().await;
    for name in ["a", "b"] {
        api.send("POST", SCHEMAS, Some(schema(name))).await;
    }
    let deleted = api
        .send(
            "DELETE",
            &format!("{SCHEMAS}?labelSelector=lab%3Dyes"),
            None,
        )
        .await;
    assert_eq!(crate::api::support::names(&deleted.body), ["a", "b"]);
    assert!(
        api.names(&format!("{SCHEMAS}?labelSelector=lab"))
            .await
            .is_empty()
    );
    assert_eq!(api.get(&format!("{SCHEMAS}/exempt")).await.code, 200);
}

#[tokio::test]
async fn a_body_that_is_no_delete_options_is_an_error_of_the_client() {
    for (release, code) in [("1.29", 500), ("1.34", 500), ("1.35", 400), ("1.37", 400)] {
        let api = Api::with(|builder| builder.kubernetes(release)).await;
        for body in ["{", r#"{"kind":"FlowSchema","apiVersion":"v1"}"#] {
            let path = format!("/apis/flowcontrol.apiserver.k8s.io/{SCHEMAS}/exempt");
            let request = api.request("DELETE", &path);
            let request = request.header("content-type", "application/json");
            let answer = crate::api::support::answer(request.body(body)).await;
            assert_eq!(answer.code, code, "{release} {body}: {}", answer.body);
        }
    }
}

#[tokio::test]
async fn unknown_fields_are_dropped_reported_or_rejected() {
    let api = Api::start().await;
    let mut object = schema("odd");
    object["spec"]["bogus"] = 1.into();
    let path = |how: &str| format!("{SCHEMAS}?dryRun=All&fieldValidation={how}");
    let strict = api
        .send("POST", &path("Strict"), Some(object.clone()))
        .await;
    assert_eq!(strict.code, 400);
    assert!(
        strict.body["message"]
            .as_str()
            .unwrap()
            .ends_with("unknown field \"spec.bogus\"")
    );
    let warned = api.send("POST", &path("Warn"), Some(object.clone())).await;
    assert_eq!(
        warned.warnings,
        ["299 - \"unknown field \\\"spec.bogus\\\"\""]
    );
    assert!(warned.body["spec"].get("bogus").is_none());
    let ignored = api.send("POST", &path("Ignore"), Some(object)).await;
    assert_eq!((ignored.code, ignored.warnings.len()), (201, 0));
}

#[tokio::test]
async fn bodies_come_in_yaml_too() {
    let api = Api::start().await;
    let text = "\
        metadata: {name: yaml}\n\
        spec:\n\
        \x20 type: Limited\n\
        \x20 limited:\n\
        \x20   nominalConcurrencyShares: 010\n\
        \x20   limitResponse: {type: Reject}\n";
    let request = api
        .request("POST", &format!("/apis/{GROUP}/{LEVELS}"))
        .header("content-type", "application/yaml")
        .body(text);
    let created = answer(request).await;
    assert_eq!(created.code, 201, "{}", created.body);
    // An octal number, as YAML 1.1 has them.
    let shares = &created.body["spec"]["limited"]["nominalConcurrencyShares"];
    assert_eq!(*shares, 8);
}

/// A server compares the numbers of resource versions, and accepts digits alone.
#[tokio::test]
async fn resource_versions_are_numbers() {
    let api = Api::start().await;
    api.send("POST", LEVELS, Some(level("mine", 7))).await;
    let path = format!("{LEVELS}/mine");
    let version = api.get(&path).await.body["metadata"]["resourceVersion"].clone();
    let version = version.as_str().unwrap();
    let syntax = |text: &str| format!("strconv.ParseUint: parsing {text:?}: invalid syntax");
    let much = "18446744073709551616";
    let range = format!("strconv.ParseUint: parsing {much:?}: value out of range");
    for (version, code, message) in [
        (format!("0{version}"), 200, None),
        ("00".to_owned(), 200, None),
        (
            format!("+{version}"),
            500,
            Some(syntax(&format!("+{version}"))),
        ),
        (much.to_owned(), 500, Some(range)),
    ] {
        let mut object = level("mine", 7);
        object["metadata"]["resourceVersion"] = version.as_str().into();
        let replaced = api.send("PUT", &path, Some(object)).await;
        assert_eq!(replaced.code, code, "{version}");
        let found = replaced.body["message"].as_str().map(str::to_owned);
        assert_eq!(found, message, "{version}");
        if code == 500 {
            let read = api
                .get(&format!(
                    "{path}?resourceVersion={}",
                    version.replace('+', "%2B")
                ))
                .await;
            assert_eq!(read.code, 500, "{version}");
        }
    }
}

#[tokio::test]
async fn duplicate_owners_are_removed_with_a_warning() {
    let api = Api::start().await;
    let owner = |name: &str| json!({"apiVersion": "v1", "kind": "Node", "name": name, "uid": "5"});
    let owners = json!([owner("a"), owner("b"), owner("a")]);
    let mut object = schema("a");
    object["metadata"]["ownerReferences"] = owners.clone();
    let path = format!("{SCHEMAS}/a");
    let patch = json!({"metadata": {"ownerReferences": owners}});
    for (answer, when) in [
        (api.send("POST", SCHEMAS, Some(object.clone())).await, ""),
        (api.send("PUT", &path, Some(object)).await, ""),
        (
            api.patch(&path, "application/merge-patch+json", patch)
                .await,
            " after mutating admission happens",
        ),
    ] {
        let left = &answer.body["metadata"]["ownerReferences"];
        assert_eq!(left, &json!([owner("a"), owner("b")]));
        let warning = format!(
            "299 - \".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in \
             1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) \
             observed: 5\""
        );
        assert_eq!(answer.warnings, [warning]);
    }
}
