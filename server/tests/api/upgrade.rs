//! Upgrades and downgrades of a server.

use crate::api::support::{Answer, Api, GROUP, LEVELS, SCHEMAS, answer, level, schema};
use k8s_flowcontrol_server::Fault;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const MERGE: &str = "application/merge-patch+json";

async fn start(release: &str) -> Api {
    Api::with(|builder| builder.kubernetes(release)).await
}

/// A level of a version up to v1beta2.
fn old_level(name: &str, version: &str) -> Value {
    let mut level = level(name, 7);
    level["apiVersion"] = format!("{GROUP}/{version}").into();
    let limited = level["spec"]["limited"].as_object_mut().unwrap();
    let shares = limited.remove("nominalConcurrencyShares").unwrap();
    limited.insert("assuredConcurrencyShares".into(), shares);
    level
}

fn revision(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str().unwrap();
    text.parse().unwrap()
}

/// The resource versions of all objects, by plural and name.
async fn revisions(api: &Api, version: &str) -> BTreeMap<(&'static str, String), u64> {
    let mut revisions = BTreeMap::new();
    for plural in ["flowschemas", "prioritylevelconfigurations"] {
        let list = api.get(&format!("{version}/{plural}")).await.body;
        for object in list["items"].as_array().unwrap() {
            let name = object["metadata"]["name"].as_str().unwrap().to_owned();
            revisions.insert((plural, name), revision(object));
        }
    }
    revisions
}

/// The objects that an upgrade wrote or deleted, by plural and name.
async fn changed_by_upgrade(
    from: (&str, &str),
    to: (&str, &str),
) -> BTreeSet<(&'static str, String)> {
    let api = start(from.0).await;
    let before = revisions(&api, from.1).await;
    api.server.upgrade(to.0).await.unwrap();
    let after = revisions(&api, to.1).await;
    let names = before.keys().chain(after.keys()).cloned();
    names
        .filter(|name| before.get(name) != after.get(name))
        .collect()
}

