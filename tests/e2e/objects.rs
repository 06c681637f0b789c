//! Creating, reading, replacing and deleting, with their errors.

use crate::e2e::support::{Cluster, object, sample, unique};
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::{Deleted, FieldValidation};
use serde_json::json;
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn an_object_lives_from_create_to_delete() {
    for cluster in Cluster::each().await {
        let levels = cluster.levels().await;
        let name = unique("life");

        let created = levels.create(&sample(&name)).send().await.unwrap();
        assert!(created.was_created());
        assert!(created.audit_id().is_some());
        assert!(created.flow_schema_uid().is_some() && created.priority_level_uid().is_some());
        let mut level = created.into_inner();
        assert_eq!(level.metadata.generation, Some(1));

        level
            .spec
            .limited
            .as_mut()
            .unwrap()
            .nominal_concurrency_shares = Some(7);
        let replaced = levels.replace(&level).await.unwrap();
        assert_eq!(replaced.metadata.generation, Some(2));
        assert_eq!(levels.get(&name).await.unwrap(), replaced);

        // The object here has an outdated resource version.
        let conflict = levels.replace(&level).await.unwrap_err();
        assert!(
            conflict.is_conflict() && !conflict.is_already_exists(),
            "{conflict}"
        );

        match levels.delete(&name).await.unwrap() {
            Deleted::Status(status) => {
                let uid = status.details.unwrap_or_default().uid;
                assert_eq!(uid, replaced.metadata.uid);
            }
            Deleted::Object(level) => panic!("no finalizer holds {level:?}"),
        }
        assert!(levels.get(&name).await.unwrap_err().is_not_found());
    }
}

#[tokio::test]
async fn an_object_with_a_finalizer_is_marked_first() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
        let mut schema: v1::FlowSchema = sample(&unique("finalizer"));
        let name = schema.metadata.name.clone().unwrap();
        schema.metadata.finalizers = vec!["example.com/hold".into()];
        schemas.create(&schema).await.unwrap();
        let Deleted::Object(marked) = schemas.delete(&name).await.unwrap() else {
            panic!("the finalizer did not hold the object");
        };
        assert!(marked.metadata.deletion_timestamp.is_some());
        let release = schemas.update_with(&name, |schema| schema.metadata.finalizers.clear());
        release.await.unwrap();
        assert!(schemas.get(&name).await.unwrap_err().is_not_found());
    }
}

#[tokio::test]
async fn a_name_can_be_left_to_the_server() {
    for cluster in Cluster::each().await {
        let levels = cluster.levels().await;
        let mut level: v1::PriorityLevelConfiguration = sample("");
        level.metadata.name = None;
        level.metadata.generate_name = Some("e2e-generated-".into());
        let created = levels.create(&level).await.unwrap();
        let name = created.metadata.name.unwrap();
        assert!(name.starts_with("e2e-generated-") && name.len() > "e2e-generated-".len());
        levels.delete(&name).await.unwrap();
    }
}

#[tokio::test]
async fn failures_are_told_apart() {
    for cluster in Cluster::each().await {
        let levels = cluster.levels().await;
        let name = unique("failure");
        levels.create(&sample(&name)).await.unwrap();
        let exists = levels.create(&sample(&name)).await.unwrap_err();
        assert!(exists.is_already_exists(), "{exists}");
        assert_eq!(exists.code(), Some(409));
        levels.delete(&name).await.unwrap();

        let missing = levels.get(&name).await.unwrap_err();
        assert!(missing.is_not_found());
        let status = missing.status().expect("the server sent a Status");
        assert_eq!(status.reason.as_deref(), Some("NotFound"));
        let text = missing.to_string();
        assert!(text.contains("GET") && text.contains(&name), "{text}");

        let nowhere = levels.replace(&sample(&name)).await.unwrap_err();
        assert!(nowhere.is_not_found(), "replace never creates: {nowhere}");
        let selector = levels.list().label_selector("a b c").await.unwrap_err();
        assert!(selector.is_bad_request(), "{selector}");
    }
}

