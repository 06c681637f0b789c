//! One object, changed by both libraries.

use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_kube::Kube;
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

/// An object with fields that kube's metadata cannot hold.
fn schema() -> Kube<FlowSchema> {
    Kube::new(serde_json::from_value(tree()).unwrap())
}

fn tree() -> Value {
    json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {
            "name": "batch",
            "uid": "u-1",
            "generation": 3,
            "creationTimestamp": "2026-11-21T06:23:00Z",
            "deletionTimestamp": "soon",
            "labels": {"team": "a"},
            "annotations": {"note": "x"},
            "finalizers": ["example.com/one"],
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Namespace", "name": "first", "uid": "u-2", "later": true},
                {"apiVersion": "v1", "kind": "Namespace", "name": "second", "uid": "u-3"},
            ],
            "managedFields": [
                {"manager": "me", "operation": "Apply", "fieldsV1": {"f:spec": {}}, "later": 1.5},
            ],
            "fromTheFuture": {"a": 1},
        },
        "spec": {"priorityLevelConfiguration": {"name": "low", "later": []}, "matchingPrecedence": 500},
    })
}

#[test]
fn nothing_is_lost_in_json() {
    assert_eq!(serde_json::to_value(schema()).unwrap(), tree());
    let again: Kube<FlowSchema> = serde_json::from_value(tree()).unwrap();
    assert_eq!(again, schema());
}

#[test]
fn kube_reads_the_metadata() {
    let schema = schema();
    assert_eq!(schema.name_any(), "batch");
    assert_eq!(schema.uid().as_deref(), Some("u-1"));
    assert_eq!(schema.labels()["team"], "a");
    assert_eq!(schema.annotations()["note"], "x");
    assert_eq!(schema.finalizers(), ["example.com/one"]);
    assert_eq!(schema.owner_references()[1].name, "second");
    assert_eq!(schema.managed_fields()[0].manager.as_deref(), Some("me"));
    assert_eq!(
        schema.creation_timestamp().unwrap().0.to_string(),
        "2026-11-21T06:23:00Z"
    );
    assert_eq!(schema.meta().deletion_timestamp, None);
    assert_eq!(schema.meta().generation, Some(3));
    let owner = schema.controller_owner_ref(&()).unwrap();
    assert_eq!(owner.api_version, "flowcontrol.apiserver.k8s.io/v1");
    assert_eq!(
        (owner.kind.as_str(), owner.uid.as_str()),
        ("FlowSchema", "u-1")
    );
    let path = Kube::<PriorityLevelConfiguration>::url_path(&(), None);
    assert_eq!(
        path,
        "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations"
    );
}

#[test]
fn changes_of_kube_reach_the_object_and_leave_the_rest() {
    let mut schema = schema();
    schema.labels_mut().insert("team".into(), "b".into());
    assert_eq!(schema.metadata.labels["team"], "b");
    schema.owner_references_mut().remove(1);
    schema.finalizers_mut().push("example.com/two".into());
    schema.meta_mut().generation = Some(4);
    assert_eq!(schema.meta().generation, Some(4));

    let mut expected = tree();
    let metadata = &mut expected["metadata"];
    metadata["labels"]["team"] = "b".into();
    metadata["ownerReferences"]
        .as_array_mut()
        .unwrap()
        .remove(1);
    metadata["finalizers"] = json!(["example.com/one", "example.com/two"]);
    metadata["generation"] = 4.into();
    assert_eq!(serde_json::to_value(&schema).unwrap(), expected);
    let copy = schema.clone();
    assert_eq!(serde_json::to_value(copy.into_inner()).unwrap(), expected);
    assert_eq!(serde_json::to_value(schema.into_inner()).unwrap(), expected);
}

#[test]
fn each_library_sees_the_changes_of_the_other() {
    let mut schema = schema();
    assert_eq!(schema.labels()["team"], "a");
    schema.metadata.labels.insert("team".into(), "b".into());
    assert_eq!(schema.labels()["team"], "b");
    schema.labels_mut().insert("team".into(), "c".into());
    schema.metadata.annotations.clear();
    assert!(schema.annotations().is_empty());
    assert_eq!(schema.labels()["team"], "c");
    schema.annotations_mut().insert("note".into(), "y".into());
    assert_eq!(schema.metadata.annotations["note"], "y");
    assert_eq!(schema.metadata.labels["team"], "c");
}

#[test]
fn managed_fields_can_be_changed() {
    let mut schema = schema();
    let mut other = schema.managed_fields()[0].clone();
    other.manager = Some("other".into());
    schema.managed_fields_mut().push(other);
    let fields = serde_json::to_value(&schema).unwrap()["metadata"]["managedFields"].take();
    let expected = json!([
        {"manager": "me", "operation": "Apply", "fieldsV1": {"f:spec": {}}, "later": 1.5},
        {"manager": "other", "operation": "Apply", "fieldsV1": {"f:spec": {}}},
    ]);
    assert_eq!(fields, expected);
    schema.meta_mut().managed_fields = None;
    assert!(schema.metadata.managed_fields.is_empty());
}
