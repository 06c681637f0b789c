//! All users in one flow.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_rules::matching::Subject;
use k8s_flowcontrol_rules::objects;

pub(super) const RULE: Rule = Rule {
    id: "one-flow",
    severity: Severity::Note,
    summary: "A flow schema for many users puts them all in one flow of a level with queues.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas().filter(|schema| !schema.dangling) {
        let Some(level) = context.level(schema.level()) else {
            continue;
        };
        let queues = objects::queuing(&level.object).map_or(0, |(queues, _)| queues);
        let several_users = schema
            .rules
            .iter()
            .any(|rule| rule.subjects.iter().any(Subject::is_wide));
        if queues > 1 && several_users && schema.object.spec.distinguisher_method.is_none() {
            let message =
                "without distinguisherMethod all requests are one flow, so one busy user \
                           delays all others"
                    .to_owned();
            let help = "set distinguisherMethod.type to ByUser or ByNamespace";
            report.schema(schema, "spec.distinguisherMethod", message, help);
        }
    }
}
