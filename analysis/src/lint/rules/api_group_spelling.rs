//! API groups that do not exist.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "api-group-spelling",
    severity: Severity::Warning,
    summary: "An entry in apiGroups is not an API group and matches no request.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        for (path, policy) in schema.resource_policies() {
            for (index, group) in policy.api_groups.iter().enumerate() {
                if let Some((message, help)) = problem(group) {
                    report.schema(schema, format!("{path}.apiGroups[{index}]"), message, help);
                }
            }
        }
    }
}

fn problem(group: &str) -> Option<(String, &'static str)> {
    let is_version = || {
        group
            .strip_prefix('v')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    if group == "core" || (is_version() && !group.contains('.')) {
        let message = format!("the API group `{group}` does not exist");
        return Some((message, "write \"\" for the core group"));
    }
    if group.contains('/') {
        let message = format!("`{group}` is an API group with a version and matches no request");
        return Some((
            message,
            "remove the version: a flow schema matches all versions of a group",
        ));
    }
    if group != "*" && group.contains('*') {
        let message = format!(
            "`{group}` is compared literally and matches no request: only a single * is a wildcard"
        );
        return Some((message, "list the API groups by name"));
    }
    None
}
