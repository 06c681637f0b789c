//! Verbs that no request has.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_types::api::v1::Verb;

pub(super) const RULE: Rule = Rule {
    id: "unknown-verb",
    severity: Severity::Warning,
    summary: "An entry in verbs is not a verb that a flow schema can name; a server rejects the object.",
    check,
};

const OF_RESOURCES: &str = "use get, list, watch, create, update, patch, delete, deletecollection or proxy in lower case, or \"*\"";
const OF_PATHS: &str =
    "use get, patch or delete in lower case, or \"*\" for all verbs, such as post, put and head";

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        let resources = schema.resource_policies();
        let resources = resources.map(|(path, policy)| (path, &policy.verbs, OF_RESOURCES));
        let others = schema.non_resource_policies();
        let others = others.map(|(path, policy)| (path, &policy.verbs, OF_PATHS));
        for (path, verbs, help) in resources.chain(others) {
            for (index, verb) in verbs.iter().enumerate().filter(|(_, verb)| !is_known(verb)) {
                let verb = verb.as_str();
                let message = format!("`{verb}` is not a verb that a flow schema can name");
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
