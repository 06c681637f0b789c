//! A schema whose requests all match earlier schemas.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_rules::matching::is_covered;

pub(super) const RULE: Rule = Rule {
    id: "unreachable-schema",
    severity: Severity::Error,
    summary: "Every request that a flow schema matches also matches an earlier one.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context
        .user_schemas()
        .filter(|schema| !schema.rules.is_empty())
    {
        let before = || {
            context
                .schemas
                .iter()
                .take_while(|other| other.name() != schema.name())
                .filter(|other| !other.dangling)
        };
        let earlier: Vec<_> = before().flat_map(|other| &other.rules).collect();
        if !schema.rules.iter().all(|rule| is_covered(rule, &earlier)) {
            continue;
        }
        // If a single schema covers it, the message names that schema.
        let alone = before().find(|other| {
            let rules: Vec<_> = other.rules.iter().collect();
            schema.rules.iter().all(|rule| is_covered(rule, &rules))
        });
        let message = match alone {
            Some(other) => format!(
                "`{}`, tried earlier with precedence {}, matches every request that this schema matches",
                other.name(),
                other.precedence(),
            ),
            None => "earlier schemas together match every request that this schema \
                     matches"
                .to_owned(),
        };
        let help = "give it a smaller matchingPrecedence than the earlier schemas, or delete it";
        report.schema(schema, "spec.matchingPrecedence", message, help);
    }
}
