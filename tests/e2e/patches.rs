//! The four patch types and field ownership.

use crate::e2e::support::{Cluster, object, sample, unique};
use k8s_flowcontrol::api::v1;
use serde_json::json;

fn shares(level: &v1::PriorityLevelConfiguration) -> Option<i32> {
    level.spec.limited.as_ref()?.nominal_concurrency_shares
}

#[tokio::test]
async fn each_patch_type_changes_what_it_says() {
    for cluster in Cluster::serving("v1").await {
        let levels = cluster.client.priority_level_configurations();
        let name = unique("patch");
        levels.create(&sample(&name)).await.unwrap();

        let operations = json!([
            {"op": "test", "path": "/spec/limited/nominalConcurrencyShares", "value": 5},
            {"op": "replace", "path": "/spec/limited/nominalConcurrencyShares", "value": 6},
        ]);
        assert_eq!(
            shares(&levels.patch(&name).json(&operations).await.unwrap()),
            Some(6)
        );
        let failed = levels.patch(&name).json(&operations).await.unwrap_err();
        assert!(
            failed.is_invalid(),
            "the test operation must fail now: {failed}"
        );

        let merge = json!({"spec": {"limited": {"nominalConcurrencyShares": 7, "borrowingLimitPercent": 50}}});
        assert_eq!(
            shares(&levels.patch(&name).merge(&merge).await.unwrap()),
            Some(7)
        );
        let remove = json!({"spec": {"limited": {"borrowingLimitPercent": null}}});
        let merged = levels.patch(&name).merge(&remove).await.unwrap();
        assert_eq!(merged.spec.limited.unwrap().borrowing_limit_percent, None);

        let strategic = json!({"spec": {"limited": {"nominalConcurrencyShares": 8}}});
        assert_eq!(
            shares(&levels.patch(&name).strategic(&strategic).await.unwrap()),
            Some(8)
        );
        levels.delete(&name).await.unwrap();
    }
}

#[tokio::test]
async fn a_strategic_merge_patch_merges_conditions_by_type() {
    for cluster in Cluster::serving("v1").await {
        let levels = cluster.client.priority_level_configurations();
        let name = unique("strategic");
        levels.create(&sample(&name)).await.unwrap();
        for r#type in ["First", "Second"] {
            let condition = json!({"status": {"conditions": [{"type": r#type, "status": "True"}]}});
            levels
                .patch_status(&name)
                .strategic(&condition)
                .await
                .unwrap();
        }
        let types = |level: v1::PriorityLevelConfiguration| -> Vec<String> {
            let conditions = level.status.unwrap().conditions;
            conditions
                .into_iter()
                .map(|condition| condition.r#type)
                .collect()
        };
        let mut merged = types(levels.get(&name).await.unwrap());
        merged.sort();
        assert_eq!(merged, ["First", "Second"]);
        let merge = json!({"status": {"conditions": [{"type": "Only", "status": "True"}]}});
        let replaced = levels.patch_status(&name).merge(&merge).await.unwrap();
        assert_eq!(types(replaced), ["Only"], "a merge patch replaces lists");
        levels.delete(&name).await.unwrap();
    }
}

#[tokio::test]
async fn apply_creates_owns_and_gives_up() {
    for cluster in Cluster::each().await {
        let levels = cluster.levels().await;
        let name = unique("apply");
        let with =
            |shares: Option<i32>, labels: serde_json::Value| -> v1::PriorityLevelConfiguration {
                let mut level: v1::PriorityLevelConfiguration = object(json!({
                    "metadata": {"name": name, "labels": labels},
                    "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
                }));
                let limited = level.spec.limited.as_mut().unwrap();
                limited.nominal_concurrency_shares = shares;
                level
            };

        let first = with(Some(10), json!({"mine": "yes"}));
        let unnamed = levels.apply(&first).await.unwrap_err();
        assert!(
            unnamed.is_argument(),
            "apply needs a field manager: {unnamed}"
        );
        let created = levels
            .apply(&first)
            .field_manager("one")
            .send()
            .await
            .unwrap();
        assert!(created.was_created());
        let updated = levels
            .apply(&first)
            .field_manager("one")
            .send()
            .await
            .unwrap();
        assert_eq!(updated.code(), 200);

        let other = with(Some(11), json!({}));
        let conflict = levels.apply(&other).field_manager("two").await.unwrap_err();
        assert!(conflict.is_conflict(), "{conflict}");
        assert_eq!(
            conflict.causes()[0].field.as_deref(),
            Some(".spec.limited.nominalConcurrencyShares")
        );
        let forced = levels
            .apply(&other)
            .field_manager("two")
            .force()
            .await
            .unwrap();
        assert_eq!(shares(&forced), Some(11));
        let managers: Vec<_> = forced.metadata.managed_fields.entries().unwrap();
        let names: Vec<_> = managers
            .iter()
            .filter_map(|entry| entry.manager.as_deref())
            .collect();
        assert_eq!(names, ["one", "two"]);

        // Apply removes an omitted field that no other manager owns.
        let given_up = levels
            .apply(&with(None, json!({})))
            .field_manager("one")
            .await
            .unwrap();
        let limited = given_up.spec.limited.unwrap();
        assert!(given_up.metadata.labels.is_empty());
        assert_eq!(limited.nominal_concurrency_shares, Some(11));
        levels.delete(&name).await.unwrap();
    }
}