#[tokio::test]
async fn an_upgrade_writes_only_the_bootstrap_objects_that_changed() {
    let names = |changed: &[(&'static str, &str)]| -> BTreeSet<_> {
        let owned = |&(plural, name): &(&'static str, &str)| (plural, name.to_owned());
        changed.iter().map(owned).collect()
    };
    let levels = |names: [&'static str; 5]| names.map(|name| ("prioritylevelconfigurations", name));
    // Five levels get lendable percentages.
    assert_eq!(
        changed_by_upgrade(("1.25", "v1beta2"), ("1.27", "v1beta3")).await,
        names(&levels([
            "global-default",
            "node-high",
            "system",
            "workload-high",
            "workload-low"
        ]))
    );
    // The level gets `exempt`; until then its FlowSchemas dangle.
    assert_eq!(
        changed_by_upgrade(("1.27", "v1beta3"), ("1.28", "v1beta3")).await,
        names(&[
            ("flowschemas", "exempt"),
            ("flowschemas", "probes"),
            ("prioritylevelconfigurations", "exempt")
        ])
    );
    assert_eq!(
        changed_by_upgrade(("1.28", "v1beta3"), ("1.29", "v1")).await,
        names(&[])
    );
    let gone = names(&[
        ("flowschemas", "endpoint-controller"),
        ("flowschemas", "workload-leader-election"),
    ]);
    let up = changed_by_upgrade(("1.31", "v1"), ("1.36", "v1")).await;
    assert_eq!(up, gone);
    let down = changed_by_upgrade(("1.36", "v1"), ("1.31", "v1")).await;
    assert_eq!(down, gone);
}

#[tokio::test]
async fn an_upgrade_keeps_an_operators_changes_of_bootstrap_objects() {
    let api = start("1.25").await;
    let path = "v1beta2/prioritylevelconfigurations/system";
    let mine = json!({
        "metadata": {"annotations": {"apf.kubernetes.io/autoupdate-spec": "false"}},
        "spec": {"limited": {"assuredConcurrencyShares": 99}},
    });
    api.patch(path, MERGE, mine).await;
    api.server.upgrade("1.29").await.unwrap();
    let limited = |name: &str| format!("{LEVELS}/{name}");
    let system = api.get(&limited("system")).await.body;
    assert_eq!(system["spec"]["limited"]["nominalConcurrencyShares"], 99);
    assert_eq!(system["spec"]["limited"]["lendablePercent"], 0);
    let node_high = api.get(&limited("node-high")).await.body;
    assert_eq!(node_high["spec"]["limited"]["lendablePercent"], 25);
}

#[tokio::test]
async fn the_first_write_stores_an_object_again_even_without_a_change() {
    let api = start("1.25").await;
    let collection = "v1beta1/prioritylevelconfigurations?fieldManager=tool";
    let created = api
        .send("POST", collection, Some(old_level("a", "v1beta1")))
        .await;
    let created = created.body;
    api.server.upgrade("1.27").await.unwrap();

    // A read changes nothing, and still shows the version that is not served any more.
    let path = "v1beta3/prioritylevelconfigurations/a";
    let read = api.get(path).await.body;
    assert_eq!(revision(&read), revision(&created));
    assert_eq!(read["spec"]["limited"]["nominalConcurrencyShares"], 7);
    assert_eq!(
        read["metadata"]["managedFields"],
        created["metadata"]["managedFields"]
    );

    let written = api.patch(path, MERGE, json!({})).await.body;
    assert!(revision(&written) > revision(&read));
    assert_eq!(written["metadata"].get("managedFields"), None);
    assert_eq!(written["metadata"]["generation"], 1);
    let again = api.send("PUT", path, Some(written.clone())).await.body;
    assert_eq!(again, written);
}

#[tokio::test]
async fn a_served_version_keeps_its_managers() {
    let api = start("1.25").await;
    let path = "v1beta2/prioritylevelconfigurations/a?fieldManager=tool";
    let applied = api.apply(path, old_level("a", "v1beta2")).await.body;
    api.server.upgrade("1.27").await.unwrap();
    let again = api.apply(path, old_level("a", "v1beta2")).await.body;
    // The object is stored in another form, but clients see no change.
    assert!(revision(&again) > revision(&applied));
    assert_eq!(
        again["metadata"]["managedFields"],
        applied["metadata"]["managedFields"]
    );
    let third = api.apply(path, old_level("a", "v1beta2")).await.body;
    assert_eq!(third, again);

    // 1.29 does not know v1beta2, so the manager starts again.
    api.server.upgrade("1.29").await.unwrap();
    let path = format!("{LEVELS}/a?fieldManager=tool");
    let moved = api.apply(&path, level("a", 7)).await.body;
    let entries = moved["metadata"]["managedFields"].as_array().unwrap();
    let versions: Vec<_> = entries.iter().map(|entry| &entry["apiVersion"]).collect();
    assert_eq!(versions, [&json!(format!("{GROUP}/v1"))]);
}

#[tokio::test]
async fn the_annotation_of_zero_shares_takes_effect_in_1_29() {
    const ANNOTATION: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
    let api = start("1.28").await;
    let mut annotated = level("a", 7);
    annotated["apiVersion"] = format!("{GROUP}/v1beta3").into();
    annotated["metadata"]["annotations"] = json!({ANNOTATION: ""});
    let path = "v1beta3/prioritylevelconfigurations";
    let created = api.send("POST", path, Some(annotated)).await.body;
    assert_eq!(created["metadata"]["annotations"], json!({ANNOTATION: ""}));
    api.server.upgrade("1.29").await.unwrap();
    let path = format!("{path}/a");
    let read = api.get(&path).await.body;
    assert_eq!(read["metadata"].get("annotations"), None);
    // The annotation is still stored, so a write without a change stores the object again.
    let written = api.patch(&path, MERGE, json!({})).await.body;
    assert!(revision(&written) > revision(&read));
}

#[tokio::test]
async fn the_address_and_kubeconfig_stay() {
    let api = Api::with(|builder| builder.kubernetes("1.28").record_requests()).await;
    let (url, kubeconfig) = (api.server.url(), api.server.kubeconfig());
    let hash = |document: &Value| document["resources"][0]["storageVersionHash"].clone();
    let path = "v1beta3/flowschemas";
    let before = api.get(path).await.body;
    assert_eq!(hash(&api.get("v1beta3").await.body), "9NnFrw7ZEmA=");
    let watch = format!("/apis/{GROUP}/{path}?watch=true&resourceVersion=");
    let past = revision(&before);
    let open = api.request("GET", &format!("{watch}{past}")).send().await;
    api.server.inject(Fault::unavailable());

    api.server.upgrade("1.31").await.unwrap();

    assert_eq!(
        (api.server.url(), api.server.kubeconfig()),
        (url, kubeconfig)
    );
    // The watch has ended.
    assert_eq!(open.text().await, "");
    assert_eq!(api.get(path).await.code, 503);
    assert_eq!(api.get("v1beta2/flowschemas").await.code, 404);
    assert_eq!(hash(&api.get("v1").await.body), "GJVAJZSZBIw=");
    assert!(api.server.requests().len() >= 5);
    let served: Vec<_> = api.get("").await.body["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["version"].clone())
        .collect();
    assert_eq!(served, ["v1", "v1beta3"]);
}

#[tokio::test]
async fn resource_versions_continue_and_the_history_expires() {
    let api = start("1.28").await;
    let past = revision(&api.get("v1beta3/flowschemas").await.body);
    let mut late = schema("late");
    late["apiVersion"] = format!("{GROUP}/v1beta3").into();
    let late = api.send("POST", "v1beta3/flowschemas", Some(late)).await;
    assert_eq!(late.code, 201);
    api.server.upgrade("1.29").await.unwrap();

    let now = revision(&api.get(SCHEMAS).await.body);
    assert!(now > revision(&late.body));
    let watch = format!("/apis/{GROUP}/{SCHEMAS}?watch=true&timeoutSeconds=1&resourceVersion=");
    let events = api.request("GET", &format!("{watch}{past}")).send().await;
    let event: Value = serde_json::from_str(&events.text().await).unwrap();
    assert_eq!(event["type"], "ERROR");
    assert_eq!(event["object"]["code"], 410);
    let list = format!("{SCHEMAS}?resourceVersionMatch=Exact&resourceVersion={past}");
    assert_eq!(api.get(&list).await.code, 410);
    // A watch from the present revision gets new events.
    let mut watch = api.request("GET", &format!("{watch}{now}")).send().await;
    api.send("POST", SCHEMAS, Some(schema("next"))).await;
    let event = String::from_utf8(watch.chunk().await.unwrap().into()).unwrap();
    assert!(event.starts_with("{\"type\":\"ADDED\""), "{event}");
}

fn assert_unreadable(answer: &Answer, kind: &str, what: &str) {
    assert_eq!(answer.code, 500, "{what}");
    let expected = format!(
        "no kind \"{kind}\" is registered for version \"{GROUP}/v1\" in scheme \
         \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\""
    );
    assert_eq!(answer.body["message"], expected, "{what}");
    assert_eq!(answer.body.get("reason"), None, "{what}");
}

#[tokio::test]
async fn an_older_release_cannot_decode_a_newer_version() {
    let api = start("1.28").await;
    api.server.upgrade("1.31").await.unwrap();
    api.send("POST", LEVELS, Some(level("new", 7))).await;
    api.server.upgrade("1.28").await.unwrap();

    let kind = "PriorityLevelConfiguration";
    let old = "v1beta3/prioritylevelconfigurations";
    let path = format!("{old}/new");
    let mut body = level("new", 8);
    body["apiVersion"] = format!("{GROUP}/v1beta3").into();
    assert_eq!(api.send("POST", old, Some(body.clone())).await.code, 409);
    for (method, path, body) in [
        ("GET", &path, None),
        ("PUT", &path, Some(body.clone())),
        ("DELETE", &path, None),
        ("GET", &old.to_owned(), None),
        ("DELETE", &format!("{old}?labelSelector=a=b"), None),
    ] {
        let answer = api.send(method, path, body).await;
        assert_unreadable(&answer, kind, &format!("{method} {path}"));
    }
    let patched = api.patch(&path, MERGE, json!({})).await;
    assert_unreadable(&patched, kind, "PATCH");
    let path_of_tool = format!("{path}?fieldManager=tool&force=true");
    let applied = api.apply(&path_of_tool, body).await;
    assert_unreadable(&applied, kind, "apply");

    // A page before the object succeeds, and counts it in the remaining items.
    let page = api.get(&format!("{old}?limit=3")).await;
    assert_eq!(page.code, 200);
    assert_eq!(page.body["metadata"]["remainingItemCount"], 6);
    assert_eq!(api.get(&format!("{old}/system")).await.code, 200);
    let watch = api.get(&format!("{old}?watch=true&timeoutSeconds=1")).await;
    assert_eq!(watch.code, 503);
    assert_eq!(watch.body["message"], "context deadline exceeded");
    // The server's controllers stop, and its health checks fail.
    for (check, failures) in [("livez", 1), ("readyz", 2)] {
        let health = answer(api.request("GET", &format!("/{check}"))).await;
        assert_eq!(health.code, 500);
        let report = health.body.as_str().unwrap_or_default();
        assert_eq!(report.matches("[-]").count(), failures, "{report}");
        let failed =
            "[-]poststarthook/priority-and-fairness-config-producer failed: reason withheld\n";
        assert!(report.contains(failed), "{report}");
        assert!(
            report.ends_with(&format!("\n{check} check failed\n")),
            "{report}"
        );
    }
    api.send("DELETE", &format!("{old}/system"), None).await;
    api.server.run_bootstrap_pass();
    assert_eq!(api.get(&format!("{old}/system")).await.code, 404);

    // Nothing is lost: the newer release continues.
    api.server.upgrade("1.31").await.unwrap();
    let read = api.get(&format!("{LEVELS}/new")).await.body;
    assert_eq!(read["spec"]["limited"]["nominalConcurrencyShares"], 7);
    assert_eq!(api.get(&format!("{LEVELS}/system")).await.code, 200);
    assert_eq!(answer(api.request("GET", "/readyz")).await.code, 200);
}

#[tokio::test]
async fn unknown_fields_stay_in_storage_until_an_older_release_writes() {
    let api = start("1.28").await;
    let path = "v1beta3/prioritylevelconfigurations/exempt";
    let exempt = json!({"spec": {"exempt": {"nominalConcurrencyShares": 5}}});
    api.patch(path, MERGE, exempt).await;
    api.server.upgrade("1.27").await.unwrap();
    let read = api.get(path).await.body;
    assert_eq!(read["spec"], json!({"type": "Exempt"}));
    api.server.upgrade("1.28").await.unwrap();
    let shares = |object: &Value| object["spec"]["exempt"]["nominalConcurrencyShares"].clone();
    assert_eq!(shares(&api.get(path).await.body), 5);
    api.server.upgrade("1.27").await.unwrap();
    let label = json!({"metadata": {"labels": {"a": "b"}}});
    api.patch(path, MERGE, label).await;
    api.server.upgrade("1.28").await.unwrap();
    assert_eq!(shares(&api.get(path).await.body), 0);
}

#[tokio::test]
async fn an_unknown_release_changes_nothing() {
    let api = start("1.28").await;
    let error = api.server.upgrade("2.0").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the API server cannot start: `2.0` is not a known Kubernetes release: expected 1.25 to 1.37"
    );
    let version = answer(api.request("GET", "/version")).await.body;
    assert_eq!(version["minor"], "28");
}

#[tokio::test]
async fn upgrades_can_be_requested_at_the_same_time() {
    let api = start("1.28").await;
    let (first, second) = tokio::join!(api.server.upgrade("1.29"), api.server.upgrade("1.30"));
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(api.get(SCHEMAS).await.code, 200);
}
