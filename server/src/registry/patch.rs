//! Patches: applied in the client's version, then written like any other change.

use super::{Write, create, update};
use crate::decode::{self, Node};
use crate::patch::{Touched, go_map, json_patch, merge_patch, patched_text, strategic_merge_patch};
use crate::scheme::HUB;
use crate::status::{Cause, Failure, bad_request, failure, invalid};
use crate::store::{Object, Store, edit_metadata, meta_str};
use crate::validation::FieldValidation;
use serde_json::Value;

/// A patch of one of the four types.
#[derive(Debug)]
pub(crate) enum Patch {
    Json(Node),
    Merge(Node),
    Strategic(Node),
    Apply { config: Node, force: bool },
}

/// What a patch came to.
#[derive(Debug)]
pub(crate) struct Patched {
    pub(crate) object: Object,
    pub(crate) created: bool,
    pub(crate) warnings: Vec<String>,
}

/// Patches the object `name`; an applied configuration creates it when it is not there.
///
/// # Errors
/// 400 for a patch that cannot be read, 404, 409, 422 as for other changes.
pub(crate) fn patch(
    store: &mut Store,
    write: &Write<'_>,
    name: &str,
    patch: &Patch,
    validation: FieldValidation,
) -> Result<Patched, Failure> {
    let old = store.get(write.kind.index, name).cloned();
    if let Patch::Apply { config, force } = patch {
        return apply(store, write, name, old, config, *force);
    }
    let Some(old) = old else {
        return Err(write.subject(name).not_found());
    };
    let before = write.kind.in_version(&old, write.version);
    let after = patched(&before, patch, write)?;
    let decoded = decode_patched(write, patch, &after, validation)?;
    check_name(&decoded.tree, name)?;
    let mut object = write.kind.to_hub(decoded.tree, write.version);
    update::check_version(write, name, &object, &old)?;
    write.writer().update(&old, &mut object);
    let object = update::commit(store, write, name, &old, object)?;
    Ok(Patched {
        object,
        created: false,
        warnings: validation.warnings(decoded.problems),
    })
}

fn patched(before: &Value, patch: &Patch, write: &Write<'_>) -> Result<Value, Failure> {
    let mut after = before.clone();
    match patch {
        Patch::Json(operations) => json_patch(&mut after, &operations.to_value())?,
        Patch::Merge(patch) => {
            let patch = patch.to_value();
            match &patch {
                Value::Object(_) => {}
                Value::Null => return Err(bad_request("Invalid JSON Patch")),
                other => {
                    return Err(bad_request(format!(
                        "error decoding patch: json: cannot unmarshal {} into Go value of type \
                         map[string]interface {{}}",
                        decode::go_kind(other)
                    )));
                }
            }
            merge_patch(&mut after, &patch);
        }
        Patch::Strategic(patch) => {
            let patch = patch.to_value();
            let Some(patch) = patch.as_object() else {
                return Err(bad_request(format!(
                    "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                    decode::go_kind(&patch)
                )));
            };
            after = strategic_merge_patch(before, patch, write.kind.schema(write.version))?;
        }
        Patch::Apply { .. } => {}
    }
    Ok(after)
}

