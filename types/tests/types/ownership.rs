//! The fields of a manager: whether an apply changes something, and taking fields over.

use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::meta::Time;
use k8s_flowcontrol_types::ownership::{
    CLIENT_SIDE_APPLY, LAST_APPLIED_ANNOTATION, Takeover, is_applied,
};
use k8s_flowcontrol_types::{ApiVersion, Resource};
use serde_json::{Value, json};

fn level(fields: Value, metadata: Value, spec: Value) -> PriorityLevelConfiguration {
    let mut object = json!({"metadata": metadata, "spec": spec});
    object["metadata"]["name"] = "batch".into();
    object["metadata"]["uid"] = "1".into();
    object["metadata"]["managedFields"] = json!([
        {"manager": "other", "operation": "Apply", "fieldsV1": {"f:spec": {"f:type": {}}}},
        {"manager": "me", "operation": "Update", "fieldsV1": {"f:spec": {"f:type": {}}}},
        {"manager": "me", "operation": "Apply", "fieldsV1": fields},
    ]);
    serde_json::from_value(object).unwrap()
}

#[test]
fn an_apply_that_changes_nothing_is_known_before_it_is_sent() {
    let shares = json!({"f:spec": {"f:limited": {"f:nominalConcurrencyShares": {}}}});
    let older = json!({"f:spec": {"f:limited": {"f:assuredConcurrencyShares": {}}}});
    let spec = json!({"type": "Limited", "limited": {"nominalConcurrencyShares": 20, "limitResponse": {"type": "Reject"}}});
    let mut wanted = PriorityLevelConfiguration::partial("batch");
    let limited = wanted.spec.limited.get_or_insert_default();
    limited.nominal_concurrency_shares = Some(20);
    let live = |fields: &Value| level(fields.clone(), json!({}), spec.clone());
    assert!(is_applied(&live(&shares), "me", &wanted));
    assert!(is_applied(&live(&older), "me", &wanted));
    wanted.metadata.namespace = Some("somewhere".into());
    assert!(is_applied(&live(&shares), "me", &wanted));
    // Nobody's, another manager's, and dropped fields.
    assert!(!is_applied(&live(&shares), "nobody", &wanted));
    assert!(!is_applied(&live(&shares), "other", &wanted));
    let mut dropped = live(&shares);
    dropped.metadata.managed_fields = Default::default();
    assert!(!is_applied(&dropped, "me", &wanted));
    // A field more or less, and another value.
    let more = json!({"f:spec": {"f:limited": {"f:nominalConcurrencyShares": {}}, "f:type": {}}});
    assert!(!is_applied(&live(&more), "me", &wanted));
    let label = json!({"f:metadata": {"f:labels": {"f:a": {}}}, "f:spec": shares["f:spec"]});
    assert!(!is_applied(&live(&label), "me", &wanted));
    wanted.metadata.labels.insert("a".into(), "b".into());
    assert!(!is_applied(&live(&shares), "me", &wanted));
    let labelled =
        |value: &str| level(label.clone(), json!({"labels": {"a": value}}), spec.clone());
    assert!(is_applied(&labelled("b"), "me", &wanted));
    assert!(!is_applied(&labelled("c"), "me", &wanted));
    wanted.metadata.labels.clear();
    wanted
        .spec
        .limited
        .get_or_insert_default()
        .nominal_concurrency_shares = Some(21);
    assert!(!is_applied(&live(&shares), "me", &wanted));
}

