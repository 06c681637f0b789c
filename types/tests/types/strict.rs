//! Unknown fields are found at every depth, and nowhere else.

use k8s_flowcontrol_types::api::{v1, v1beta2};
use k8s_flowcontrol_types::{List, from_value_strict, unknown_fields};
use serde_json::json;

#[test]
fn unknown_fields_are_found_at_every_depth() {
    let list: List<v1::FlowSchema> = serde_json::from_value(json!({
        "metadata": {"resourceVersion": "7", "total": 1},
        "items": [{
            "metadata": {"name": "a", "labels": {"any": "key"}, "managedFields": [{"fieldsV1": {"f:spec": {}}}]},
            "spec": {"rules": [{"subjects": [{"kind": "User", "user": {"name": "u", "nam": "v"}}]}, {"subject": []}]},
            "status": {"conditions": [{"type": "Dangling", "state": {"deep": {"unknown": 1}}}]},
            "Spec": null,
        }],
    }))
    .unwrap();
    assert_eq!(
        unknown_fields(&list),
        [
            "metadata.total",
            "items[0].spec.rules[0].subjects[0].user.nam",
            "items[0].spec.rules[1].subject",
            "items[0].status.conditions[0].state",
            "items[0].Spec",
        ]
    );
}

#[test]
fn a_field_of_another_version_is_unknown() {
    let level = json!({"spec": {"type": "Limited", "limited": {"assuredConcurrencyShares": 5}}});
    assert!(from_value_strict::<v1beta2::PriorityLevelConfiguration>(&level).is_ok());
    let error = from_value_strict::<v1::PriorityLevelConfiguration>(&level).unwrap_err();
    assert_eq!(
        error.to_string(),
        "PriorityLevelConfiguration: unknown field `spec.limited.assuredConcurrencyShares`"
    );
}

#[test]
fn an_error_names_all_unknown_fields_and_a_wrong_type_first() {
    let schema = json!({"specs": {}, "metadata": {"nam": "a"}});
    let error = from_value_strict::<v1::FlowSchema>(&schema).unwrap_err();
    let message = "FlowSchema: unknown fields `metadata.nam`, `specs`";
    assert_eq!(error.to_string(), message);
    let wrong = json!({"specs": {}, "spec": []});
    let error = from_value_strict::<v1::FlowSchema>(&wrong).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("expected a JSON object (FlowSchemaSpec)"),
        "{error}"
    );
}
