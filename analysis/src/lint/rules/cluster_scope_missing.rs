//! A rule for all namespaces that does not match requests without a namespace.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_types::api::v1::{ResourcePolicyRule, Verb};

pub(super) const RULE: Rule = Rule {
    id: "cluster-scope-missing",
    severity: Severity::Note,
    summary: "A rule for all namespaces does not match lists and watches across namespaces.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        for (path, policy) in schema.resource_policies() {
            if leaves_out_collections(policy) {
                let message =
                    "the rule is for all namespaces, but not for lists and watches across \
                               namespaces, nor for cluster-scoped resources"
                        .to_owned();
                let help = "set clusterScope to true to include them";
                report.schema(schema, format!("{path}.clusterScope"), message, help);
            }
        }
    }
}

fn leaves_out_collections(rule: &ResourcePolicyRule) -> bool {
    let across = |verb: &Verb| {
        matches!(
            verb,
            Verb::All | Verb::List | Verb::Watch | Verb::Deletecollection
        )
    };
    !rule.cluster_scope.unwrap_or(false)
        && rule.namespaces.as_slice() == ["*"]
        && rule.verbs.iter().any(across)
}
