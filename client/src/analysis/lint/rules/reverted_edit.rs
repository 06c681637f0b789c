//! An edit that the server takes back.

use super::{Context, Report, Rule, Severity};
use crate::analysis::lint::context::Upkeep;
use crate::analysis::objects;
use crate::bootstrap::AUTO_UPDATE_ANNOTATION;
use crate::{ApiVersion, Release, Resource, defaults};
use serde_json::Value;

pub(super) const RULE: Rule = Rule {
    id: "reverted-edit",
    severity: Severity::Error,
    summary: "A built-in object was changed while the server keeps it at its built-in value.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    let message = || {
        format!(
            "the server resets the spec of this built-in object within a minute, unless the annotation \
             {AUTO_UPDATE_ANNOTATION} is \"false\""
        )
    };
    let help =
        format!("set the annotation {AUTO_UPDATE_ANNOTATION} to \"false\", or use another name");
    for schema in context
        .schemas
        .iter()
        .filter(|schema| schema.upkeep == Upkeep::Server)
    {
        if is_changed(&schema.object, context.release) {
            report.schema(schema, "spec", message(), &help);
        }
    }
    for level in context
        .levels
        .iter()
        .filter(|level| level.upkeep == Upkeep::Server)
    {
        if is_changed(&level.object, context.release) {
            report.level(level, "spec", message(), &help);
        }
    }
}

/// Whether a suggested object has another spec than the built-in one. A mandatory one is left to
/// validation.
fn is_changed<K: Resource>(object: &K, release: Release) -> bool {
    let suggested = objects::built_in::<K>(release).find_map(|(mandatory, known)| {
        (!mandatory && known.name() == object.name()).then_some(known)
    });
    suggested
        .is_some_and(|known| effective_spec(&known, release) != effective_spec(object, release))
}

/// The spec with defaults, and without members that mean nothing.
fn effective_spec<K: Resource>(object: &K, release: Release) -> Option<Value> {
    let mut tree = serde_json::to_value(object).ok()?;
    defaults::apply(&mut tree, K::KIND, ApiVersion::V1, release);
    let mut spec = tree.get_mut("spec")?.take();
    prune(&mut spec);
    Some(spec)
}

/// Removes what equals absence: nulls, empty lists and objects, `false`.
fn prune(value: &mut Value) {
    let is_nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    match value {
        Value::Array(items) => items.iter_mut().for_each(prune),
        Value::Object(members) => {
            members.values_mut().for_each(prune);
            members.retain(|_, value| !is_nothing(value));
        }
        _ => {}
    }
}
