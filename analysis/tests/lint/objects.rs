//! Objects for lint tests, and short forms of findings.

use crate::built_in::read;
use k8s_flowcontrol_analysis::lint::{Configuration, Finding, lint};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::{Value, json};

/// A schema for `subjects` with one rule; fields of `spec` can be replaced.
pub(crate) fn schema(name: &str, subjects: Value, policies: Value, spec: Value) -> FlowSchema {
    let mut rule = policies;
    rule["subjects"] = subjects;
    let mut object = json!({"metadata": {"name": name}, "spec": {
        "priorityLevelConfiguration": {"name": "workload-low"},
        "matchingPrecedence": 1000,
        "distinguisherMethod": {"type": "ByUser"},
        "rules": [rule]}});
    for (field, value) in spec.as_object().unwrap() {
        object["spec"][field] = value.clone();
    }
    read(object)
}

pub(crate) fn level(name: &str, limited: Value) -> PriorityLevelConfiguration {
    let mut limited = limited;
    if limited.get("limitResponse").is_none() {
        limited["limitResponse"] = json!({"type": "Reject"});
    }
    read(json!({"metadata": {"name": name}, "spec": {"type": "Limited", "limited": limited}}))
}

pub(crate) fn user(name: &str) -> Value {
    json!([{"kind": "User", "user": {"name": name}}])
}

pub(crate) fn group(name: &str) -> Value {
    json!([{"kind": "Group", "group": {"name": name}}])
}

pub(crate) fn pods() -> Value {
    json!({"resourceRules": [
        {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "namespaces": ["a"]}]})
}

pub(crate) fn everything() -> Value {
    json!({
        "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
            "namespaces": ["*"], "clusterScope": true}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]})
}

pub(crate) fn urls(verbs: Value, urls: Value) -> Value {
    json!({"nonResourceRules": [{"verbs": verbs, "nonResourceURLs": urls}]})
}

/// Rule and path of each finding.
pub(crate) fn found(findings: &[Finding]) -> Vec<(&str, &str)> {
    findings
        .iter()
        .map(|finding| (finding.rule, finding.path.as_str()))
        .collect()
}

pub(crate) fn schema_findings(schemas: &[FlowSchema]) -> Vec<Finding> {
    lint(&Configuration::files(schemas, &[], Release::NEWEST))
}

/// The findings of a level that a schema refers to.
pub(crate) fn level_findings(level: PriorityLevelConfiguration) -> Vec<Finding> {
    let name = level.metadata.name.clone().unwrap();
    let spec = json!({"priorityLevelConfiguration": {"name": name}, "distinguisherMethod": null});
    let user = schema("user", user("u"), pods(), spec);
    lint(&Configuration::files(&[user], &[level], Release::NEWEST))
}