/// Reads the patched text as an object of the kind; what is wrong with it is wrong with the patch.
fn decode_patched(
    write: &Write<'_>,
    patch: &Patch,
    after: &Value,
    validation: FieldValidation,
) -> Result<decode::Decoded, Failure> {
    let schema = write.kind.schema(write.version);
    let refused = |why: &str| {
        let shown = match patch {
            Patch::Strategic(patch) => match patch.to_value() {
                Value::Object(patch) => go_map(&patch),
                other => other.to_string(),
            },
            Patch::Json(patch) => {
                let touched = Touched::by_operations(&patch.to_value());
                patched_text(after, schema, &touched)
            }
            Patch::Merge(patch) | Patch::Apply { config: patch, .. } => {
                patched_text(after, schema, &Touched::by_members(&patch.to_value()))
            }
        };
        invalid(
            "",
            "",
            "",
            vec![Cause::invalid("patch", &format!("{shown:?}"), why)],
        )
    };
    let type_of = |member: &str| {
        after
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (api_version, kind) = (type_of("apiVersion"), type_of("kind"));
    // A document that was emptied is told apart by its missing name.
    if after.as_object().is_some_and(|members| !members.is_empty())
        && (api_version != write.version.api_version() || kind != write.kind.name())
    {
        return Err(refused(&format!(
            "no kind {kind:?} is registered for version {api_version:?} in scheme \
             \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\""
        )));
    }
    let mut decoded = decode::decode(&Node::from(after), schema, write.version.as_str())
        .map_err(|error| refused(&error))?;
    if let Patch::Merge(patch) | Patch::Strategic(patch) = patch {
        let repeated = patch.repeated();
        decoded.problems.splice(
            ..0,
            repeated
                .iter()
                .map(|path| format!("duplicate field {path:?}")),
        );
    }
    if let Some(problem) = validation.refusal(&decoded.problems) {
        return Err(refused(&problem));
    }
    Ok(decoded)
}

/// Checks the name in a body against the one in the path.
///
/// # Errors
/// 400 for a name that is another or is not there.
pub(crate) fn check_name(object: &Value, name: &str) -> Result<(), Failure> {
    match meta_str(object, "name") {
        found if found == name => Ok(()),
        "" => Err(bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        ))),
        found => Err(bad_request(format!(
            "the name of the object ({found}) does not match the name on the URL ({name})"
        ))),
    }
}

fn apply(
    store: &mut Store,
    write: &Write<'_>,
    name: &str,
    old: Option<Object>,
    config: &Node,
    force: bool,
) -> Result<Patched, Failure> {
    let mut config = config.to_value();
    check_type(write, &config)?;
    if meta_str(&config, "name").is_empty() {
        edit_metadata(&mut config, |metadata| {
            metadata.insert("name".into(), name.into())
        });
    }
    match old {
        Some(old) => {
            let object = write.writer().apply(&old, &config, force)?;
            check_name(&object, name)?;
            update::check_version(write, name, &object, &old)?;
            let object = update::commit(store, write, name, &old, object)?;
            Ok(Patched {
                object,
                created: false,
                warnings: Vec::new(),
            })
        }
        None if !write.subresource.is_empty() => Err(write.subject(name).not_found()),
        None => {
            let mut empty = write.kind.empty();
            edit_metadata(&mut empty, |metadata| {
                metadata.insert("name".into(), name.into())
            });
            let mut object = write.writer().apply(&empty, &config, force)?;
            check_name(&object, name)?;
            if !meta_str(&object, "uid").is_empty() {
                let why = "uid mismatch: the provided object specified uid ";
                let uid = meta_str(&object, "uid");
                return Err(failure(
                    409,
                    "Conflict",
                    format!(
                        "Operation cannot be fulfilled on {}.{} {name:?}: {why}{uid}, and no \
                         existing object was found",
                        write.kind.plural(),
                        write.kind.group()
                    ),
                ));
            }
            // An applied resource version asks for nothing when there is nothing.
            edit_metadata(&mut object, |metadata| metadata.remove("resourceVersion"));
            let object = create::store_new(store, write, write.kind.canonical(&object, HUB))?;
            Ok(Patched {
                object,
                created: true,
                warnings: Vec::new(),
            })
        }
    }
}

fn check_type(write: &Write<'_>, config: &Value) -> Result<(), Failure> {
    let text = |member: &str| {
        config
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if api_version == write.version.api_version() && kind == write.kind.name() {
        return Ok(());
    }
    let version = if api_version.contains('/') {
        api_version.to_owned()
    } else {
        format!("/{api_version}")
    };
    Err(bad_request(format!(
        "invalid object type: {version}, Kind={kind}"
    )))
}
