//! The metric and the warnings of deprecated versions.

use crate::api::support::{Answer, Api, GROUP, answer};
use serde_json::json;

async fn metric(api: &Api) -> Vec<String> {
    let Answer { code, body, .. } = answer(api.request("GET", "/metrics")).await;
    assert_eq!(code, 200);
    let text = body.as_str().unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| line.contains("apiserver_requested_deprecated_apis"));
    lines.map(str::to_owned).collect()
}

fn line(resource: &str, subresource: &str) -> String {
    format!(
        "apiserver_requested_deprecated_apis{{group=\"{GROUP}\",removed_release=\"1.32\",\
         resource=\"{resource}\",subresource=\"{subresource}\",version=\"v1beta3\"}} 1"
    )
}

#[tokio::test]
async fn a_gauge_counts_requests_of_deprecated_versions() {
    let api = Api::with(|builder| builder.kubernetes("1.29")).await;
    // None of these requests reaches a handler of the old version.
    for (method, path) in [
        ("GET", "v1/flowschemas"),
        ("GET", "v1beta3"),
        ("GET", "v1beta2/flowschemas"),
        ("POST", "v1beta3/flowschemas/exempt"),
        ("PATCH", "v1beta3/flowschemas/exempt"),
    ] {
        api.send(method, path, None).await;
        assert!(metric(&api).await.is_empty(), "{method} {path}");
    }
    // A failed request counts too.
    api.get("v1beta3/prioritylevelconfigurations/nothing").await;
    api.send("POST", "v1beta3/flowschemas", Some(json!(5)))
        .await;
    api.get("v1beta3/flowschemas/exempt/status").await;
    api.get("v1beta3/flowschemas/exempt/status").await;
    assert_eq!(
        metric(&api).await,
        [
            "# HELP apiserver_requested_deprecated_apis [STABLE] Gauge of deprecated APIs that have been \
             requested, broken out by API group, version, resource, subresource, and removed_release.",
            "# TYPE apiserver_requested_deprecated_apis gauge",
            &line("flowschemas", ""),
            &line("flowschemas", "status"),
            &line("prioritylevelconfigurations", ""),
        ]
    );
    // The metric lasts as long as the process.
    api.server.upgrade("1.30").await.unwrap();
    assert!(metric(&api).await.is_empty());
}

#[tokio::test]
async fn the_warning_names_the_replacement_in_the_release() {
    for (release, version, next) in [
        ("1.25", "v1beta1", "v1beta2"),
        ("1.26", "v1beta2", "v1beta3"),
        ("1.31", "v1beta3", "v1"),
    ] {
        let api = Api::with(|builder| builder.kubernetes(release)).await;
        let warnings = api.get(&format!("{version}/flowschemas")).await.warnings;
        let expected = format!("; use {GROUP}/{next} FlowSchema\"");
        assert!(warnings[0].ends_with(&expected), "{release}: {warnings:?}");
    }
}
