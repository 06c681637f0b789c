//! A reference to a priority level that does not exist.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "dangling-reference",
    severity: Severity::Error,
    summary: "A flow schema refers to a priority level that does not exist.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    report.soften_unless(context.complete);
    for schema in context.user_schemas().filter(|schema| schema.dangling) {
        let level = schema.level();
        let message = if context.level(level).is_some() {
            format!("the server ignores the priority level `{level}`, so it skips this schema")
        } else if context.complete {
            format!("there is no priority level `{level}`, so the server skips this schema")
        } else {
            format!("neither these files nor a new cluster have the priority level `{level}`")
        };
        let help = "create the priority level, or refer to one that exists";
        report.schema(
            schema,
            "spec.priorityLevelConfiguration.name",
            message,
            help,
        );
    }
}
