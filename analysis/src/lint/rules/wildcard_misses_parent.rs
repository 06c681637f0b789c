//! A wildcard URL that does not match its own parent path.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "wildcard-misses-parent",
    severity: Severity::Note,
    summary: "An entry such as \"/healthz/*\" does not match \"/healthz\" itself.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        for (path, policy) in schema.non_resource_policies() {
            let urls = &policy.non_resource_urls;
            for (index, url) in urls.iter().enumerate() {
                let parent = url.strip_suffix("/*").filter(|parent| !parent.is_empty());
                if let Some(parent) = parent
                    && !urls.iter().any(|other| takes(other, parent))
                {
                    let path = format!("{path}.nonResourceURLs[{index}]");
                    let message = format!("`{url}` does not match `{parent}` itself");
                    let help =
                        "write the path without \"/*\": it matches itself and all paths below it";
                    report.schema(schema, path, message, help);
                }
            }
        }
    }
}

fn takes(entry: &str, path: &str) -> bool {
    let trunk = entry
        .strip_suffix('*')
        .unwrap_or(entry)
        .trim_end_matches('/');
    entry == "*"
        || entry == path
        || path
            .strip_prefix(trunk)
            .is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
}
