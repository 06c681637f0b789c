//! Several objects with the same name.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "duplicate-object",
    severity: Severity::Warning,
    summary: "Several objects have the same kind and name, and only the last one has an effect.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for (kind, name) in &context.duplicates {
        let message =
            "several objects have this kind and name: only the last one is used".to_owned();
        let help = "delete all but one of them, or give them different names";
        report.push(*kind, name, "metadata.name".to_owned(), message, help);
    }
}
