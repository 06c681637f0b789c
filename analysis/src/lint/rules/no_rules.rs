//! A schema without rules.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "no-rules",
    severity: Severity::Error,
    summary: "A flow schema without rules matches nothing.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context
        .user_schemas()
        .filter(|schema| schema.rules.is_empty())
    {
        let message = "a flow schema without rules matches no request".to_owned();
        report.schema(
            schema,
            "spec.rules",
            message,
            "add a rule, or delete the schema",
        );
    }
}
