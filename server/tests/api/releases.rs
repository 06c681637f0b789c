//! Differences between releases.

use crate::api::support::{Api, GROUP, schema};
use crate::api::watches::Watch;
use serde_json::Value;

async fn api(release: &str) -> Api {
    Api::with(|builder| builder.kubernetes(release)).await
}

fn messages(body: &Value) -> Vec<String> {
    let causes = body["details"]["causes"].as_array();
    let messages = causes.into_iter().flatten().map(|cause| &cause["message"]);
    messages
        .map(|message| message.as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_deprecated_version_names_its_replacement() {
    for (release, version, instead) in [
        ("1.25", "v1beta1", "v1beta2"),
        ("1.28", "v1beta2", "v1beta3"),
        ("1.29", "v1beta3", "v1"),
    ] {
        let answer = api(release)
            .await
            .get(&format!("{version}/flowschemas"))
            .await;
        let [warning] = answer.warnings.as_slice() else {
            panic!("{release}: {:?}", answer.warnings);
        };
        let end = format!("; use {GROUP}/{instead} FlowSchema\"");
        assert!(warning.ends_with(&end), "{release}: {warning}");
    }
    let answer = api("1.25").await.get("v1beta2/flowschemas").await;
    assert_eq!(answer.warnings, Vec::<String>::new());
}

#[tokio::test]
async fn initial_events_are_unknown_then_forbidden_then_sent() {
    let list = "flowschemas?sendInitialEvents=true";
    let matched = "flowschemas?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    for (release, version, list_code, watch_code, why) in [
        (
            "1.26",
            "v1beta3",
            200,
            422,
            "resourceVersionMatch is forbidden for watch",
        ),
        (
            "1.27",
            "v1beta3",
            422,
            422,
            "unless the WatchList feature gate is enabled",
        ),
        ("1.36", "v1", 422, 200, ""),
    ] {
        let api = api(release).await;
        let listed = api.get(&format!("{version}/{list}")).await;
        assert_eq!(listed.code, list_code, "{release}");
        let watched = api.request("GET", &format!("/apis/{GROUP}/{version}/{matched}"));
        let watched = watched.send().await;
        assert_eq!(watched.code(), watch_code, "{release}");
        if watch_code == 422 {
            let body: Value = serde_json::from_str(&watched.text().await).unwrap();
            let messages = messages(&body);
            assert!(messages[0].ends_with(why), "{release}: {messages:?}");
        }
    }
}

#[tokio::test]
async fn every_invalid_parameter_of_a_watch_is_reported() {
    let api = api("1.29").await;
    let path = "v1/flowschemas?watch=1&resourceVersionMatch=Exact&continue=x";
    let answer = api.get(path).await;
    assert_eq!(answer.code, 422);
    assert_eq!(
        messages(&answer.body),
        [
            "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            "Unsupported value: \"Exact\": supported values: \"NotOlderThan\"",
            "Forbidden: resourceVersionMatch is forbidden when continue is provided",
        ]
    );
}

#[tokio::test]
async fn messages_change_between_releases() {
    let long = "m".repeat(129);
    let label = "v".repeat(64);
    for (release, manager, dry_run, value, key) in [
        (
            "1.29",
            "must have at most 128 bytes",
            "[]string{\"x\", \"y\"}",
            "63 characters",
            "a qualified name must",
        ),
        (
            "1.36",
            "may not be more than 128 bytes",
            "[\"x\",\"y\"]",
            "63 bytes",
            "a valid label key must",
        ),
    ] {
        let api = api(release).await;
        let create = |query: String| {
            let path = format!("v1/flowschemas?{query}");
            let api = &api;
            async move { api.send("POST", &path, Some(schema("a"))).await.body["message"].to_string() }
        };
        let response = create(format!("fieldManager={long}")).await;
        assert!(response.contains(manager), "{release}: {response}");
        let response = create("dryRun=x&dryRun=y".into()).await;
        let dry_run = dry_run.replace('"', "\\\"");
        assert!(
            response.contains(&format!("Unsupported value: {dry_run}: ")),
            "{release}: {response}"
        );
        let response = api
            .get(&format!("v1/flowschemas?labelSelector=x%3D{label}"))
            .await
            .body;
        assert!(
            response["message"].as_str().unwrap().ends_with(value),
            "{release}: {response}"
        );
        let response = api.get("v1/flowschemas?labelSelector=a/b/c").await.body;
        assert!(
            response["message"].as_str().unwrap().contains(key),
            "{release}: {response}"
        );
    }
}

#[tokio::test]
async fn a_time_that_is_not_there_is_left_out_since_1_34() {
    for (release, written) in [("1.32", true), ("1.34", false)] {
        let api = api(release).await;
        let query = "flowschemas?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan\
                     &allowWatchBookmarks=true";
        let mut watch = Watch::open(&api, &format!("v1/{query}")).await;
        let bookmark = loop {
            let event = watch.next().await.unwrap();
            if event["type"] == "BOOKMARK" {
                break event;
            }
        };
        let metadata = bookmark["object"]["metadata"].as_object().unwrap();
        assert_eq!(
            metadata.contains_key("creationTimestamp"),
            written,
            "{release}"
        );
    }
}
