//! A schema that exempts all users from limits.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_rules::matching::{Names, PolicyRule, Subject, Url};
use k8s_flowcontrol_types::api::v1::PriorityLevelType;

pub(super) const RULE: Rule = Rule {
    id: "exempts-everybody",
    severity: Severity::Warning,
    summary: "A flow schema exempts requests of many users from all limits, for all resources or for all paths.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        let Some(level) = context.level(schema.level()) else {
            continue;
        };
        if level.object.spec.r#type != PriorityLevelType::Exempt {
            continue;
        }
        for (index, rule) in schema.rules.iter().enumerate() {
            if !rule.subjects.iter().any(Subject::is_wide) {
                continue;
            }
            if let Some(requests) = most_requests(rule) {
                let message = format!(
                    "requests of an exempt level are never queued or rejected, and this rule matches requests of many users for {requests}"
                );
                let help = "limit the rule to the users and requests that must never wait, or use a limited level";
                report.schema(schema, format!("spec.rules[{index}]"), message, help);
            }
        }
    }
}

/// The things of which the rule matches all: resources, in all groups and in all namespaces or across them, or paths.
fn most_requests(rule: &PolicyRule) -> Option<&'static str> {
    let is_any_url = |url: &Url| match url {
        Url::Any => true,
        Url::Path { below, .. } => &**below == "/",
    };
    let mut resources = rule.resource_rules.iter();
    let mut others = rule.non_resource_rules.iter();
    if resources.any(|policy| {
        let is_everywhere = policy.cluster_scope || policy.namespaces == Names::Any;
        is_everywhere && policy.resources == Names::Any && policy.api_groups == Names::Any
    }) {
        return Some("all resources");
    }
    others
        .any(|policy| policy.urls.iter().any(is_any_url))
        .then_some("all paths")
}
