//! Verbs that no request has.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_types::api::v1::Verb;

pub(super) const RULE: Rule = Rule {
    id: "unknown-verb",
    severity: Severity::Warning,
    summary: "An entry in verbs is not a verb of requests; a server rejects the object.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        let resources = schema.resource_policies();
        let resources = resources.map(|(path, policy)| (path, &policy.verbs));
        let others = schema.non_resource_policies();
        let others = others.map(|(path, policy)| (path, &policy.verbs));
        for (path, verbs) in resources.chain(others) {
            for (index, verb) in verbs.iter().enumerate().filter(|(_, verb)| !is_known(verb)) {
                let message = format!("`{}` is not a verb of requests", verb.as_str());
                let help = "use get, list, watch, create, update, patch, delete, deletecollection or proxy in lower case, or \"*\"";
                report.schema(schema, format!("{path}.verbs[{index}]"), message, help);
            }
        }
    }
}

fn is_known(verb: &Verb) -> bool {
    use Verb::{All, Create, Delete, Deletecollection, Get, List, Patch, Proxy, Update, Watch};
    matches!(
        verb,
        All | Create | Delete | Deletecollection | Get | List | Patch | Proxy | Update | Watch
    )
}
