//! A level without shares that cannot lend.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "zero-shares-lend",
    severity: Severity::Note,
    summary: "A priority level without shares has nothing to lend.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for level in context.user_levels() {
        let shares = context
            .limits
            .level(level.name())
            .map(|limits| limits.shares);
        let limited = level.object.spec.limited.as_ref();
        let percent = limited
            .and_then(|limited| limited.lendable_percent)
            .unwrap_or(0);
        if shares == Some(0) && percent > 0 {
            let message = format!("the level has no shares, so {percent} % of its seats are 0");
            let help = "remove lendablePercent, or give the level shares";
            report.level(level, "spec.limited.lendablePercent", message, help);
        }
    }
}
