//! Subject patterns, which the server reads as plain names.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_rules::matching::{SERVICE_ACCOUNT_PREFIX, Subject};

pub(super) const RULE: Rule = Rule {
    id: "pattern-subject",
    severity: Severity::Warning,
    summary: "A user or group name is a pattern and matches no user.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        for (rule_index, rule) in schema.rules.iter().enumerate() {
            for (index, subject) in rule.subjects.iter().enumerate() {
                let (field, name) = match subject {
                    Subject::User(name) => ("user", name),
                    Subject::Group(name) => ("group", name),
                    _ => continue,
                };
                if !name.contains('*') {
                    continue;
                }
                let path = format!("spec.rules[{rule_index}].subjects[{index}].{field}.name");
                let message =
                    format!("`{name}` is compared literally: only a single * is a wildcard");
                let help = if name.starts_with(SERVICE_ACCOUNT_PREFIX) {
                    "use a subject of kind ServiceAccount with the name \"*\""
                } else {
                    "use a group that contains all these users"
                };
                report.schema(schema, path, message, help);
            }
        }
    }
}
