//! A level that lends all its seats.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "lends-everything",
    severity: Severity::Note,
    summary: "A priority level that lends all its seats keeps none for a sudden request.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for level in context.user_levels() {
        let Some(limits) = context.limits.level(level.name()) else {
            continue;
        };
        if !limits.exempt && limits.nominal > 0 && limits.minimum == 0 {
            let message = format!(
                "the level lends all of its {} seats, and gets them back only at the next adjustment, up \
                 to ten seconds after it needs them",
                limits.nominal
            );
            let help = "lend less, so that new requests find a free seat";
            report.level(level, "spec.limited.lendablePercent", message, help);
        }
    }
}
