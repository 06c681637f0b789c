//! Server-side apply of partial objects: only the fields that a program sets are sent and owned.

use crate::e2e::support::{Cluster, object, release, sample, tree, unique};
use k8s_flowcontrol::api::v1::{FlowSchema, FlowSchemaCondition, PriorityLevelConfiguration};
use k8s_flowcontrol::ownership::{extract, extract_status};
use k8s_flowcontrol::{Resource, unknown_fields};
use serde_json::{Value, json};

/// The sets of fields of a manager's server-side applies, by API version.
fn owned_by(object: &impl Resource, manager: &str) -> Vec<(String, Value)> {
    let entries = object
        .metadata()
        .managed_fields
        .entries()
        .unwrap()
        .into_iter();
    let entries = entries.filter(|entry| entry.manager.as_deref() == Some(manager));
    let set = |text: &str| serde_json::from_str(text).unwrap();
    entries
        .map(|entry| {
            (
                entry.api_version.unwrap(),
                set(entry.fields_v1.unwrap().as_str()),
            )
        })
        .collect()
}

#[tokio::test]
async fn a_partial_apply_owns_the_fields_that_were_set() {
    for cluster in Cluster::each().await {
        let levels = cluster.levels().await;
        let name = unique("partial");
        levels
            .create(&sample(&name))
            .field_manager("owner")
            .await
            .unwrap();

        let mut mine = PriorityLevelConfiguration::partial(&name);
        mine.metadata.labels.insert("team".into(), "batch".into());
        mine.spec
            .limited
            .get_or_insert_default()
            .nominal_concurrency_shares = Some(7);
        let applied = levels
            .apply(&mine)
            .field_manager("mine")
            .force()
            .await
            .unwrap();
        let limited = applied.spec.limited.as_ref().unwrap();
        assert_eq!(limited.nominal_concurrency_shares, Some(7));
        assert_eq!(
            limited.limit_response.r#type.as_str(),
            "Reject",
            "the owner's field stays"
        );
        let shares = match levels.wire_version() {
            "v1beta2" => "f:assuredConcurrencyShares",
            _ => "f:nominalConcurrencyShares",
        };
        let fields = json!({
            "f:metadata": {"f:labels": {"f:team": {}}},
            "f:spec": {"f:limited": {shares: {}}},
        });
        let [(_, owned)] = &owned_by(&applied, "mine")[..] else {
            panic!(
                "one entry is expected: {:?}",
                applied.metadata.managed_fields
            );
        };
        assert_eq!(owned, &fields);

        // The applied fields come back, and applying them again changes nothing.
        let mut again = extract(&applied, "mine").unwrap().unwrap();
        assert_eq!(tree(&again), tree(&mine));
        let same = levels.apply(&again).field_manager("mine").await.unwrap();
        assert_eq!(
            same.metadata.resource_version,
            applied.metadata.resource_version
        );
        // A field that is left out is given back.
        again.metadata.labels.clear();
        let less = levels.apply(&again).field_manager("mine").await.unwrap();
        assert!(!less.metadata.labels.contains_key("team"));
        assert!(
            less.metadata.labels.contains_key("suite"),
            "another manager's label stays"
        );

        assert_eq!(extract(&less, "nobody").unwrap(), None);
        // An update is not an apply.
        assert_eq!(extract(&less, "owner").unwrap(), None);
        levels.delete(&name).await.unwrap();
    }
}

#[tokio::test]
async fn a_partial_object_needs_no_spec() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
        let name = unique("partial");
        schemas
            .create(&sample(&name))
            .field_manager("owner")
            .await
            .unwrap();
        let mut mine = FlowSchema::partial(&name);
        mine.metadata
            .annotations
            .insert("why".into(), "test".into());
        let applied = schemas.apply(&mine).field_manager("mine").await.unwrap();
        assert_eq!(applied.spec.matching_precedence, Some(9000));
        assert_eq!(
            tree(&extract(&applied, "mine").unwrap().unwrap()),
            tree(&mine)
        );

        // The elements of a list with keys are owned one by one.
        let mut status = FlowSchema::partial(&name);
        let condition = FlowSchemaCondition {
            r#type: "Mine".into(),
            status: Some("True".into()),
            ..Default::default()
        };
        status
            .status
            .get_or_insert_default()
            .conditions
            .push(condition);
        let applied = schemas
            .apply_status(&status)
            .field_manager("mine")
            .await
            .unwrap();
        assert_eq!(
            tree(&extract_status(&applied, "mine").unwrap().unwrap()),
            tree(&status)
        );
        schemas.delete(&name).await.unwrap();
    }
}

#[tokio::test]
async fn a_partial_object_is_partial_in_every_version() {
    for (name, wire, shares) in [
        ("1.25", "v1beta2", "f:assuredConcurrencyShares"),
        ("1.26", "v1beta3", "f:nominalConcurrencyShares"),
        ("1.36", "v1", "f:nominalConcurrencyShares"),
    ] {
        let (_server, client) = release(name).await;
        let levels = client
            .negotiated::<PriorityLevelConfiguration>()
            .await
            .unwrap();
        assert_eq!(levels.wire_version(), wire);
        levels
            .create(&sample("batch"))
            .field_manager("owner")
            .await
            .unwrap();
        let mut mine = PriorityLevelConfiguration::partial("batch");
        mine.spec
            .limited
            .get_or_insert_default()
            .nominal_concurrency_shares = Some(7);
        let applied = levels
            .apply(&mine)
            .field_manager("mine")
            .force()
            .await
            .unwrap();
        let version = format!("{}/{wire}", k8s_flowcontrol::GROUP);
        let fields = json!({"f:spec": {"f:limited": {shares: {}}}});
        assert_eq!(owned_by(&applied, "mine"), [(version, fields)]);
        assert_eq!(
            tree(&extract(&applied, "mine").unwrap().unwrap()),
            tree(&mine),
            "{name}"
        );
    }
}

#[test]
fn a_partial_object_is_a_value_like_others() {
    let mut level = PriorityLevelConfiguration::partial("batch");
    let read: PriorityLevelConfiguration = object(json!({"metadata": {"name": "batch"}}));
    assert_ne!(level, read);
    assert_eq!(level.metadata, read.metadata);
    level.spec.r#type = "Limited".into();
    let text = tree(&level.clone());
    assert_eq!(text["spec"], json!({"type": "Limited"}));
    assert_eq!(unknown_fields(&level), [""; 0]);
    // Required fields come back with the memory of what was left out.
    level.unknown.clear();
    level.spec.limited.get_or_insert_default();
    let limited = &tree(&level)["spec"]["limited"];
    assert_eq!(limited, &json!({"limitResponse": {"type": ""}}));
}
