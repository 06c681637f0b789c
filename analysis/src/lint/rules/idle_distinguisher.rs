//! A flow distinguisher without effect.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_rules::objects;

pub(super) const RULE: Rule = Rule {
    id: "idle-distinguisher",
    severity: Severity::Note,
    summary: "A flow schema has a distinguisher method, but its priority level does not separate flows.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        let Some(level) = context.level(schema.level()).filter(|_| !schema.dangling) else {
            continue;
        };
        let queues = objects::queuing(&level.object).map_or(0, |(queues, _)| queues);
        if queues <= 1 && schema.object.spec.distinguisher_method.is_some() {
            let message = format!(
                "the priority level `{}` does not have several queues, so flows are not separated",
                level.name()
            );
            let help = "remove distinguisherMethod, or use a priority level with queues";
            report.schema(schema, "spec.distinguisherMethod", message, help);
        }
    }
}
