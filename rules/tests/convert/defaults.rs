//! Defaults of JSON trees.

use k8s_flowcontrol_rules::defaults;
use k8s_flowcontrol_types::ApiVersion::{V1, V1Beta2, V1Beta3};
use k8s_flowcontrol_types::convert::{PRESERVE_ZERO_ANNOTATION, shares_name};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
use serde_json::{Value, json};

fn defaulted(mut object: Value, kind: Kind, version: ApiVersion, minor: u32) -> Value {
    let release = Release::new(minor).unwrap();
    defaults::apply(&mut object, VersionedKind::new(kind, version, release));
    object
}

#[test]
fn a_precedence_of_zero_is_absent() {
    for schema in [
        json!({}),
        json!({"spec": null}),
        json!({"spec": {"matchingPrecedence": 0}}),
    ] {
        assert_eq!(
            defaulted(schema, Kind::FlowSchema, V1, 36),
            json!({"spec": {"matchingPrecedence": 1000}})
        );
    }
}

#[test]
fn zero_shares_stay_in_v1_and_with_the_annotation() {
    for (version, minor, is_annotated, expected) in [
        (V1, 29, false, 0),
        (V1Beta3, 29, false, 30),
        (V1Beta3, 28, true, 30),
        (V1Beta3, 29, true, 0),
        (V1Beta2, 28, false, 30),
    ] {
        let name = shares_name(version);
        let mut level = json!({"spec": {"limited": {name: 0}}});
        if is_annotated {
            level["metadata"] = json!({"annotations": {PRESERVE_ZERO_ANNOTATION: ""}});
        }
        let level = defaulted(level, Kind::PriorityLevelConfiguration, version, minor);
        assert_eq!(
            level["spec"]["limited"][name], expected,
            "{version} {minor}"
        );
    }
}

#[test]
fn absent_objects_stay_absent_and_wrong_types_stay() {
    for level in [
        json!({}),
        json!({"spec": {"type": "Exempt"}}),
        json!({"spec": {"limited": "text"}}),
        json!({"spec": {"exempt": null}}),
    ] {
        let kind = Kind::PriorityLevelConfiguration;
        assert_eq!(defaulted(level.clone(), kind, V1, 36), level);
    }
}
