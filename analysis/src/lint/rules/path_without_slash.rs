//! Paths that do not begin with a slash.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "path-without-slash",
    severity: Severity::Warning,
    summary: "An entry in nonResourceURLs does not begin with a slash; a server rejects the object.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        for (path, policy) in schema.non_resource_policies() {
            for (index, url) in policy.non_resource_urls.iter().enumerate() {
                if url != "*" && !url.starts_with('/') {
                    let message =
                        format!("the path of a request begins with a slash, and `{url}` does not");
                    let help = format!("write /{url}");
                    let path = format!("{path}.nonResourceURLs[{index}]");
                    report.schema(schema, path, message, &help);
                }
            }
        }
    }
}
