//! Leases of `coordination.k8s.io/v1`, and an invented group, on the embedded server: types, client and
//! server all come from documents.
//!
//! `tests/generated/leases` is what the generator makes of the document there;
//! `UPDATE_GOLDEN=1 cargo test --test workspace leases` rewrites it.

use crate::generation::generated_leases::{
    self,
    coordination_v1::{Lease, LeaseSpec},
};
use crate::generation::generated_zoo::{
    self,
    zoo_v1::{Keeper, KeeperSpec, Shift},
};
use k8s_flowcontrol::meta::MicroTime;
use k8s_flowcontrol::watch::{Store, WatchEvent};
use k8s_flowcontrol::{Client, FieldValidation};
use k8s_flowcontrol_codegen::Generator;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use std::path::Path;

async fn server() -> (ApiServer, Client) {
    let server = ApiServer::builder()
        .serve(generated_leases::coordination_v1::RESOURCES)
        .serve(generated_zoo::zoo_v1::RESOURCES)
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    (server, client)
}

fn lease(name: &str, holder: &str) -> Lease {
    let mut lease = Lease {
        spec: Some(LeaseSpec {
            holder_identity: Some(holder.to_owned()),
            lease_duration_seconds: Some(15),
            renew_time: Some(MicroTime::from("2026-11-21T06:23:00.000000Z")),
            ..LeaseSpec::default()
        }),
        ..Lease::default()
    };
    lease.metadata.name = Some(name.to_owned());
    lease
}

#[tokio::test]
async fn other_groups_have_no_protocol_buffers() {
    let (_server, client) = server().await;
    let get = async |accept: &str| {
        let path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
        client.get_raw(path).accept(accept).await
    };
    let protobuf = "application/vnd.kubernetes.protobuf";
    let json = get(&format!("{protobuf},application/json")).await.unwrap();
    assert!(json.starts_with(b"{\"kind\":\"LeaseList\""));
    assert_eq!(get(protobuf).await.unwrap_err().code(), Some(406));
}

#[test]
fn the_checked_in_modules_are_what_is_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated/leases");
    let generated = Generator::new()
        .file(&folder.join("coordination.json"))
        // The client re-exports all that generated code needs.
        .and_then(|generator| generator.runtime("::k8s_flowcontrol").generate())
        .unwrap();
    // The client has its own copy, which needs the types only.
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("client/src/controller/lease");
    let of_client = |(name, text): &(String, String)| {
        let text = text.replace("::k8s_flowcontrol::", "::k8s_flowcontrol_types::");
        (own.join(name), text)
    };
    let own = generated.files.iter().filter(|(name, _)| name != "mod.rs");
    let own: Vec<_> = own.map(of_client).collect();
    let files = generated.files.iter();
    let files = files.map(|(name, text)| (folder.join(name), text.clone()));
    for (path, text) in files.chain(own) {
        let name = path.display();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, text).unwrap();
        } else {
            let golden = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                golden == text,
                "{name} is not what is generated; see what UPDATE_GOLDEN=1 changes"
            );
        }
    }
}

#[tokio::test]
async fn a_lease_is_taken_renewed_and_given_up() {
    let (_server, client) = server().await;
    let north = client.namespaced_api::<Lease>("north");
    let created = north.create(&lease("leader", "a")).await.unwrap();
    assert_eq!(created.metadata.namespace.as_deref(), Some("north"));
    assert_eq!(created.metadata.generation, None);
    let again = north.create(&lease("leader", "b")).await.unwrap_err();
    assert!(again.is_already_exists(), "{again}");

    let mut mine = north.get("leader").await.unwrap();
    mine.spec.get_or_insert_default().lease_transitions = Some(0);
    let renewed = north.replace(&mine).await.unwrap();
    assert_eq!(
        renewed.spec.as_ref().unwrap().lease_transitions,
        Some(0),
        "a zero is not an absence"
    );
    let stale = north.replace(&mine).await.unwrap_err();
    assert!(stale.is_conflict(), "{stale}");

    let patched = north
        .patch("leader")
        .merge(&json!({ "spec": { "holderIdentity": "b", "leaseTransitions": null } }))
        .await
        .unwrap();
    let spec = patched.spec.unwrap();
    assert_eq!(spec.holder_identity.as_deref(), Some("b"));
    assert_eq!(spec.lease_transitions, None);
    assert_eq!(
        spec.renew_time.unwrap().as_str(),
        "2026-11-21T06:23:00.000000Z"
    );

    north.delete("leader").await.unwrap();
    assert!(north.get("leader").await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn namespaces_are_apart_and_can_be_seen_together() {
    let (_server, client) = server().await;
    let (north, south) = (
        client.namespaced_api::<Lease>("north"),
        client.namespaced_api::<Lease>("south"),
    );
    let everywhere = client.api::<Lease>();
    let start = everywhere.list().await.unwrap().metadata.resource_version;
    north.create(&lease("leader", "a")).await.unwrap();
    south.create(&lease("leader", "b")).await.unwrap();
    south.create(&lease("other", "c")).await.unwrap();

    assert_eq!(north.list().await.unwrap().items.len(), 1);
    assert_eq!(south.list().await.unwrap().items.len(), 2);
    assert_eq!(south.metadata().list().await.unwrap().items.len(), 2);
    let mut pages = everywhere.list().limit(2).pages();
    let mut sizes = Vec::new();
    while let Some(page) = pages.next().await {
        sizes.push(page.unwrap().items.len());
    }
    assert_eq!(sizes, [2, 1]);

    let mut events = south
        .watch()
        .resource_version(start.unwrap())
        .await
        .unwrap();
    for wanted in ["leader", "other"] {
        let Some(Ok(WatchEvent::Added { object: lease, .. })) = events.next().await else {
            panic!("the watch did not return {wanted}");
        };
        assert_eq!(lease.metadata.name.as_deref(), Some(wanted));
        assert_eq!(lease.metadata.namespace.as_deref(), Some("south"));
    }

    south.delete_collection().await.unwrap();
    assert_eq!(everywhere.list().await.unwrap().items.len(), 1);

    let mut stray = lease("stray", "d");
    stray.metadata.namespace = Some("west".to_owned());
    let error = north.create(&stray).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("does not match the namespace sent on the request"),
        "{error}"
    );
}

#[tokio::test]
async fn what_is_wrong_is_refused() {
    let (_server, client) = server().await;
    let north = client.namespaced_api::<Lease>("north");
    let error = north.create(&lease("Not A Name", "a")).await.unwrap_err();
    assert!(error.is_invalid(), "{error}");
    assert_eq!(error.causes()[0].field.as_deref(), Some("metadata.name"));
    let typo: Lease = serde_json::from_value(
        json!({ "metadata": { "name": "typo" }, "spec": { "holder": "a" } }),
    )
    .unwrap();
    let error = north
        .create(&typo)
        .field_validation(FieldValidation::Strict)
        .await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("unknown field \"spec.holder\""), "{error}");
}

