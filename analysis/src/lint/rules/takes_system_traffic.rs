//! A schema that matches requests of system components before their own schemas.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::Maintainer;
use crate::system_requests::{SYSTEM_REQUESTS, SystemRequest};
use k8s_flowcontrol_rules::matching::Subject;

pub(super) const RULE: Rule = Rule {
    id: "takes-system-traffic",
    severity: Severity::Warning,
    summary: "A flow schema for all users matches requests that the cluster depends on.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context
        .schemas
        .iter()
        .filter(|schema| schema.maintainer == Maintainer::User)
    {
        let taken: Vec<&str> = SYSTEM_REQUESTS
            .iter()
            .filter(|request| takes(context, schema.name(), request))
            .map(|request| request.what)
            .collect();
        // An exempt level starves no request.
        let limits = context.limits.level(schema.level());
        if !taken.is_empty() && limits.is_some_and(|limits| !limits.exempt) {
            let message = format!(
                "the schema is for all users, and because of its precedence it matches requests of {}, which \
                 then compete with all other requests in `{}`",
                taken.join(", "),
                schema.level(),
            );
            let help = "use a matchingPrecedence between 9000 and 9900, or limit the schema to certain users";
            report.schema(schema, "spec.matchingPrecedence", message, help);
        }
    }
}

/// Whether the schema matches the request, through a subject that includes many other users.
fn takes(context: &Context, schema: &str, request: &SystemRequest) -> bool {
    let Some(attributes) = request.attributes() else {
        return false;
    };
    let Some(explanation) = context.classifier.explain(&attributes) else {
        return false;
    };
    let Some(matched) = explanation.matched() else {
        return false;
    };
    explanation.classification.flow_schema == schema
        && context
            .schemas
            .iter()
            .find(|known| known.name() == schema)
            .and_then(|known| known.rules.get(matched.rule)?.subjects.get(matched.subject))
            .is_some_and(Subject::is_everybody)
}
