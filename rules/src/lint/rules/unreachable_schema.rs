//! A schema whose requests all match earlier schemas.

use super::{Context, Report, Rule, Severity};
use crate::lint::cover::is_covered;

pub(super) const RULE: Rule = Rule {
    id: "unreachable-schema",
    severity: Severity::Error,
    summary: "Flow schemas that are tried earlier take everything that a flow schema would take.",
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
                "`{}`, tried earlier with precedence {}, takes every request that this schema would take",
                other.name(),
                other.precedence(),
            ),
            None => "schemas that are tried earlier together take every request that this schema \
                     would take"
                .to_owned(),
        };
        let help =
            "give it a smaller matchingPrecedence than those that take its requests, or delete it";
        report.schema(schema, "spec.matchingPrecedence", message, help);
    }
}
