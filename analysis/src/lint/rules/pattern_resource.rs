//! Resource patterns, which the server reads as plain names.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "pattern-resource",
    severity: Severity::Warning,
    summary: "An entry in resources is a pattern or misspelled and matches no request.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        for (path, policy) in schema.resource_policies() {
            for (index, resource) in policy.resources.iter().enumerate() {
                if let Some((message, help)) = problem(resource) {
                    report.schema(schema, format!("{path}.resources[{index}]"), message, help);
                }
            }
        }
    }
}

fn problem(resource: &str) -> Option<(String, &'static str)> {
    if resource != "*" && resource.contains('*') {
        let message = format!(
            "`{resource}` is compared literally and matches no request: only a single * is a wildcard"
        );
        return Some((
            message,
            "list resources and subresources by name, such as pods and pods/status",
        ));
    }
    let is_misspelled = resource.is_empty()
        || resource.contains(char::is_whitespace)
        || resource.contains(char::is_uppercase);
    is_misspelled.then(|| {
        let message = format!("the resource `{resource}` does not exist");
        (message, "use the plural name in lower case, such as pods")
    })
}
