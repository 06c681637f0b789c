//! Invalid values in messages: JSON since 1.34, Go source before.

use k8s_flowcontrol_rules::validate;
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
use serde_json::json;

#[test]
fn messages_print_values_as_the_release_does() {
    let schema = json!({
        "metadata": {"name": "exempt", "ownerReferences": [
            {"apiVersion": "v1", "kind": "Event", "name": "a", "uid": "b", "controller": true},
        ]},
        "spec": {
            "priorityLevelConfiguration": {"name": "a\"<"},
            "matchingPrecedence": -3,
            "rules": [{"subjects": [], "nonResourceRules": [{"verbs": ["get"]}]}],
        },
    });
    for (minor, owner, spec) in [
        (
            36,
            r#"{"apiVersion":"v1","kind":"Event","name":"a","uid":"b","controller":true}"#,
            concat!(
                r#"{"PriorityLevelConfiguration":{"Name":"a\"\u003c"},"MatchingPrecedence":-3,"#,
                r#""DistinguisherMethod":null,"Rules":[{"Subjects":[],"ResourceRules":null,"#,
                r#""NonResourceRules":[{"Verbs":["get"],"NonResourceURLs":null}]}]}"#,
            ),
        ),
        (
            33,
            concat!(
                r#"v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"a", UID:"b", "#,
                r"Controller:(*bool)(0xc000000000), BlockOwnerDeletion:(*bool)(nil)}",
            ),
            concat!(
                "flowcontrol.FlowSchemaSpec{PriorityLevelConfiguration:",
                r#"flowcontrol.PriorityLevelConfigurationReference{Name:"a\"<"}, MatchingPrecedence:-3, "#,
                "DistinguisherMethod:(*flowcontrol.FlowDistinguisherMethod)(nil), ",
                "Rules:[]flowcontrol.PolicyRulesWithSubjects{flowcontrol.PolicyRulesWithSubjects{",
                "Subjects:[]flowcontrol.Subject{}, ResourceRules:[]flowcontrol.ResourcePolicyRule(nil), ",
                "NonResourceRules:[]flowcontrol.NonResourcePolicyRule{flowcontrol.NonResourcePolicyRule{",
                r#"Verbs:[]string{"get"}, NonResourceURLs:[]string(nil)}}}}}"#,
            ),
        ),
    ] {
        let release = Release::new(minor).unwrap();
        let kind = VersionedKind::new(Kind::FlowSchema, ApiVersion::V1, release);
        let violations = validate::create(&schema, kind);
        let messages: Vec<_> = violations
            .iter()
            .filter(|violation| ["metadata.ownerReferences", "spec"].contains(&&*violation.field))
            .map(|violation| violation.message.as_str())
            .collect();
        assert_eq!(
            messages,
            [
                format!(
                    "Invalid value: {owner}: /v1, Kind=Event is disallowed from being an owner"
                ),
                format!("Invalid value: {spec}: spec of 'exempt' must equal the fixed value"),
            ],
            "{release}"
        );
    }
}

#[test]
fn only_a_version_is_named_when_a_field_of_an_owner_is_empty() {
    let schema = json!({
        "metadata": {"name": "a", "ownerReferences": [{"apiVersion": "a/b/c", "kind": "", "name": "", "uid": ""}]},
        "spec": {"priorityLevelConfiguration": {"name": "a"}, "matchingPrecedence": 1000},
    });
    let kind = VersionedKind::new(Kind::FlowSchema, ApiVersion::V1, Release::new(36).unwrap());
    let messages: Vec<_> = validate::create(&schema, kind)
        .into_iter()
        .map(|violation| format!("{}: {}", violation.field, violation.message))
        .collect();
    assert_eq!(
        messages,
        [
            "metadata.ownerReferences.apiVersion: Invalid value: \"a/b/c\": version must not be empty",
            "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty",
            "metadata.ownerReferences.name: Invalid value: \"\": must not be empty",
            "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty",
        ]
    );
}
