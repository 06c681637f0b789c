//! The bootstrap pass: the server's controller that creates, repairs and removes the bootstrap objects.

use crate::ids;
use crate::kinds::{Kind, Kinds};
use crate::registry::{DeleteOptions, Write, commit, create, delete};
use crate::store::{Object, Store, edit_metadata};
use k8s_flowcontrol_rules::bootstrap::{self, AUTO_UPDATE_ANNOTATION, BootstrapObject, objects};
use k8s_flowcontrol_types::Kind as OwnKind;
use serde_json::{Value, json};

const MANAGER: &str = "api-priority-and-fairness-config-producer-v1";

/// One pass of the controller, which a server runs at the start and then once a minute.
///
/// The controller needs to list all objects, so an object that cannot be decoded stops it.
pub(crate) fn run_pass(store: &mut Store, kinds: &Kinds) {
    if !store.is_readable() {
        return;
    }
    let objects = objects(kinds.release);
    for object in &objects {
        ensure(store, kinds.own(object.kind), object);
    }
    for kind in OwnKind::ALL.iter().copied() {
        remove_unwanted(store, kinds.own(kind), &objects);
    }
}

/// Creates the object if it is missing, and repairs it if the server maintains it.
///
/// A write that fails is tried again in the next pass.
fn ensure(store: &mut Store, kind: &Kind, wanted: &BootstrapObject) {
    let now = ids::now();
    let write = Write::by_server(kind, MANAGER, "", &now);
    let built_in = kind.canonical(wanted.tree(), kind.hub);
    let Some(old) = store.get(kind.index, wanted.name).cloned() else {
        let _unwritten = create(store, &write, built_in);
        return;
    };
    let (auto_update, annotation) = maintenance(&old, wanted.mandatory);
    let mut new = (*old).clone();
    if auto_update {
        new["spec"] = repaired_spec(&old, &built_in);
    }
    if let Some(annotation) = annotation {
        edit_metadata(&mut new, |metadata| {
            let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
            if !annotations.is_object() {
                *annotations = json!({});
            }
            annotations[AUTO_UPDATE_ANNOTATION] = annotation.into();
        });
    }
    if new != *old {
        write.writer().update(&old, &mut new);
        let _unwritten = commit(store, &write, wanted.name, &old, new);
    }
}

/// Whether the server maintains the spec, and the new value of the annotation, if it changes.
fn maintenance(object: &Object, mandatory: bool) -> (bool, Option<&'static str>) {
    let annotation = annotation(object);
    match annotation {
        Some(true) => (true, None),
        _ if mandatory => (true, Some("true")),
        Some(false) => (false, None),
        // Without the annotation a spec that was never changed is the server's.
        None => {
            let generation = object
                .pointer("/metadata/generation")
                .and_then(Value::as_i64);
            if generation == Some(1) {
                (true, Some("true"))
            } else {
                (false, Some("false"))
            }
        }
    }
}

/// The annotation's value, if Go parses it as a boolean.
fn annotation(object: &Value) -> Option<bool> {
    let annotations = object.pointer("/metadata/annotations")?;
    bootstrap::auto_update(annotations.get(AUTO_UPDATE_ANNOTATION)?.as_str()?)
}

/// The bootstrap spec. An exempt level keeps the operator's own settings.
fn repaired_spec(old: &Value, built_in: &Value) -> Value {
    let mut spec = built_in.get("spec").cloned().unwrap_or_default();
    if let (Some(exempt), Some(_)) = (old.pointer("/spec/exempt"), spec.get("exempt")) {
        spec["exempt"] = exempt.clone();
    }
    spec
}

/// Deletes objects that carry the annotation and are not bootstrap objects of this release.
fn remove_unwanted(store: &mut Store, kind: &Kind, wanted: &[BootstrapObject]) {
    let now = ids::now();
    let write = Write::by_server(kind, MANAGER, "", &now);
    let is_wanted = |name: &str| {
        wanted
            .iter()
            .any(|object| object.kind.as_str() == kind.name() && object.name == name)
    };
    let unwanted: Vec<String> = store
        .objects(kind.index)
        .filter(|(name, object)| !is_wanted(name) && annotation(object) == Some(true))
        .map(|(name, _)| name.clone())
        .collect();
    for name in unwanted {
        let _undeleted = delete(store, &write, &name, &DeleteOptions::default());
    }
}
