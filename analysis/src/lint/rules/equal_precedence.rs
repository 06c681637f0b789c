//! Schemas whose order depends on their names.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::Maintainer;
use k8s_flowcontrol_rules::matching::may_overlap;

pub(super) const RULE: Rule = Rule {
    id: "equal-precedence",
    severity: Severity::Warning,
    summary: "Two flow schemas of the same precedence can match the same request.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for (index, second) in context.schemas.iter().enumerate() {
        // One pair per schema is enough.
        let first = context.schemas[..index].iter().find(|first| {
            first.precedence() == second.precedence()
                && (first.maintainer == Maintainer::User || second.maintainer == Maintainer::User)
                && !first.dangling
                && !second.dangling
                && first
                    .rules
                    .iter()
                    .any(|left| second.rules.iter().any(|right| may_overlap(left, right)))
        });
        let Some(first) = first else { continue };
        // The finding is about a schema that users can edit.
        let (edited, other) = if second.maintainer == Maintainer::User {
            (second, first)
        } else {
            (first, second)
        };
        let message = format!(
            "`{}` has the same precedence {} and may match the same requests; `{}` wins because its name \
             is smaller",
            other.name(),
            edited.precedence(),
            first.name(),
        );
        let help =
            "give them different precedences, so that their order does not depend on their names";
        report.schema(edited, "spec.matchingPrecedence", message, help);
    }
}
