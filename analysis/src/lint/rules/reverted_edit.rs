//! An edit that the server reverts.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::Maintainer;
use k8s_flowcontrol_rules::bootstrap::{self, AUTO_UPDATE_ANNOTATION};
use k8s_flowcontrol_rules::decode::tree_of;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::kind::{Versioned, VersionedKind};
use serde_json::Value;

pub(super) const RULE: Rule = Rule {
    id: "reverted-edit",
    severity: Severity::Error,
    summary: "A built-in object was edited, but the server resets it to its built-in value.",
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
        .filter(|schema| schema.maintainer == Maintainer::Server)
    {
        if is_changed(&schema.object, context.release) {
            report.schema(schema, "spec", message(), &help);
        }
    }
    for level in context
        .levels
        .iter()
        .filter(|level| level.maintainer == Maintainer::Server)
    {
        if is_changed(&level.object, context.release) {
            report.level(level, "spec", message(), &help);
        }
    }
}

/// Whether a suggested object, with defaults, differs from its built-in spec. Validation covers the mandatory ones.
fn is_changed<K: Versioned>(object: &K, release: Release) -> bool {
    let suggested = bootstrap::objects(release)
        .into_iter()
        .find(|known| !known.mandatory && known.kind == K::API_KIND && known.name == object.name());
    let Some(known) = suggested else {
        return false;
    };
    let mut known = known.tree();
    k8s_flowcontrol_rules::defaults::apply(&mut known, VersionedKind::of::<K>(release));
    let mut known = known["spec"].take();
    prune(&mut known);
    let mut spec = tree_of(object)["spec"].take();
    prune(&mut spec);
    spec != known
}

/// Removes values that equal an absent field: nulls, empty lists and objects, `false`.
fn prune(value: &mut Value) {
    let is_nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    match value {
        Value::Array(items) => items.iter_mut().for_each(prune),
        Value::Object(fields) => {
            fields.values_mut().for_each(prune);
            fields.retain(|_, value| !is_nothing(value));
        }
        _ => {}
    }
}
