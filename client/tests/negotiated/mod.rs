//! Objects in the version of the server.

use crate::script::{Reply, Script};
use k8s_flowcontrol::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol::client::{Negotiable, Negotiated};
use k8s_flowcontrol::{Error, GROUP, Release, Resource};
use serde_json::{Value, json};

type V1 = v1::PriorityLevelConfiguration;
type V1Beta2 = v1beta2::PriorityLevelConfiguration;

fn level<K: Resource>(spec: Value) -> K {
    serde_json::from_value(json!({"metadata": {"name": "x"}, "spec": spec})).unwrap()
}

fn group(served: &[&str]) -> String {
    let version = |name| json!({"groupVersion": format!("{GROUP}/{name}"), "version": name});
    let versions: Vec<_> = served.iter().map(version).collect();
    json!({"kind": "APIGroup", "apiVersion": "v1", "name": GROUP, "versions": versions}).to_string()
}

/// A server with these versions that does not name its release, and responds to all other requests with `reply`.
async fn agreed<K: Negotiable>(
    served: &[&str],
    reply: impl Fn() -> Reply + Send + 'static,
) -> (Script, Result<Negotiated<K>, Error>) {
    let group = group(served);
    let script = Script::new(move |request| match request.number {
        0 => Reply::ok(group.clone()),
        1 => Reply::new(403, ""),
        _ => reply(),
    });
    let agreed = script.client().negotiated().await;
    (script, agreed)
}

/// The fields that a write to a server with these versions would lose.
async fn losses<K: Negotiable>(served: &[&str], spec: Value) -> Vec<String> {
    let (script, levels) = agreed::<K>(served, || Reply::ok("{}")).await;
    let written = levels.unwrap().create(&level(spec)).await;
    let Err(error) = written else {
        return Vec::new();
    };
    assert!(error.is_lossy() && error.is_permanent(), "{error}");
    assert_eq!(script.sent().len(), 2, "nothing was sent");
    let losses = error.losses().iter();
    losses.map(|loss| loss.path.clone()).collect()
}

#[tokio::test]
async fn writes_that_would_lose() {
    let zero = || json!({"limited": {"nominalConcurrencyShares": 0}});
    let nominal = ["spec.limited.nominalConcurrencyShares"];
    assert!(losses::<V1>(&["v1", "v1beta3"], zero()).await.is_empty());
    // Servers before 1.29 do not know the annotation.
    assert_eq!(losses::<V1>(&["v1beta3", "v1beta2"], zero()).await, nominal);
    assert_eq!(losses::<V1>(&["v1beta2", "v1beta1"], zero()).await, nominal);

    let lending = || json!({"limited": {"lendablePercent": 5, "borrowingLimitPercent": 0}});
    let kept = losses::<V1>(&["v1beta3", "v1beta2"], lending()).await;
    assert!(kept.is_empty());
    assert_eq!(
        losses::<V1>(&["v1beta2", "v1beta1"], lending()).await,
        [
            "spec.limited.lendablePercent",
            "spec.limited.borrowingLimitPercent"
        ]
    );
    let exempt = json!({"exempt": {"lendablePercent": 5}});
    assert_eq!(losses::<V1>(&["v1beta3"], exempt).await, ["spec.exempt"]);

    // A zero that was read from a newer server must not come back as 30.
    let assured = || json!({"limited": {"assuredConcurrencyShares": 0}});
    assert_eq!(
        losses::<V1Beta2>(&["v1"], assured()).await,
        ["spec.limited.assuredConcurrencyShares"]
    );
    let kept = losses::<V1Beta2>(&["v1beta3", "v1beta2"], assured()).await;
    assert!(kept.is_empty());
}

#[tokio::test]
async fn a_lossy_write_is_sent_if_that_is_allowed() {
    let (script, levels) = agreed::<V1>(&["v1beta2", "v1beta1"], || Reply::ok("{}")).await;
    let levels = levels.unwrap();
    assert_eq!(levels.wire_version(), "v1beta2");
    let zero = level(json!({"limited": {"nominalConcurrencyShares": 0}}));
    let error = levels.create(&zero).await.unwrap_err().to_string();
    let path = "POST /apis/flowcontrol.apiserver.k8s.io/v1beta2/";
    assert!(error.starts_with(path), "{error}");

    levels.create(&zero).allow_loss().await.unwrap();
    let body = script.sent()[2].json();
    assert_eq!(body["spec"]["limited"]["assuredConcurrencyShares"], 0);
    levels.replace(&level(json!({}))).await.unwrap();
}

#[tokio::test]
async fn reading_reports_losses_with_their_place() {
    let body = json!({"items": [
        {"spec": {"limited": {"nominalConcurrencyShares": 5}}},
        {"spec": {"limited": {"nominalConcurrencyShares": 0}}},
    ]});
    let reply = move || Reply::ok(body.to_string());
    let (_script, levels) = agreed::<V1Beta2>(&["v1"], reply).await;
    let list = levels.unwrap().list().send().await.unwrap();
    let first = list.value().items[0].spec.limited.as_ref().unwrap();
    assert_eq!(first.assured_concurrency_shares, Some(5));
    assert_eq!(
        list.losses()[0].path,
        "items[1].spec.limited.nominalConcurrencyShares"
    );
}

