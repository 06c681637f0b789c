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
                        "`{url}` matches every path, because an entry also matches all paths below it"
                    );
                    let help =
                        "use \"*\" to match every path; an entry cannot match only the root path";
                    report.schema(schema, path, message, help);
                }
            }
        }
    }
}
