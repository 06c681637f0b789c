//! Deletion, immediately or after the last finalizer.

use super::metadata;
use super::write::{Write, find};
use crate::status::{Details, Failure, Status, failure};
use crate::store::{Object, Store, edit_metadata, meta_str};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The finalizers of the garbage collector.
pub(crate) const ORPHAN: &str = "orphan";
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    /// A precondition: the UID of the object.
    pub(crate) uid: Option<String>,
    /// A precondition: the resource version of the object.
    pub(crate) resource_version: Option<String>,
    /// `Orphan`, `Background` or `Foreground`.
    pub(crate) propagation_policy: Option<String>,
    pub(crate) orphan_dependents: Option<bool>,
}

#[derive(Debug)]
pub(crate) enum Deleted {
    Gone(Box<Status>),
    /// The object waits for its finalizers.
    Terminating(Object),
}

/// Deletes an object, or marks it as terminating when it has finalizers.
/// Errors: 404 for an object that does not exist, 409 when a precondition is violated.
pub(crate) fn delete(
    store: &mut Store,
    write: &Write<'_>,
    name: &str,
    options: &DeleteOptions,
) -> Result<Deleted, Failure> {
    let Some(old) = find(store, write.kind, &write.key(name))? else {
        return Err(write.subject(name).not_found());
    };
    check_preconditions(write, &old, options)?;
    let finalizers = finalizers(&old, options);
    if finalizers.is_empty() {
        if !write.dry_run {
            store.remove(write.kind.index, &write.key(name));
        }
        return Ok(Deleted::Gone(Box::new(Status::success(Details {
            name: name.into(),
            group: write.kind.group().into(),
            kind: write.kind.plural().into(),
            uid: meta_str(&old, "uid").into(),
            ..Details::default()
        }))));
    }
    let mut object = (*old).clone();
    edit_metadata(&mut object, |metadata| {
        metadata.insert("finalizers".into(), finalizers.into())
    });
    if !metadata::is_terminating(&object) {
        metadata::begin_deletion(&mut object, write.now);
    }
    let object = if object == *old {
        old
    } else if write.dry_run {
        Arc::new(object)
    } else {
        store.put(write.kind.index, &write.key(name), object)
    };
    Ok(Deleted::Terminating(object))
}

fn check_preconditions(
    write: &Write<'_>,
    object: &Value,
    options: &DeleteOptions,
) -> Result<(), Failure> {
    let name = meta_str(object, "name");
    let conflict = |why: String| {
        // Unlike other conflicts, this one names the kind and not the resource.
        let (kind, group) = (write.kind.name(), write.kind.group());
        let message = format!("Operation cannot be fulfilled on {kind}.{group} {name:?}: {why}");
        failure(409, "Conflict", message).with_details(Details {
            name: name.into(),
            group: group.into(),
            kind: kind.into(),
            ..Details::default()
        })
    };
    let uid = meta_str(object, "uid");
    if let Some(asked) = options.uid.as_deref().filter(|asked| *asked != uid) {
        return Err(conflict(format!(
            "the UID in the precondition ({asked}) does not match the UID in record ({uid}). The \
             object might have been deleted and then recreated"
        )));
    }
    let version = meta_str(object, "resourceVersion");
    if let Some(asked) = options
        .resource_version
        .as_deref()
        .filter(|asked| *asked != version)
    {
        return Err(conflict(format!(
            "the ResourceVersion in the precondition ({asked}) does not match the ResourceVersion in \
             record ({version}). The object might have been modified"
        )));
    }
    Ok(())
}

/// The finalizers of the object during its deletion. The options decide about those of the garbage collector; without options, and
/// where they change nothing, all stay as they are.
fn finalizers(object: &Value, options: &DeleteOptions) -> Vec<Value> {
    let kept = metadata::finalizers(object);
    let policy = options.propagation_policy.as_deref();
    let wanted = match (options.orphan_dependents, policy) {
        (Some(true), _) | (None, Some("Orphan")) => Some(ORPHAN),
        (None, Some("Foreground")) => Some(FOREGROUND),
        (Some(false), _) | (None, Some(_)) => None,
        (None, None) => return kept.to_vec(),
    };
    let others = kept
        .iter()
        .filter(|finalizer| *finalizer != ORPHAN && *finalizer != FOREGROUND);
    let finalizers: Vec<Value> = others.cloned().chain(wanted.map(Value::from)).collect();
    let set = |all: &[Value]| all.iter().map(Value::to_string).collect::<BTreeSet<_>>();
    match set(kept) == set(&finalizers) {
        true => kept.to_vec(),
        false => finalizers,
    }
}
