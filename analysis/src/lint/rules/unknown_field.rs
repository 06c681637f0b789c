//! A field that the version of an object does not have.

use super::{Context, FaultKind, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "unknown-field",
    severity: Severity::Warning,
    summary: "An object has a field that its version does not have, so the field has no effect.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for fault in &context.faults {
        if fault.what != FaultKind::UnknownField {
            continue;
        }
        let help = match fault.path.contains("limited.")
            && fault.path.ends_with("ConcurrencyShares")
        {
            true => {
                "the field is assuredConcurrencyShares up to v1beta2 and nominalConcurrencyShares since v1beta3"
            }
            false => "correct the name of the field, or remove the field",
        };
        let message = "the version of the object does not have this field: a server rejects the object, or ignores the field";
        report.fault(fault, message.to_owned(), help);
    }
}
