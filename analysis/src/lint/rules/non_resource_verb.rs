//! Verbs that non-resource requests never have.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_types::api::v1::Verb;

pub(super) const RULE: Rule = Rule {
    id: "non-resource-verb",
    severity: Severity::Warning,
    summary: "A non-resource rule has a verb that only resource requests have.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        for (path, policy) in schema.non_resource_policies() {
            for (index, verb) in policy.verbs.iter().enumerate() {
                if is_for_resources_only(verb) {
                    let path = format!("{path}.verbs[{index}]");
                    let message = format!(
                        "the verb of a non-resource request is its HTTP method, which is never `{}`",
                        verb.as_str()
                    );
                    let help = "use get, patch or delete, or \"*\" for all verbs: post, put and head are not valid";
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
