//! A level without shares that still executes requests, because it can borrow.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "zero-shares-borrow",
    severity: Severity::Warning,
    summary: "A priority level without shares can still borrow seats.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for level in context.user_levels() {
        let limits = context.limits.level(level.name());
        let borrows = limits.is_some_and(|limits| {
            !limits.exempt && limits.shares == 0 && limits.borrowing.is_none()
        });
        if borrows {
            let message = "the level has no shares, but without a borrowing limit it can borrow \
                           every seat that other levels lend"
                .to_owned();
            let help = "set borrowingLimitPercent to 0 to close the level, or give it shares";
            report.level(level, "spec.limited.borrowingLimitPercent", message, help);
        }
    }
}