#[tokio::test]
async fn apply_merges_by_the_keys_of_the_document() {
    let (_server, client) = server().await;
    let keepers = client.namespaced_api::<Keeper>("north");
    let keeper = |shifts: &[(&str, i32)]| {
        let mut keeper = Keeper {
            spec: Some(KeeperSpec {
                shifts: shifts
                    .iter()
                    .map(|(day, hours)| Shift {
                        day: (*day).to_owned(),
                        part: "am".into(),
                        hours: Some((*hours).into()),
                        ..Shift::default()
                    })
                    .collect(),
                ..KeeperSpec::default()
            }),
            ..Keeper::default()
        };
        keeper.metadata.name = Some("ann".to_owned());
        keeper
    };
    let by_a = keeper(&[("mon", 1)]);
    keepers.apply(&by_a).field_manager("a").await.unwrap();
    let by_b = keeper(&[("tue", 2)]);
    let both = keepers.apply(&by_b).field_manager("b").await.unwrap();
    let days: Vec<_> = both
        .spec
        .unwrap()
        .shifts
        .into_iter()
        .map(|s| s.day)
        .collect();
    assert_eq!(days, ["mon", "tue"]);
    assert_eq!(both.metadata.generation, Some(2));
    let other = keeper(&[("mon", 3)]);
    let conflict = keepers.apply(&other).field_manager("b").await.unwrap_err();
    assert!(conflict.is_conflict(), "{conflict}");
    assert_eq!(
        conflict.causes()[0].field.as_deref(),
        Some(".spec.shifts[day=\"mon\",part=\"am\"].hours")
    );
    // By the merge key of the document, which has only the day.
    let merged = keepers
        .patch("ann")
        .strategic(&json!({ "spec": { "shifts": [{ "day": "mon", "hours": 4 }] } }))
        .await
        .unwrap();
    assert_eq!(merged.spec.unwrap().shifts.len(), 2);

    let mut with_status = keepers.get("ann").await.unwrap();
    with_status.status = serde_json::from_value(json!({ "phase": "Active" })).unwrap();
    let replaced = keepers.replace(&with_status).await.unwrap();
    assert!(replaced.status.is_none(), "only the subresource writes it");
    with_status.metadata = replaced.metadata;
    let written = keepers.replace_status(&with_status).await.unwrap();
    assert_eq!(written.status, with_status.status);
    // A subresource without its own verb is read as its own type.
    let status = keepers.get_subresource("ann", "status");
    let status: Keeper = status.read_as().await.unwrap();
    assert_eq!(status.status, with_status.status);
    let scale = keepers.get_subresource("ann", "scale").await.unwrap_err();
    assert!(scale.is_not_found(), "{scale}");
}

#[tokio::test]
async fn discovery_tells_of_them() {
    let (_server, client) = server().await;
    let groups = client.api_groups().await.unwrap();
    let names: Vec<_> = groups.groups.iter().map(|group| &*group.name).collect();
    assert_eq!(
        names,
        [
            "flowcontrol.apiserver.k8s.io",
            "coordination.k8s.io",
            "zoo.example.com"
        ]
    );
    let group = client.api_group("coordination.k8s.io").await.unwrap();
    assert_eq!(group.versions[0].group_version, "coordination.k8s.io/v1");
    let found = client.api_resources("zoo.example.com", "v1").await.unwrap();
    let found: Vec<_> = found
        .resources
        .iter()
        .map(|resource| (&*resource.name, resource.namespaced))
        .collect();
    assert_eq!(
        found,
        [
            ("keepers", true),
            ("keepers/status", true),
            ("shapes", false),
            ("reviews", false)
        ]
    );
}

#[tokio::test]
async fn a_request_that_cannot_be_sent_is_an_error() {
    let client = Client::from_url("http://127.0.0.1:1").unwrap();
    let nowhere = client.namespaced_api::<Lease>("a/b");
    let error = nowhere.watcher().next().await.unwrap().unwrap_err();
    assert!(error.is_argument(), "{error}");
    let not_ready = Store::start(nowhere.watcher())
        .wait_ready()
        .await
        .unwrap_err();
    assert!(not_ready.error().unwrap().is_argument());
}
