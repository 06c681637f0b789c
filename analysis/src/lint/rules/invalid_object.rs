//! An object that a server rejects.

use super::{Context, FaultKind, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "invalid-object",
    severity: Severity::Error,
    summary: "A server rejects the object.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for fault in &context.faults {
        if let FaultKind::Invalid(reason) = &fault.what {
            let message = format!("a server rejects this object: {reason}");
            report.fault(fault, message, "`validate` lists all its errors");
        }
    }
}
