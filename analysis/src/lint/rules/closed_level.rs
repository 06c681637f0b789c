//! A level that executes no requests.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_rules::objects;

pub(super) const RULE: Rule = Rule {
    id: "closed-level",
    severity: Severity::Warning,
    summary: "A priority level without seats does not reject requests immediately.",
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
                "the level never has a seat, so its requests are queued and rejected only after a timeout \
                 (15 seconds with the server's defaults)",
                "deny the requests with authorization, or give the level shares; limitResponse type Reject rejects them \
                 immediately, except one at a time while the level is idle",
            )
        } else {
            (
                "the level never has a seat, but a level of type Reject still executes one request \
                 at a time while it is idle",
                "deny the requests with authorization instead, or give the level shares",
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
