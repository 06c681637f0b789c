//! The pass that makes, mends and removes the server's own objects.

use crate::ids;
use crate::registry::{DeleteOptions, commit, create, delete};
use crate::kinds::{HUB, Kind, Kinds};
use crate::state::own_write;
use crate::store::{Object, Store, edit_metadata};
use k8s_flowcontrol_rules::bootstrap::{AUTO_UPDATE_ANNOTATION, BootstrapObject, objects};
use serde_json::{Value, json};

const MANAGER: &str = "api-priority-and-fairness-config-producer-v1";

/// Does what a server does when it starts, and then once a minute.
///
/// It needs to see all objects: one that cannot be read stops it.
pub(crate) fn run_pass(store: &mut Store, kinds: &Kinds) {
    if !store.is_readable() {
        return;
    }
    let objects = objects(kinds.release());
    for object in &objects {
        if let Some(kind) = kinds.by_name(object.kind) {
            ensure(store, kinds, kind, object);
        }
    }
    for kind in kinds.kinds() {
        remove_unwanted(store, kinds, kind, &objects);
    }
}

/// Makes the object if it is missing, mends it if the server is to look after it.
///
/// What cannot be written now is tried again in the next pass.
fn ensure(store: &mut Store, kinds: &Kinds, kind: &Kind, wanted: &BootstrapObject) {
    let now = ids::now();
    let write = own_write(kinds, kind, MANAGER, "", &now);
    let built_in = kind.canonical(&wanted.tree(), HUB);
    let Some(old) = store.get(kind.index, wanted.name).cloned() else {
        let _unwritten = create(store, &write, built_in);
        return;
    };
    let (auto_update, annotation) = judge(&old, wanted.mandatory);
    let mut new = (*old).clone();
    if auto_update {
        new["spec"] = mended_spec(&old, &built_in);
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

/// Whether the spec is the server's to mend, and what the annotation must say from now on.
fn judge(object: &Object, mandatory: bool) -> (bool, Option<&'static str>) {
    let annotation = annotation(object);
    match annotation {
        Some(true) => (true, None),
        _ if mandatory => (true, Some("true")),
        Some(false) => (false, None),
        // Nobody said: who never changed the spec leaves it to the server.
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

/// What the annotation says, if it says anything that Go reads as a boolean.
fn annotation(object: &Value) -> Option<bool> {
    let annotations = object.pointer("/metadata/annotations")?;
    match annotations.get(AUTO_UPDATE_ANNOTATION)?.as_str()? {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// The built-in spec; of an exempt level the operator's own settings stay.
fn mended_spec(old: &Value, built_in: &Value) -> Value {
    let mut spec = built_in.get("spec").cloned().unwrap_or_default();
    if let (Some(exempt), Some(_)) = (old.pointer("/spec/exempt"), spec.get("exempt")) {
        spec["exempt"] = exempt.clone();
    }
    spec
}

/// Deletes what carries the annotation and is not of this release.
fn remove_unwanted(store: &mut Store, kinds: &Kinds, kind: &Kind, wanted: &[BootstrapObject]) {
    let now = ids::now();
    let write = own_write(kinds, kind, MANAGER, "", &now);
    let is_wanted = |name: &str| {
        wanted
            .iter()
            .any(|object| object.kind == kind.name() && object.name == name)
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
