//! A schema that matches requests of system components before their own schemas.

use super::{Context, Report, Rule, Severity};
use crate::system_requests::{SYSTEM_REQUESTS, SystemRequest};

pub(super) const RULE: Rule = Rule {
    id: "takes-system-traffic",
    severity: Severity::Warning,
    summary: "A flow schema for all users matches requests that the cluster depends on.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    let takers: Vec<_> = SYSTEM_REQUESTS
        .iter()
        .filter_map(|request| Some((taker(context, request)?, request.what)))
        .collect();
    for schema in context.user_schemas() {
        let taken: Vec<&str> = takers
            .iter()
            .filter(|(taker, _)| taker == schema.name())
            .map(|(_, what)| *what)
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
            let help =
                "use a matchingPrecedence from 9001 to 9899, or limit the schema to certain users";
            report.schema(schema, "spec.matchingPrecedence", message, help);
        }
    }
}

/// The name of the schema that matches the request, if it does so through a subject that includes many other users.
fn taker(context: &Context, request: &SystemRequest) -> Option<String> {
    let attributes = request.attributes()?;
    let explanation = context.classifier.explain(&attributes)?;
    let matched = explanation.matched()?;
    let name = explanation.classification.flow_schema;
    let schema = context.schemas.iter().find(|known| known.name() == name)?;
    let subject = schema
        .rules
        .get(matched.rule)?
        .subjects
        .get(matched.subject)?;
    subject.is_everybody().then(|| name.to_owned())
}
