//! An object that the server deletes.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::auto_update;
use k8s_flowcontrol_rules::bootstrap::{self, AUTO_UPDATE_ANNOTATION};
use k8s_flowcontrol_types::Versioned;

pub(super) const RULE: Rule = Rule {
    id: "auto-update-annotation",
    severity: Severity::Error,
    summary: "An object has the annotation of built-in objects and is deleted, because it is not built-in.",
    check,
};

const HELP: &str = "remove the annotation";

fn check(context: &Context, report: &mut Report) {
    let path = format!("metadata.annotations[{AUTO_UPDATE_ANNOTATION}]");
    let message = || {
        "the annotation is for built-in objects; the server deletes every other object with it within \
         a minute"
            .to_owned()
    };
    for schema in context
        .user_schemas()
        .filter(|schema| is_lost(&schema.object, context))
    {
        report.schema(schema, path.as_str(), message(), HELP);
    }
    for level in context
        .user_levels()
        .filter(|level| is_lost(&level.object, context))
    {
        report.level(level, path.as_str(), message(), HELP);
    }
}

fn is_lost<K: Versioned>(object: &K, context: &Context) -> bool {
    auto_update(object) == Some(true)
        && !bootstrap::is_built_in(K::API_KIND, object.name(), context.release)
}
