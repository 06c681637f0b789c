//! The bootstrap objects.

use crate::api::support::{Api, LEVELS, SCHEMAS, level, schema};
use serde_json::{Value, json};

const ANNOTATION: &str = "apf.kubernetes.io/autoupdate-spec";

/// Replaces random values and times, as in the fixtures.
fn masked(value: Value) -> Value {
    const MASKED: [&str; 5] = [
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "time",
        "lastTransitionTime",
    ];
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| {
                let masked = if MASKED.contains(&name.as_str()) {
                    "*".into()
                } else {
                    masked(value)
                };
                (name, masked)
            })
            .collect(),
        Value::Array(elements) => elements.into_iter().map(masked).collect(),
        other => other,
    }
}

async fn assert_listed(release: &str, path: &str, fixture: &str) {
    let api = Api::with(|builder| builder.kubernetes(release)).await;
    let listed = api.get(path).await.body["items"].take();
    let recorded: Value = serde_json::from_str(fixture).unwrap();
    assert_eq!(masked(listed), recorded, "{release} {path}");
}

#[tokio::test]
async fn they_equal_those_of_real_servers() {
    assert_listed(
        "1.25",
        "v1beta1/prioritylevelconfigurations",
        include_str!("../fixtures/prioritylevelconfigurations-v1beta1-1.25.json"),
    )
    .await;
    assert_listed(
        "1.28",
        "v1beta3/prioritylevelconfigurations",
        include_str!("../fixtures/prioritylevelconfigurations-v1beta3-1.28.json"),
    )
    .await;
    assert_listed(
        "1.36",
        "v1/flowschemas",
        include_str!("../fixtures/flowschemas-v1-1.36.json"),
    )
    .await;
}

#[tokio::test]
async fn a_pass_repairs_restores_and_removes() {
    let api = Api::start().await;
    // A deleted mandatory object is created again, with another UID.
    let path = format!("{SCHEMAS}/catch-all");
    let before = api.get(&path).await.body;
    api.send("DELETE", &path, None).await;
    // A changed suggested object is repaired, unless the annotation forbids it.
    let mut changed = level("system", 99);
    changed["metadata"]["annotations"] = json!({ANNOTATION: "true"});
    api.send("PUT", &format!("{LEVELS}/system"), Some(changed))
        .await;
    let mut kept = level("node-high", 99);
    kept["metadata"]["annotations"] = json!({ANNOTATION: "false"});
    api.send("PUT", &format!("{LEVELS}/node-high"), Some(kept))
        .await;
    // Without the annotation a changed object is the operator's.
    api.send(
        "PUT",
        &format!("{LEVELS}/workload-low"),
        Some(level("workload-low", 99)),
    )
    .await;
    // An unknown object with the annotation is deleted.
    let mut stranger = schema("stranger");
    stranger["metadata"]["annotations"] = json!({ANNOTATION: "true"});
    api.send("POST", SCHEMAS, Some(stranger)).await;

    api.server.run_bootstrap_pass();

    let after = api.get(&path).await.body;
    assert_eq!(after["spec"], before["spec"]);
    assert_ne!(after["metadata"]["uid"], before["metadata"]["uid"]);
    for (name, shares, annotation) in [
        ("system", 30, "true"),
        ("node-high", 99, "false"),
        ("workload-low", 99, "false"),
    ] {
        let level = api.get(&format!("{LEVELS}/{name}")).await.body;
        assert_eq!(
            level["spec"]["limited"]["nominalConcurrencyShares"], shares,
            "{name}"
        );
        assert_eq!(
            level["metadata"]["annotations"][ANNOTATION], annotation,
            "{name}"
        );
    }
    assert_eq!(api.get(&format!("{SCHEMAS}/stranger")).await.code, 404);
}

#[tokio::test]
async fn they_can_be_disabled() {
    let api = Api::with(|builder| builder.bootstrap(false)).await;
    assert!(api.names(LEVELS).await.is_empty());
}