#[test]
fn elements_of_lists_are_compared_by_their_keys() {
    let live = |conditions: Value, fields: Value| -> FlowSchema {
        serde_json::from_value(json!({
            "metadata": {"name": "a", "ownerReferences": conditions, "managedFields": [
                {"manager": "me", "operation": "Apply", "fieldsV1": {"f:metadata": {"f:ownerReferences": fields}}}]},
            "spec": {"priorityLevelConfiguration": {"name": "exempt"}},
        }))
        .unwrap()
    };
    let owner = |uid: &str| json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid});
    let step = |uid: &str| format!(r#"k:{{"uid":"{uid}"}}"#);
    let all = json!({".": {}, "f:apiVersion": {}, "f:kind": {}, "f:name": {}, "f:uid": {}});
    let wanted = |owners: Value| {
        let mut wanted = FlowSchema::partial("a");
        wanted.metadata.owner_references = serde_json::from_value(owners).unwrap();
        wanted
    };
    let both = live(
        json!([owner("1"), owner("2")]),
        json!({step("1"): all, step("2"): all}),
    );
    assert!(is_applied(
        &both,
        "me",
        &wanted(json!([owner("1"), owner("2")]))
    ));
    assert!(!is_applied(
        &both,
        "me",
        &wanted(json!([owner("2"), owner("1")]))
    ));
    assert!(!is_applied(&both, "me", &wanted(json!([owner("2")]))));
    let second = live(json!([owner("1"), owner("2")]), json!({step("2"): all}));
    assert!(is_applied(&second, "me", &wanted(json!([owner("2")]))));
    assert!(!is_applied(&second, "me", &wanted(json!([owner("1")]))));
}

fn entry(manager: &str, operation: &str, version: ApiVersion, fields: Value) -> Value {
    json!({"manager": manager, "operation": operation, "apiVersion": version.api_version(), "fieldsV1": fields})
}

fn object(entries: &[Value]) -> Value {
    json!({"metadata": {"resourceVersion": "7", "managedFields": entries}})
}

fn patch(object: &Value) -> Option<Value> {
    let takeover = Takeover::of(object, "me", ApiVersion::V1.api_version())?;
    Some(takeover.patch(&Time::from("2026-01-01T00:00:00Z")))
}

#[test]
fn an_entry_of_another_version_moves_with_its_renamed_field() {
    let old = json!({"f:spec": {"f:limited": {"f:assuredConcurrencyShares": {}}}});
    let other = entry(
        "other",
        "Update",
        ApiVersion::V1,
        json!({"f:spec": {"f:type": {}}}),
    );
    let object = object(&[
        other.clone(),
        entry("me", "Apply", ApiVersion::V1Beta2, old),
    ]);
    let patch = patch(&object).unwrap();
    assert_eq!(patch[0]["value"], "7");
    let new = json!({
        "manager": "me",
        "operation": "Apply",
        "apiVersion": ApiVersion::V1.api_version(),
        "time": "2026-01-01T00:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:limited": {"f:nominalConcurrencyShares": {}}}},
    });
    assert_eq!(patch[1]["value"], json!([other, new]));
}

