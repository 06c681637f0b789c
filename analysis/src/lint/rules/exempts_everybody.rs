//! A schema that exempts all users from limits.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_rules::matching::{Names, PolicyRule, Subject, Url};
use k8s_flowcontrol_types::api::v1::PriorityLevelType;

pub(super) const RULE: Rule = Rule {
    id: "exempts-everybody",
    severity: Severity::Warning,
    summary: "A flow schema exempts most requests of most users from all limits.",
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
            if rule.subjects.iter().any(Subject::is_wide) && is_about_everything(rule) {
                let message =
                    "requests of an exempt level are never queued or rejected, and this rule \
                               matches most requests of most users"
                        .to_owned();
                let help = "limit the rule to the users and requests that must never wait, or use a limited level";
                report.schema(schema, format!("spec.rules[{index}]"), message, help);
            }
        }
    }
}

fn is_about_everything(rule: &PolicyRule) -> bool {
    let is_any_url = |url: &Url| match url {
        Url::Any => true,
        Url::Path { below, .. } => &**below == "/",
    };
    rule.resource_rules
        .iter()
        .any(|policy| policy.resources == Names::Any)
        || rule
            .non_resource_rules
            .iter()
            .any(|policy| policy.urls.iter().any(is_any_url))
}
