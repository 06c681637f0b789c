//! The parts of a FlowSchema.

use super::status::status;
use super::{Losses, each, openapi, optional};
use crate::metadata;
use k8s_flowcontrol::api::v1;

pub(super) fn spec_from(spec: openapi::FlowSchemaSpec) -> v1::FlowSchemaSpec {
    v1::FlowSchemaSpec {
        priority_level_configuration: v1::PriorityLevelConfigurationReference {
            name: spec.priority_level_configuration.name,
            ..Default::default()
        },
        matching_precedence: spec.matching_precedence,
        distinguisher_method: spec
            .distinguisher_method
            .map(|method| v1::FlowDistinguisherMethod {
                r#type: method.type_.into(),
                ..Default::default()
            }),
        rules: each(spec.rules.unwrap_or_default(), rules_from),
        ..Default::default()
    }
}

pub(super) fn spec_to(spec: v1::FlowSchemaSpec, losses: &mut Losses) -> openapi::FlowSchemaSpec {
    losses.unknown(&spec.unknown);
    let level = spec.priority_level_configuration;
    losses.within("priorityLevelConfiguration", |losses| {
        losses.unknown(&level.unknown)
    });
    openapi::FlowSchemaSpec {
        distinguisher_method: spec.distinguisher_method.map(|method| {
            losses.within("distinguisherMethod", |losses| {
                losses.unknown(&method.unknown)
            });
            openapi::FlowDistinguisherMethod {
                type_: method.r#type.as_str().to_owned(),
            }
        }),
        matching_precedence: spec.matching_precedence,
        priority_level_configuration: openapi::PriorityLevelConfigurationReference {
            name: level.name,
        },
        rules: optional(losses.each("rules", spec.rules, rules_to)),
    }
}

status!(FlowSchemaStatus, FlowSchemaCondition);

fn rules_from(rules: openapi::PolicyRulesWithSubjects) -> v1::PolicyRulesWithSubjects {
    v1::PolicyRulesWithSubjects {
        subjects: each(rules.subjects, subject_from),
        resource_rules: each(rules.resource_rules.unwrap_or_default(), |rule| {
            v1::ResourcePolicyRule {
                verbs: each(rule.verbs, v1::Verb::from),
                api_groups: rule.api_groups,
                resources: rule.resources,
                cluster_scope: rule.cluster_scope,
                namespaces: rule.namespaces.unwrap_or_default(),
                ..Default::default()
            }
        }),
        non_resource_rules: each(rules.non_resource_rules.unwrap_or_default(), |rule| {
            v1::NonResourcePolicyRule {
                verbs: each(rule.verbs, v1::Verb::from),
                non_resource_urls: rule.non_resource_urls,
                ..Default::default()
            }
        }),
        ..Default::default()
    }
}

fn rules_to(
    rules: v1::PolicyRulesWithSubjects,
    losses: &mut Losses,
) -> openapi::PolicyRulesWithSubjects {
    losses.unknown(&rules.unknown);
    let resource_rules = losses.each("resourceRules", rules.resource_rules, |rule, losses| {
        losses.unknown(&rule.unknown);
        openapi::ResourcePolicyRule {
            api_groups: rule.api_groups,
            cluster_scope: rule.cluster_scope,
            namespaces: optional(rule.namespaces),
            resources: rule.resources,
            verbs: each(rule.verbs, verb_to),
        }
    });
    let non_resource_rules = losses.each(
        "nonResourceRules",
        rules.non_resource_rules,
        |rule, losses| {
            losses.unknown(&rule.unknown);
            openapi::NonResourcePolicyRule {
                non_resource_urls: rule.non_resource_urls,
                verbs: each(rule.verbs, verb_to),
            }
        },
    );
    openapi::PolicyRulesWithSubjects {
        non_resource_rules: optional(non_resource_rules),
        resource_rules: optional(resource_rules),
        subjects: losses.each("subjects", rules.subjects, subject_to),
    }
}

fn verb_to(verb: v1::Verb) -> String {
    verb.as_str().to_owned()
}

fn subject_from(subject: openapi::Subject) -> v1::Subject {
    v1::Subject {
        kind: subject.kind.into(),
        user: subject.user.map(|user| v1::UserSubject {
            name: user.name,
            ..Default::default()
        }),
        group: subject.group.map(|group| v1::GroupSubject {
            name: group.name,
            ..Default::default()
        }),
        service_account: subject
            .service_account
            .map(|account| v1::ServiceAccountSubject {
                namespace: account.namespace,
                name: account.name,
                ..Default::default()
            }),
        ..Default::default()
    }
}

fn subject_to(subject: v1::Subject, losses: &mut Losses) -> openapi::Subject {
    losses.unknown(&subject.unknown);
    openapi::Subject {
        group: subject.group.map(|group| {
            losses.within("group", |losses| losses.unknown(&group.unknown));
            openapi::GroupSubject { name: group.name }
        }),
        kind: subject.kind.as_str().to_owned(),
        service_account: subject.service_account.map(|account| {
            losses.within("serviceAccount", |losses| losses.unknown(&account.unknown));
            openapi::ServiceAccountSubject {
                name: account.name,
                namespace: account.namespace,
            }
        }),
        user: subject.user.map(|user| {
            losses.within("user", |losses| losses.unknown(&user.unknown));
            openapi::UserSubject { name: user.name }
        }),
    }
}
