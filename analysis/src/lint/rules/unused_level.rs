//! A level that no flow schema refers to.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "unused-level",
    severity: Severity::Warning,
    summary: "No flow schema refers to a priority level.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    if !context.complete {
        report.set_severity(Severity::Note);
    }
    for level in context.user_levels() {
        if context
            .schemas
            .iter()
            .any(|schema| schema.level() == level.name())
        {
            continue;
        }
        let seats = context
            .limits
            .level(level.name())
            .map_or(0, |limits| limits.nominal);
        let files = match context.complete {
            true => "",
            false => " of these files or of a new cluster",
        };
        let message = format!(
            "no flow schema{files} refers to the level, which has {seats} of the server's {} seats",
            context.limits.concurrency_limit()
        );
        report.level(
            level,
            "metadata.name",
            message,
            "refer to it from a flow schema, or delete it",
        );
    }
}
