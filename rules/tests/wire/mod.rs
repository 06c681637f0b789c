//! The fields that a server writes.

use k8s_flowcontrol_rules::wire::canonical;
use k8s_flowcontrol_types::{ApiVersion, Kind};
use serde_json::{Value, json};

fn written(schema: &Value) -> Value {
    canonical(schema, Kind::FlowSchema.schema(ApiVersion::V1).schema)
}

#[test]
fn an_empty_object_has_the_fields_that_go_always_writes() {
    let empty = written(&json!({}));
    assert_eq!(
        empty["spec"],
        json!({"priorityLevelConfiguration": {"name": ""}, "matchingPrecedence": 0})
    );
    assert_eq!(empty["status"], json!({}));
}

#[test]
fn empty_and_false_fields_are_left_out() {
    let schema = json!({"spec": {"rules": [{
        "subjects": [null],
        "resourceRules": [{"verbs": ["get"], "clusterScope": false}],
        "nonResourceRules": [],
    }]}});
    assert_eq!(
        written(&schema)["spec"]["rules"],
        json!([{
            "subjects": [{"kind": ""}],
            "resourceRules": [
                {"verbs": ["get"], "apiGroups": null, "resources": null, "namespaces": null}
            ],
        }])
    );
}
