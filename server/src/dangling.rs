//! The controller of the condition `Dangling`: whether the priority level of each FlowSchema exists.

use crate::body::Document;
use crate::ids;
use crate::kinds::{Kind, Kinds};
use crate::registry::{Patch, Write, commit, patch};
use crate::store::{Object, Store};
use k8s_flowcontrol_types::Kind as OwnKind;
use k8s_flowcontrol_types::{Fact, FieldValidation, Release};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const MANAGER: &str = "api-priority-and-fairness-config-consumer-v1";

/// Updates the condition after the writes that followed revision `since`.
///
/// The controller needs to list all objects, so an object that cannot be decoded stops it.
pub(crate) fn follow(store: &mut Store, kinds: &Kinds, since: u64) {
    if !store.is_readable() {
        return;
    }
    let schemas = kinds.own(OwnKind::FlowSchema);
    let levels = kinds.own(OwnKind::PriorityLevelConfiguration);
    let release = kinds.release;
    for name in affected(store, release, [schemas, levels], since) {
        let Some(object) = store.get(schemas.index, &name).cloned() else {
            continue;
        };
        let level = level_name(&object);
        let exists = is_usable(store.get(levels.index, level), release);
        let wanted = condition(level, exists);
        if !holds(&object, &wanted) {
            set(store, schemas, &name, &object, wanted);
        }
    }
}

/// Whether a level exists and is usable: since 1.28 `limited` and `exempt` must fit its type.
fn is_usable(level: Option<&Object>, release: Release) -> bool {
    let Some(spec) = level.and_then(|level| level.get("spec")) else {
        return false;
    };
    let is_of = |type_: &str| spec.get("type").and_then(Value::as_str) == Some(type_);
    let has = |field: &str| spec.get(field).is_some_and(|value| !value.is_null());
    is_of("Limited") == has("limited")
        && (!release.has(Fact::ExemptField) || is_of("Exempt") == has("exempt"))
}

/// The FlowSchemas that were written, and those whose level became usable or unusable.
fn affected(
    store: &Store,
    release: Release,
    [schemas, levels]: [&Kind; 2],
    since: u64,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut changed_levels = BTreeSet::new();
    let all = |names: &mut BTreeSet<String>| {
        names.extend(store.objects(schemas.index).map(|(name, _)| name.clone()));
    };
    let Some(changes) = store.history().after(since) else {
        // The history holds fewer changes than were made at once.
        all(&mut names);
        return names;
    };
    for change in changes {
        if change.kind == schemas.index {
            names.insert(change.name.clone());
        } else if change.kind == levels.index
            && is_usable(change.before.as_ref(), release)
                != is_usable(change.after.as_ref(), release)
        {
            changed_levels.insert(change.name.clone());
        }
    }
    if !changed_levels.is_empty() {
        let concerned = store
            .objects(schemas.index)
            .filter(|(_, object)| changed_levels.contains(level_name(object)))
            .map(|(name, _)| name.clone());
        names.extend(concerned);
    }
    names
}

fn level_name(schema: &Value) -> &str {
    schema
        .pointer("/spec/priorityLevelConfiguration/name")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn condition(level: &str, exists: bool) -> Value {
    let (status, reason, rest) = if exists {
        ("False", "Found", "it exists")
    } else {
        ("True", "NotFound", "there is no such object")
    };
    let joint = if exists { "and" } else { "but" };
    json!({
        "type": "Dangling",
        "status": status,
        "reason": reason,
        "message": format!(
            "This FlowSchema references the PriorityLevelConfiguration object named {level:?} \
             {joint} {rest}"
        ),
    })
}

fn conditions(schema: &Value) -> &[Value] {
    schema
        .pointer("/status/conditions")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn holds(schema: &Value, wanted: &Value) -> bool {
    conditions(schema).iter().any(|condition| {
        ["type", "status", "reason", "message"]
            .iter()
            .all(|field| condition.get(*field) == wanted.get(*field))
    })
}

fn set(store: &mut Store, schemas: &Kind, name: &str, object: &Object, mut condition: Value) {
    let now = ids::now();
    condition["lastTransitionTime"] = now.as_str().into();
    let write = Write::by_server(schemas, MANAGER, "status", &now);
    // A write that fails leaves the old condition: the next write of the object tries again.
    if !schemas.release.has(Fact::AppliesConditions) {
        let mut conditions: Vec<Value> = conditions(object)
            .iter()
            .filter(|condition| condition.get("type") != Some(&"Dangling".into()))
            .cloned()
            .collect();
        conditions.push(condition);
        let mut new = (**object).clone();
        new["status"]["conditions"] = conditions.into();
        write.writer().update(object, &mut new);
        let _unwritten = commit(store, &write, name, object, new);
    } else {
        let config = Document::from(json!({
            "apiVersion": write.version.api_version(),
            "kind": schemas.name(),
            "metadata": {"name": name},
            "status": {"conditions": [condition]},
        }));
        let config = Patch::Apply {
            config,
            force: true,
        };
        let mut warnings = Vec::new();
        let validation = FieldValidation::Ignore;
        let _unwritten = patch(store, &write, name, &config, validation, &mut warnings);
    }
}
