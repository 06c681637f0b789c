//! A reference to a priority level that does not exist.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::{Maintainer, Schema};
use strsim::osa_distance;

pub(super) const RULE: Rule = Rule {
    id: "dangling-reference",
    severity: Severity::Error,
    summary: "A flow schema refers to a priority level that does not exist.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas().filter(|schema| schema.dangling) {
        let level = schema.level();
        let message = if context.level(level).is_some() {
            format!("the server ignores the priority level `{level}`, so it skips this schema")
        } else if context.complete {
            format!("there is no priority level `{level}`, so the server skips this schema")
        } else {
            format!("neither these files nor a new cluster have the priority level `{level}`")
        };
        let similar = similar(context, schema);
        let help = match similar {
            Some(name) => format!("did you mean `{name}`?"),
            None => "create the priority level, or refer to an existing level".to_owned(),
        };
        report.set_severity(severity(context, similar.is_some()));
        report.schema(
            schema,
            "spec.priorityLevelConfiguration.name",
            message,
            &help,
        );
    }
}

/// The cluster may have more levels than the files, unless the name is misspelt. Files that contain levels are probably
/// complete.
fn severity(context: &Context, is_misspelt: bool) -> Severity {
    let has_levels = || {
        let mut levels = context.levels.iter();
        levels.any(|level| level.maintainer != Maintainer::Assumed)
    };
    match context.complete || is_misspelt {
        true => RULE.severity,
        false if has_levels() => Severity::Warning,
        false => Severity::Note,
    }
}

/// The level whose name differs least from the reference, if it differs by few letters; a swap of neighbours counts as one.
fn similar<'a>(context: &'a Context, schema: &Schema) -> Option<&'a str> {
    let wanted = schema.level();
    let most = 1 + wanted.len() / 6;
    let levels = context.levels.iter().map(|level| level.name());
    let near = levels.filter(|name| *name != wanted);
    let near = near.map(|name| (osa_distance(wanted, name), name));
    let nearest = near.filter(|(distance, _)| *distance <= most).min();
    nearest.map(|(_, name)| name)
}