#[test]
fn client_side_apply_is_taken_over_with_its_annotation() {
    let fields = json!({
        "f:metadata": {"f:annotations": {".": {}, format!("f:{LAST_APPLIED_ANNOTATION}"): {}}},
        "f:spec": {"f:type": {}},
    });
    let mut object = object(&[
        entry(CLIENT_SIDE_APPLY, "Update", ApiVersion::V1, fields),
        entry(
            "me",
            "Apply",
            ApiVersion::V1,
            json!({"f:spec": {"f:limited": {}}}),
        ),
    ]);
    object["metadata"]["annotations"] = json!({LAST_APPLIED_ANNOTATION: "{}"});
    let patch = patch(&object).unwrap();
    let entries = patch[1]["value"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(
        entries[0]["fieldsV1"]["f:spec"],
        json!({"f:type": {}, "f:limited": {}})
    );
    assert!(!entries[0].to_string().contains(LAST_APPLIED_ANNOTATION));
    assert_eq!(patch[2]["op"], "remove");
}

#[test]
fn the_writer_of_the_annotation_is_a_manager_of_client_side_apply() {
    let annotation =
        json!({"f:metadata": {"f:annotations": {format!("f:{LAST_APPLIED_ANNOTATION}"): {}}}});
    let fields = |name: &str| json!({"f:spec": {name: {}}});
    let entries = [
        entry("ci", "Update", ApiVersion::V1, annotation),
        entry("ci", "Update", ApiVersion::V1Beta3, fields("f:type")),
        entry("other", "Update", ApiVersion::V1, fields("f:exempt")),
    ];
    let object = object(&entries);
    let takeover = Takeover::of(&object, "me", ApiVersion::V1.api_version()).unwrap();
    let managers: Vec<_> = takeover.client_side_managers().collect();
    assert_eq!(managers, [CLIENT_SIDE_APPLY, "ci"]);
    let patch = patch(&object).unwrap();
    assert_eq!(patch[1]["value"][0], entries[2]);
    assert_eq!(patch[1]["value"][1]["fieldsV1"], fields("f:type"));
    assert_eq!(patch[1]["value"].as_array().unwrap().len(), 2);
}

#[test]
fn an_empty_map_of_annotations_stays_owned() {
    let fields = json!({"f:metadata": {"f:annotations": {}}});
    let entry = entry(CLIENT_SIDE_APPLY, "Update", ApiVersion::V1, fields.clone());
    let patch = patch(&object(&[entry])).unwrap();
    assert_eq!(patch[1]["value"][0]["fieldsV1"], fields);
}

#[test]
fn a_field_and_the_fields_below_it_are_both_taken_over() {
    let limited = |fields: Value| json!({"f:spec": {"f:limited": fields}});
    let (itself, below) = (limited(json!({})), limited(json!({"f:a": {}})));
    for (first, second) in [(&itself, &below), (&below, &itself)] {
        let object = object(&[
            entry("me", "Apply", ApiVersion::V1, first.clone()),
            entry(CLIENT_SIDE_APPLY, "Update", ApiVersion::V1, second.clone()),
        ]);
        let fields = &patch(&object).unwrap()[1]["value"][0]["fieldsV1"];
        assert_eq!(fields, &limited(json!({".": {}, "f:a": {}})));
    }
}

#[test]
fn other_entries_are_not_taken_over() {
    let mut status = entry("me", "Apply", ApiVersion::V1Beta3, json!({}));
    status["subresource"] = "status".into();
    let object = object(&[
        entry("me", "Apply", ApiVersion::V1, json!({})),
        entry("me", "Update", ApiVersion::V1Beta3, json!({})),
        entry("other", "Apply", ApiVersion::V1Beta3, json!({})),
        status,
    ]);
    assert_eq!(patch(&object), None);
}

#[test]
fn an_own_field_that_the_apply_omits_is_removed() {
    let limited = |fields: Value| json!({"f:spec": {"f:limited": fields}});
    let own = limited(json!({".": {}, "f:a": {}, "f:b": {}, "f:c": {}}));
    let object = object(&[
        entry("me", "Apply", ApiVersion::V1Beta3, own),
        entry(
            "other",
            "Update",
            ApiVersion::V1,
            limited(json!({"f:b": {}})),
        ),
    ]);
    let takeover = Takeover::of(&object, "me", ApiVersion::V1.api_version()).unwrap();
    let mut after =
        json!({"spec": {"type": "Limited", "limited": {"a": 1, "b": 2, "c": 3, "d": 4}}});
    takeover.remove_omitted(&mut after, &json!({"spec": {"limited": {"a": 1}}}));
    let expected = json!({"spec": {"type": "Limited", "limited": {"a": 1, "b": 2, "d": 4}}});
    assert_eq!(after, expected);
}

#[test]
fn a_field_whose_fields_are_all_omitted_is_removed_as_the_server_does() {
    let own = json!({"f:spec": {"f:method": {".": {}, "f:type": {}}, "f:queuing": {"f:queues": {}}, "f:shared": {"f:a": {}, "f:b": {}}}});
    let object = object(&[
        entry("me", "Apply", ApiVersion::V1Beta3, own),
        entry(
            "other",
            "Update",
            ApiVersion::V1,
            json!({"f:spec": {"f:shared": {"f:b": {}}}}),
        ),
    ]);
    let takeover = Takeover::of(&object, "me", ApiVersion::V1.api_version()).unwrap();
    let mut after = json!({"spec": {
        "method": {"type": "ByUser"},
        // The server filled in the default of the size.
        "queuing": {"queues": 64, "size": 8},
        "shared": {"a": 1, "b": 2},
    }});
    takeover.remove_omitted(&mut after, &json!({"spec": {"precedence": 5}}));
    assert_eq!(after, json!({"spec": {"shared": {"b": 2}}}));
}
