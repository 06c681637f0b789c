//! A part of an object that does not survive the conversion to v1.

use super::{Context, FaultKind, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "conversion-loss",
    severity: Severity::Warning,
    summary: "A part of an object is lost or changes its meaning when a server converts the object to v1.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for fault in &context.faults {
        if let FaultKind::Loss(reason) = &fault.what {
            let message = format!("the conversion to v1 changes this ({reason})");
            let help = "remove it, or write the object in v1 with the meaning that you want";
            report.fault(fault, message, help);
        }
    }
}
