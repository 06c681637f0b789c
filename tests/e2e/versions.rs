//! One object in several versions, per release.

use crate::e2e::support::{object, release, sample, unique};
use k8s_flowcontrol::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::{GROUP, Resource};
use serde_json::json;

const PRESERVE_ZERO: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

#[tokio::test]
async fn each_release_serves_its_versions_and_prefers_the_newest() {
    for (name, versions) in [
        ("1.25", &["v1beta2", "v1beta1"][..]),
        ("1.26", &["v1beta3", "v1beta2"]),
        ("1.28", &["v1beta3", "v1beta2"]),
        ("1.29", &["v1", "v1beta3"]),
        ("1.31", &["v1", "v1beta3"]),
        ("1.32", &["v1"]),
        ("1.37", &["v1"]),
    ] {
        let (_server, client) = release(name).await;
        let group = client.api_group(GROUP).await.unwrap();
        let served: Vec<_> = group
            .versions
            .iter()
            .map(|version| &*version.version)
            .collect();
        assert_eq!(served, versions, "{name}");
        assert_eq!(
            group.preferred_version.unwrap().version,
            versions[0],
            "{name}"
        );
        for version in versions {
            let resources = client.api_resources(GROUP, version).await.unwrap();
            let names: Vec<_> = resources
                .resources
                .iter()
                .map(|resource| &*resource.name)
                .collect();
            assert_eq!(
                names,
                [
                    "flowschemas",
                    "flowschemas/status",
                    "prioritylevelconfigurations",
                    "prioritylevelconfigurations/status"
                ]
            );
        }
    }
}

#[tokio::test]
async fn every_served_version_reads_an_object_of_another() {
    let (_server, client) = release("1.25").await;
    shared_name::<v1beta1::PriorityLevelConfiguration, v1beta2::PriorityLevelConfiguration>(
        &client,
    )
    .await;
    let (_server, client) = release("1.28").await;
    shared_name::<v1beta2::PriorityLevelConfiguration, v1beta3::PriorityLevelConfiguration>(
        &client,
    )
    .await;
    shared_name::<v1beta3::FlowSchema, v1beta2::FlowSchema>(&client).await;
    let (_server, client) = release("1.31").await;
    shared_name::<v1beta3::PriorityLevelConfiguration, v1::PriorityLevelConfiguration>(&client)
        .await;
    shared_name::<v1::FlowSchema, v1beta3::FlowSchema>(&client).await;
}

async fn shared_name<A: Resource, B: Resource>(client: &Client) {
    let name = unique("versions");
    let created = client.api::<A>().create(&sample(&name)).await.unwrap();
    let read = client.api::<B>().get(&name).await.unwrap();
    assert_eq!(created.metadata().uid, read.metadata().uid);
    let expected: B = sample(&name);
    let shares = |tree: serde_json::Value| {
        let limited = tree["spec"]["limited"].clone();
        [
            limited["assuredConcurrencyShares"].clone(),
            limited["nominalConcurrencyShares"].clone(),
        ]
    };
    let read = serde_json::to_value(&read).unwrap();
    assert_eq!(
        shares(read),
        shares(serde_json::to_value(&expected).unwrap())
    );
    client.api::<A>().delete(&name).await.unwrap();
}

#[tokio::test]
async fn zero_shares_travel_between_v1_and_v1beta3() {
    let (_server, client) = release("1.31").await;
    let name = unique("zero");
    let mut zero: v1::PriorityLevelConfiguration = sample(&name);
    zero.spec
        .limited
        .as_mut()
        .unwrap()
        .nominal_concurrency_shares = Some(0);
    client
        .priority_level_configurations()
        .create(&zero)
        .await
        .unwrap();

    let old = client.api::<v1beta3::PriorityLevelConfiguration>();
    let mut level = old.get(&name).await.unwrap();
    assert_eq!(
        level
            .metadata
            .annotations
            .get(PRESERVE_ZERO)
            .map(String::as_str),
        Some("")
    );
    assert_eq!(
        level
            .spec
            .limited
            .as_ref()
            .unwrap()
            .nominal_concurrency_shares,
        Some(0)
    );
    level.metadata.annotations.clear();
    let thirty = old.replace(&level).await.unwrap();
    assert_eq!(
        thirty.spec.limited.unwrap().nominal_concurrency_shares,
        Some(30)
    );
}

#[tokio::test]
async fn v1_types_speak_to_servers_that_do_not_know_v1() {
    let (_server, client) = release("1.28").await;
    let levels = client
        .negotiated::<v1::PriorityLevelConfiguration>()
        .await
        .unwrap();
    assert_eq!(levels.wire_version(), "v1beta3");

    let (_server, client) = release("1.25").await;
    let levels = client
        .negotiated::<v1::PriorityLevelConfiguration>()
        .await
        .unwrap();
    assert_eq!(levels.wire_version(), "v1beta2");
    let name = unique("negotiated");
    let created = levels.create(&sample(&name)).await.unwrap();
    assert_eq!(
        created.spec.limited.unwrap().nominal_concurrency_shares,
        Some(5)
    );
    let on_the_wire = client
        .api::<v1beta2::PriorityLevelConfiguration>()
        .get(&name)
        .await
        .unwrap();
    assert_eq!(
        on_the_wire.spec.limited.unwrap().assured_concurrency_shares,
        Some(5)
    );

    let zero: v1::PriorityLevelConfiguration = object(json!({
        "metadata": {"name": name},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}}},
    }));
    let lossy = levels.replace(&zero).await.unwrap_err();
    assert!(lossy.is_lossy() && lossy.code().is_none(), "{lossy}");
    assert_eq!(lossy.losses().len(), 1);
    let thirty = levels.replace(&zero).allow_loss().await.unwrap();
    assert_eq!(
        thirty.spec.limited.unwrap().nominal_concurrency_shares,
        Some(30)
    );
}

#[tokio::test]
async fn deprecated_versions_come_with_a_warning() {
    let (_server, client) = release("1.29").await;
    let old = client
        .api::<v1beta3::FlowSchema>()
        .list()
        .send()
        .await
        .unwrap();
    let warnings: Vec<_> = old.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in \
             v1.32+; use flowcontrol.apiserver.k8s.io/v1 FlowSchema"
        ]
    );
    let new = client.flow_schemas().list().send().await.unwrap();
    assert!(new.warnings().is_empty());
}
