//! Partial objects, which send what a program sets.

use k8s_flowcontrol_types::api::v1::{FlowSchema, PolicyRulesWithSubjects, Subject, UserSubject};
use k8s_flowcontrol_types::{Resource, always_send, json};
use serde_json::json;

#[test]
fn defaults_are_sent_in_elements_of_lists_and_survive_a_change() {
    let mut user = UserSubject::default();
    always_send!(user, name);
    let mut subject = Subject {
        user: Some(user),
        ..Subject::default()
    };
    let mut rule = PolicyRulesWithSubjects::default();
    always_send!(rule, resource_rules);
    subject.kind = "User".into();
    rule.subjects = vec![subject, Subject::default()];
    let mut schema = FlowSchema::partial("a");
    schema.spec.rules.push(rule);
    let spec = &mut schema.spec;
    always_send!(spec, matching_precedence);
    let spec = json!({
        "matchingPrecedence": null,
        "rules": [{"subjects": [{"kind": "User", "user": {"name": ""}}, {}], "resourceRules": []}],
    });
    assert_eq!(json::to_value(&schema.clone()).unwrap()["spec"], spec);
    schema.spec.matching_precedence = Some(0);
    assert_eq!(
        json::to_value(&schema).unwrap()["spec"]["matchingPrecedence"],
        0
    );
}

#[test]
fn partial_objects_equal_those_that_send_the_same() {
    let mut whole = FlowSchema::default();
    whole.metadata.name = Some("a".to_owned());
    let mut partial = FlowSchema::partial("a");
    assert_ne!(partial, whole);
    assert_eq!(partial, FlowSchema::partial("a"));
    let tree =
        json!({"metadata": {"name": "a"}, "spec": {"priorityLevelConfiguration": {"name": ""}}});
    let sending = FlowSchema::partial_from(&tree).unwrap();
    assert_ne!(partial, sending);
    always_send!(partial.spec.priority_level_configuration, name);
    assert_eq!(partial, sending);
}
