//! An object in several versions.

use crate::api::support::{Api, GROUP, LEVELS, level};
use serde_json::{Value, json};

const ANNOTATION: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

fn limited(object: &Value) -> &Value {
    &object["spec"]["limited"]
}

#[tokio::test]
async fn zero_shares_survive_in_v1beta3_by_an_annotation() {
    let api = Api::with(|builder| builder.kubernetes("1.31")).await;
    api.send("POST", LEVELS, Some(level("zero", 0))).await;
    let path = "v1beta3/prioritylevelconfigurations/zero";
    let old = api.get(path).await.body;
    assert_eq!(limited(&old)["nominalConcurrencyShares"], 0);
    assert_eq!(old["metadata"]["annotations"], json!({ANNOTATION: ""}));
    let back = api.send("PUT", path, Some(old.clone())).await.body;
    assert_eq!(back, old);

    let mut bare = old;
    bare["metadata"]["annotations"] = json!({});
    api.send("PUT", path, Some(bare)).await;
    let new = api.get(&format!("{LEVELS}/zero")).await.body;
    assert_eq!(limited(&new)["nominalConcurrencyShares"], 30);
}

#[tokio::test]
async fn shares_have_another_name_in_older_versions() {
    let api = Api::with(|builder| builder.all_versions()).await;
    api.send("POST", LEVELS, Some(level("mine", 7))).await;
    for version in ["v1beta1", "v1beta2"] {
        let path = format!("{version}/prioritylevelconfigurations/mine");
        let old = api.get(&path).await.body;
        assert_eq!(old["apiVersion"], format!("{GROUP}/{version}"));
        assert_eq!(limited(&old)["assuredConcurrencyShares"], 7);
        assert_eq!(limited(&old).get("nominalConcurrencyShares"), None);
    }
}

#[tokio::test]
async fn a_release_serves_its_versions_and_warns_of_the_old_ones() {
    for (release, served, gone) in [
        ("1.25", ["v1beta2", "v1beta1"], "v1"),
        ("1.28", ["v1beta3", "v1beta2"], "v1"),
        ("1.29", ["v1", "v1beta3"], "v1beta2"),
    ] {
        let api = Api::with(|builder| builder.kubernetes(release)).await;
        let group = api.get("").await.body;
        let versions: Vec<_> = group["versions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v["version"].clone())
            .collect();
        assert_eq!(versions, served, "{release}");
        assert_eq!(group["preferredVersion"]["version"], served[0]);
        assert_eq!(api.get(&format!("{gone}/flowschemas")).await.code, 404);
        let old = api.get(&format!("{}/flowschemas/exempt", served[1])).await;
        assert_eq!(old.warnings.len(), 1, "{release}");
        let new = api.get(&format!("{}/flowschemas/exempt", served[0])).await;
        assert_eq!(new.warnings.len(), 0, "{release}");
    }
}
