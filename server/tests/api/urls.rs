//! Paths and queries with escapes, and names that cannot be a part of a path.

use crate::api::support::{Api, GROUP, LEVELS, answer, level};
use serde_json::json;

#[tokio::test]
async fn a_path_is_divided_after_its_escapes_are_decoded() {
    let api = Api::start().await;
    for (path, code) in [
        (format!("/%61pis/{GROUP}%2Fv1"), 200),
        (
            format!("/apis/{GROUP}/v1/flowschemas%2Fexempt%2Fstatus"),
            200,
        ),
        (format!("/apis/{GROUP}/v1/flowschemas/ex%65mpt"), 200),
        (format!("/apis/{GROUP}/v1/flowschemas/exempt%2Fscale"), 404),
    ] {
        assert_eq!(answer(api.request("GET", &path)).await.code, code, "{path}");
    }
    for path in [
        "/%",
        "/healthz%4",
        &format!("/apis/{GROUP}/v1/flowschemas/a%zz"),
    ] {
        let failed = answer(api.request("GET", path)).await;
        assert_eq!(
            (failed.code, &failed.body),
            (400, &json!("400 Bad Request")),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_watch_path_needs_a_resource() {
    let api = Api::start().await;
    let failed = api.get("v1/watch").await;
    let text = format!(
        "Internal Server Error: \"/apis/{GROUP}/v1/watch\": failed to create RequestInfo: unable to determine kind and \
         namespace from url, /apis/{GROUP}/v1/watch\n"
    );
    assert_eq!((failed.code, failed.body), (500, json!(text)));
}

#[tokio::test]
async fn a_name_must_be_a_part_of_a_path() {
    let api = Api::start().await;
    let config = json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "."},
    });
    for (name, why) in [
        (".", "\".\": may not be '.'"),
        ("%2E%2E", "\"..\": may not be '..'"),
        ("a%25b", "\"a%b\": may not contain '%'"),
    ] {
        let path = format!("{LEVELS}/{name}");
        let message = format!("Name parameter invalid: {why}");
        for answer in [
            api.get(&path).await,
            api.send("DELETE", &path, None).await,
            api.patch(&path, "application/merge-patch+json", json!({}))
                .await,
            api.apply(&format!("{path}?fieldManager=a"), config.clone())
                .await,
        ] {
            assert_eq!(
                (answer.code, &answer.body["message"]),
                (400, &json!(message)),
                "{name}"
            );
        }
    }
}

/// As in Go, such a pair does not count.
#[tokio::test]
async fn pairs_with_semicolons_or_invalid_escapes_are_skipped() {
    let api = Api::start().await;
    let path = format!("{LEVELS}?dryRun=%zz&dryRun=a;b&field%4=x&fieldManager=%20a");
    let created = api.send("POST", &path, Some(level("mine", 7))).await;
    assert_eq!(created.code, 201, "{}", created.body);
    assert_eq!(
        created.body["metadata"]["managedFields"][0]["manager"],
        " a"
    );
    assert_eq!(api.get(&format!("{LEVELS}/mine")).await.code, 200);
    assert_eq!(api.get(&format!("{LEVELS}?limit=%zz")).await.code, 200);
}

#[tokio::test]
async fn a_part_of_a_health_check_is_plain() {
    let api = Api::start().await;
    let response = api.request("GET", "/readyz/ping").send().await;
    assert_eq!(response.headers().get("x-content-type-options"), None);
    assert_eq!(response.text().await, "ok");
}
