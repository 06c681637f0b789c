//! A field that is written more than once.

use super::{Context, FaultKind, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "duplicate-field",
    severity: Severity::Warning,
    summary: "A field is written more than once, and only one of its values has an effect.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for fault in &context.faults {
        if fault.what == FaultKind::DuplicateField {
            let message = "the field is written more than once: a server rejects the object, or uses the last value";
            report.fault(fault, message.to_owned(), "keep one of them");
        }
    }
}