/// The error of a server of v1beta2 for a request in v1.
async fn error_of(status: Value) -> Error {
    let code = status["code"].as_u64().unwrap() as u16;
    let reply = move || Reply::new(code, status.to_string());
    let (_script, levels) = agreed::<V1>(&["v1beta2"], reply).await;
    levels
        .unwrap()
        .replace(&level(json!({})))
        .await
        .unwrap_err()
}

#[tokio::test]
async fn paths_of_causes_are_those_of_the_type() {
    let assured = "spec.limited.assuredConcurrencyShares";
    let error = error_of(json!({
        "kind": "Status", "code": 422,
        "message": format!("x: {assured}: Invalid value: -1"),
        "details": {"causes": [{"field": assured, "message": "Invalid value: -1"}, {"field": "spec.type"}]},
    }))
    .await;
    let causes = error.causes().iter();
    let fields: Vec<_> = causes
        .map(|cause| cause.field.as_deref().unwrap())
        .collect();
    assert_eq!(
        fields,
        ["spec.limited.nominalConcurrencyShares", "spec.type"]
    );
    let text = error.to_string();
    let expected = "spec.limited.nominalConcurrencyShares: Invalid value";
    assert!(text.contains(expected), "{text}");
}

#[tokio::test]
async fn paths_of_conflicts_are_mapped_and_quoted_values_are_not() {
    let assured = "spec.limited.assuredConcurrencyShares";
    let error = error_of(json!({
        "kind": "Status", "code": 409, "reason": "Conflict",
        "message": format!("conflict with \"{assured}\": .{assured}"),
        "details": {"causes": [{"field": format!(".{assured}")}]},
    }))
    .await;
    assert_eq!(
        error.causes()[0].field.as_deref(),
        Some(".spec.limited.nominalConcurrencyShares")
    );
    let message = error.status().unwrap().message.as_deref();
    let expected = format!("conflict with \"{assured}\": .spec.limited.nominalConcurrencyShares");
    assert_eq!(message, Some(&*expected));
}

#[tokio::test]
async fn the_own_version_first_then_the_newest() {
    async fn chosen<K: Negotiable>(served: &[&str]) -> Option<&'static str> {
        let (_script, agreed) = agreed::<K>(served, || Reply::ok("{}")).await;
        agreed.ok().map(|agreed| agreed.wire_version())
    }
    type V1Beta1 = v1beta1::FlowSchema;
    type V1Beta3 = v1beta3::FlowSchema;
    assert_eq!(chosen::<V1>(&["v1", "v1beta3"]).await, Some("v1"));
    assert_eq!(chosen::<V1Beta3>(&["v1", "v1beta3"]).await, Some("v1beta3"));
    assert_eq!(chosen::<V1>(&["v1beta1", "v1beta2"]).await, Some("v1beta2"));
    assert_eq!(chosen::<V1Beta1>(&["v1", "v2"]).await, Some("v1"));
    assert_eq!(chosen::<V1>(&["v2"]).await, None);
    assert_eq!(chosen::<V1>(&[]).await, None);
}

/// The minor release of a server that describes itself this way and serves these versions.
async fn release(major: &str, minor: &str, served: &[&str]) -> Option<u32> {
    let info = json!({"major": major, "minor": minor, "gitVersion": ""});
    let replies = [Reply::ok(info.to_string()), Reply::ok(group(served))];
    let release = Script::of(replies).client().release().await;
    release.ok().map(Release::minor)
}

#[tokio::test]
async fn the_release_of_a_server() {
    let named = async |minor| release("1", minor, &[]).await;
    assert_eq!(named("27").await, Some(27));
    assert_eq!(named("28+").await, Some(28));
    assert_eq!(named("99").await, Some(Release::NEWEST.minor()));
    assert_eq!(named("18").await, Some(Release::OLDEST.minor()));
    assert_eq!(named("").await, None);
    // Without a name, the oldest release with the versions.
    for (major, minor) in [("1", ""), ("2", "1")] {
        let with = async |served: &[&str]| release(major, minor, served).await;
        assert_eq!(with(&["v1beta3", "v1beta2"]).await, Some(26));
        assert_eq!(with(&["v1", "v1beta3"]).await, Some(29));
        assert_eq!(with(&["v1beta2", "v1beta1"]).await, Some(25));
        assert_eq!(with(&[]).await, None);
    }
}

#[tokio::test]
async fn only_the_version_of_a_path_changes() {
    let v1 = group(&["v1"]);
    let missing = || Reply::new(404, "404 page not found\n");
    let replies = [
        Reply::ok(group(&["v1beta3"])),
        Reply::new(403, ""),
        missing(),
        Reply::ok(v1),
        Reply::new(403, ""),
        Reply::ok(r#"{"metadata":{"name":"v1beta3"},"spec":{}}"#),
    ];
    let script = Script::of(replies);
    let schemas = script
        .client()
        .negotiated::<v1::FlowSchema>()
        .await
        .unwrap();
    schemas.get("v1beta3").await.unwrap();
    let paths: Vec<_> = script
        .sent()
        .iter()
        .map(|request| request.target().to_owned())
        .collect();
    let path = |version: &str| format!("/apis/{GROUP}/{version}/flowschemas/v1beta3");
    assert_eq!((&paths[2], &paths[5]), (&path("v1beta3"), &path("v1")));
}
