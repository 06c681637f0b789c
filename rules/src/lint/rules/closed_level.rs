//! A level that executes no requests.

use super::{Context, Report, Rule, Severity};
use crate::objects;

pub(super) const RULE: Rule = Rule {
    id: "closed-level",
    severity: Severity::Warning,
    summary: "A priority level without seats does not refuse requests at once.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for level in context.user_levels() {
        if !context
            .limits
            .level(level.name())
            .is_some_and(|limits| limits.is_closed())
        {
            continue;
        }
        let (message, help) = if objects::queuing(&level.object).is_some() {
            (
                "the level never has a seat, so its requests wait in queues until they time out \
                 (15 seconds with the server's default timeout) and are refused then",
                "use limitResponse type Reject to refuse them at once, or give the level shares",
            )
        } else {
            (
                "the level never has a seat, but a level of type Reject still executes one request \
                 while it is idle",
                "use authorization to keep requests out altogether, or give the level shares",
            )
        };
        report.level(
            level,
            "spec.limited.limitResponse.type",
            message.to_owned(),
            help,
        );
    }
}
