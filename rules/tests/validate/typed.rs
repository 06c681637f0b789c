//! Validation of typed objects.

use k8s_flowcontrol_rules::validate;
use k8s_flowcontrol_rules::validate::verdict::{self, Operation, Request};
use k8s_flowcontrol_types::api::{v1, v1beta2};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{FieldValidation, Release};
use serde_json::json;

#[test]
fn typed_objects_are_validated_in_their_version() {
    let schema = v1::FlowSchema::default();
    let fields: Vec<_> = validate::create_typed(&schema, Release::NEWEST)
        .into_iter()
        .map(|violation| violation.field)
        .collect();
    assert_eq!(
        fields,
        ["metadata.name", "spec.priorityLevelConfiguration.name"]
    );

    let text = r#"{"metadata":{"name":"a"},"spec":{"type":"Limited","limited":{"assuredConcurrencyShares":-1,"limitResponse":{"type":"Reject"}}}}"#;
    let level: v1beta2::PriorityLevelConfiguration = serde_json::from_str(text).unwrap();
    let release = "1.28".parse().unwrap();
    let violations = validate::create_typed(&level, release);
    assert_eq!(
        violations[0].to_string(),
        "spec.limited.assuredConcurrencyShares: Invalid value: -1: must be positive"
    );
}

#[test]
fn unknown_fields_of_typed_objects_are_reported() {
    let level: v1beta2::PriorityLevelConfiguration = serde_json::from_value(json!({
        "metadata": {"name": "a", "label": {}},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}, "shares": 3, "lendablePercent": 5}},
    }))
    .unwrap();
    let unknown = |release: &str| -> Vec<String> {
        let violations = validate::create_typed(&level, release.parse().unwrap());
        let updates = validate::update_typed(&level, &level, release.parse().unwrap());
        let unknown = |v: &&validate::Violation| v.reason == validate::Reason::UnknownField;
        assert!(
            violations
                .iter()
                .filter(unknown)
                .eq(updates.iter().filter(unknown))
        );
        violations
            .iter()
            .filter(unknown)
            .map(|v| v.field.clone())
            .collect()
    };
    assert_eq!(unknown("1.28"), ["metadata.label", "spec.limited.shares"]);
    // A server that does not know a field yet drops it as well.
    let fields = unknown("1.25");
    assert_eq!(
        fields,
        [
            "metadata.label",
            "spec.limited.lendablePercent",
            "spec.limited.shares"
        ]
    );
}

/// A server ignores a number beyond all types in an unknown field, and drops the field.
#[test]
fn an_unknown_field_with_a_huge_number_changes_no_verdict() {
    let schema = |unknown: &str| -> v1::FlowSchema {
        let text = format!(
            r#"{{"metadata": {{"name": "a"{unknown}}}, "spec": {{"matchingPrecedence": -1{unknown}}}{unknown}}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let (plain, huge) = (schema(""), schema(r#", "future": [1e400]"#));
    let release = Release::NEWEST;
    let violations = validate::create_typed(&plain, release);
    let fields: Vec<_> = violations.iter().map(|v| v.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "spec.matchingPrecedence",
            "spec.priorityLevelConfiguration.name"
        ]
    );
    let (unknown, known): (Vec<_>, Vec<_>) = validate::create_typed(&huge, release)
        .into_iter()
        .partition(|violation| violation.reason == validate::Reason::UnknownField);
    assert_eq!((unknown.len(), &known), (3, &violations));
    assert_eq!(
        validate::update_typed(&huge, &huge, release)[3..],
        validate::update_typed(&plain, &plain, release)
    );
    assert_eq!(
        validate::update_status_typed(&huge, &huge, release),
        validate::update_status_typed(&plain, &plain, release)
    );
    let kind = VersionedKind::of::<v1::FlowSchema>(release);
    let mut request = Request::new(kind, Operation::Create { existing: &[] });
    request.field_validation = FieldValidation::Ignore;
    let verdict = verdict::of_typed(&huge, &request);
    assert_eq!(verdict.code, 422);
    assert_eq!(verdict.failure, verdict::of_typed(&plain, &request).failure);
}
