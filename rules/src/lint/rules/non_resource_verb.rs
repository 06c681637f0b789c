//! Verbs that non-resource requests never have.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_types::api::v1::Verb;

pub(super) const RULE: Rule = Rule {
    id: "non-resource-verb",
    severity: Severity::Warning,
    summary: "A rule for other paths names a verb that only requests for resources have.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        for (path, policy) in schema.non_resource_policies() {
            for (index, verb) in policy.verbs.iter().enumerate() {
                if is_for_resources_only(verb) {
                    let path = format!("{path}.verbs[{index}]");
                    let message = format!(
                        "requests for other paths have their HTTP method as verb, which is never `{}`",
                        verb.as_str()
                    );
                    let help = "use get, patch or delete, or \"*\" for all: post, put and head cannot be named";
                    report.schema(schema, path, message, help);
                }
            }
        }
    }
}

fn is_for_resources_only(verb: &Verb) -> bool {
    use Verb::{Create, Deletecollection, List, Proxy, Update, Watch};
    matches!(
        verb,
        List | Watch | Create | Update | Deletecollection | Proxy
    )
}