#[tokio::test]
async fn a_name_that_would_change_the_path_is_refused_before_anything_is_sent() {
    for cluster in Cluster::each().await {
        let levels = cluster.levels().await;
        for name in ["", ".", "..", "a/b", "../flowschemas", "a%2fb"] {
            let error = levels.get(name).await.unwrap_err();
            assert!(
                error.is_argument() && error.code().is_none(),
                "{name:?}: {error}"
            );
            assert!(levels.delete(name).await.unwrap_err().is_argument());
        }
        // Special characters in a name reach the server.
        for name in ["a b", "a?b=c", "ä#;"] {
            assert!(
                levels.get(name).await.unwrap_err().is_not_found(),
                "{name:?}"
            );
        }
    }
}

#[tokio::test]
async fn unknown_members_are_warned_of_or_refused_as_asked() {
    for cluster in Cluster::each().await {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let handler = Arc::clone(&seen);
        let client = cluster
            .client
            .clone()
            .on_warning(move |warning| handler.lock().unwrap().push(warning.to_string()));
        let levels = client.negotiated().await.unwrap();
        let level: v1::PriorityLevelConfiguration = object(json!({
            "metadata": {"name": unique("unknown")},
            "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}, "colour": "blue"}},
        }));

        let warned = levels.create(&level).dry_run().send().await.unwrap();
        assert_eq!(warned.warnings().len(), 1);
        assert_eq!(
            *seen.lock().unwrap(),
            ["unknown field \"spec.limited.colour\""]
        );
        let quiet = levels
            .create(&level)
            .dry_run()
            .field_validation(FieldValidation::Ignore);
        assert!(quiet.send().await.unwrap().warnings().is_empty());
        let strict = levels
            .create(&level)
            .dry_run()
            .field_validation(FieldValidation::Strict);
        let refused = strict.await.unwrap_err();
        assert!(refused.is_bad_request() && refused.to_string().contains("spec.limited.colour"));
    }
}

#[tokio::test]
async fn a_collection_is_deleted_by_its_labels() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
        let label = unique("collection");
        for _ in 0..3 {
            let mut schema: v1::FlowSchema = sample(&unique("collection"));
            schema.metadata.labels.insert("batch".into(), label.clone());
            schemas.create(&schema).await.unwrap();
        }
        let ours = format!("batch={label}");
        assert_eq!(
            schemas
                .list()
                .label_selector(&ours)
                .await
                .unwrap()
                .items
                .len(),
            3
        );
        schemas
            .delete_collection()
            .label_selector(&ours)
            .await
            .unwrap();
        assert_eq!(
            schemas.list().label_selector(&ours).await.unwrap().items,
            []
        );
    }
}

#[tokio::test]
async fn status_and_spec_are_kept_apart() {
    for cluster in Cluster::each().await {
        let levels = cluster.levels().await;
        let name = unique("status");
        let mut level = levels.create(&sample(&name)).await.unwrap();
        let condition: v1::PriorityLevelConfigurationCondition =
            serde_json::from_value(json!({"type": "E2e", "status": "True"})).unwrap();
        level.status = Some(v1::PriorityLevelConfigurationStatus {
            conditions: vec![condition],
            ..Default::default()
        });
        level
            .spec
            .limited
            .as_mut()
            .unwrap()
            .nominal_concurrency_shares = Some(99);

        let through_status = levels.replace_status(&level).await.unwrap();
        assert_eq!(
            through_status
                .spec
                .limited
                .unwrap()
                .nominal_concurrency_shares,
            Some(5)
        );
        assert_eq!(through_status.status.unwrap().conditions[0].r#type, "E2e");

        level.metadata.resource_version = None;
        level.status = None;
        let through_main = levels.replace(&level).await.unwrap();
        assert_eq!(
            through_main
                .spec
                .limited
                .unwrap()
                .nominal_concurrency_shares,
            Some(99)
        );
        let status = levels.get_status(&name).await.unwrap().status.unwrap();
        assert_eq!(status.conditions[0].r#type, "E2e");
        levels.delete(&name).await.unwrap();
    }
}
