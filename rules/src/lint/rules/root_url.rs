//! The URL `/`, which matches every path.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "root-url",
    severity: Severity::Warning,
    summary: "The entry \"/\" in nonResourceURLs matches every path.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        for (path, policy) in schema.non_resource_policies() {
            for (index, url) in policy.non_resource_urls.iter().enumerate() {
                if url == "/" || url == "/*" {
                    let path = format!("{path}.nonResourceURLs[{index}]");
                    let message = format!(
                        "`{url}` matches every path, as an entry matches all paths below it too"
                    );
                    let help =
                        "write \"*\" if every path is meant; the root path alone cannot be matched";
                    report.schema(schema, path, message, help);
                }
            }
        }
    }
}
