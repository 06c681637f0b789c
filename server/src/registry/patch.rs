//! Patches, applied in the client's version and then written like other changes.

use super::write::{Write, find};
use super::{create, update};
use crate::body::{self, Document};
use crate::kinds::Version;
use crate::patch::{
    Touched, convert_unstructured, go_kind, go_map, json_patch, merge_patch, patched_text,
    strategic_merge_patch, without_nulls,
};
use crate::status::{Cause, Failure, bad_request, internal, invalid};
use crate::store::{Object, Store, edit_metadata, meta_str};
use k8s_flowcontrol_rules::decode;
use k8s_flowcontrol_rules::decode::DecodeAs;
use k8s_flowcontrol_rules::validate::dedup_owner_references;
use k8s_flowcontrol_text as text;
use k8s_flowcontrol_text::go::{parse_uint, quote};
use k8s_flowcontrol_types::FieldValidation;
use serde_json::Value;

/// A patch of any of the four types.
#[derive(Debug)]
pub(crate) enum Patch {
    Json(Document),
    Merge(Document),
    Strategic(Document),
    Apply { config: Document, force: bool },
}

#[derive(Debug)]
pub(crate) struct Patched {
    pub(crate) object: Object,
    pub(crate) created: bool,
}

/// Patches the object `name`. Server-side apply creates it if it does not exist. An error comes with the `warnings` before it.
/// Errors: 400 for an invalid patch; 404, 409 and 422 as for other changes.
pub(crate) fn patch(
    store: &mut Store,
    write: &Write<'_>,
    name: &str,
    patch: &Patch,
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<Patched, Failure> {
    let old = find(store, write.kind, &write.key(name))?;
    if let Patch::Apply { config, force } = patch {
        let merged = merged(write, name, old.as_ref(), config, *force)?;
        warnings.extend(duplicates(config, validation)?);
        return apply(store, write, name, old, merged);
    }
    let Some(old) = old else {
        return Err(write.subject(name).not_found());
    };
    let before = write.kind.in_version(&old, write.version);
    let after = changed(&before, patch, write, validation)?;
    let decoded = decode_patched(write, patch, after, validation)?;
    warnings.extend(decoded.warnings);
    check_name(&decoded.tree, name)?;
    let mut object = write.kind.to_hub(decoded.tree, decoded.version);
    update::check_version(write, name, &object, &old)?;
    write.writer().update(&old, &mut object);
    warnings.extend(dedup_owner_references(&mut object, true));
    let object = update::commit(store, write, name, &old, object)?;
    Ok(Patched {
        object,
        created: false,
    })
}

/// The object after the patch, in the client's version.
fn changed(
    before: &Value,
    patch: &Patch,
    write: &Write<'_>,
    validation: FieldValidation,
) -> Result<Value, Failure> {
    let mut after = before.clone();
    match patch {
        Patch::Json(operations) => json_patch(&mut after, &operations.value, validation)?,
        Patch::Merge(patch) => match (&mut after, &patch.value) {
            (Value::Object(after), Value::Object(patch)) => merge_patch(after, patch),
            // Without field validation a list takes the place of the object.
            (after, list @ Value::Array(_)) if validation == FieldValidation::Ignore => {
                *after = without_nulls(list);
            }
            (_, found) if found.is_null() || validation == FieldValidation::Ignore => {
                return Err(bad_request("Invalid JSON Patch"));
            }
            (_, found) => return Err(no_map(found, "error decoding patch: ")),
        },
        Patch::Strategic(patch) => match &patch.value {
            Value::Object(fields) => {
                let release = write.kind.release;
                after = strategic_merge_patch(before, fields, write.version.schema(), release)?;
            }
            Value::Null => {}
            found => return Err(no_map(found, "")),
        },
        Patch::Apply { .. } => {}
    }
    Ok(after)
}

/// A 400 for a patch that is not an object.
fn no_map(found: &Value, prefix: &str) -> Failure {
    bad_request(format!(
        "{prefix}json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
        go_kind(found)
    ))
}

struct Decoded {
    tree: Value,
    /// The version of the patched text, which the patch may change.
    version: Version,
    warnings: Vec<String>,
}

/// Decodes the patched text as an object of the kind; its errors are errors of the patch.
fn decode_patched(
    write: &Write<'_>,
    patch: &Patch,
    mut after: Value,
    validation: FieldValidation,
) -> Result<Decoded, Failure> {
    let mut text = shown(write, patch, &after);
    let invalid_patch = |text: &str, why: &str| {
        let shown = match patch {
            Patch::Strategic(patch) => match &patch.value {
                Value::Object(patch) => go_map(patch),
                _ => "map[]".into(),
            },
            _ => text.to_owned(),
        };
        let cause = Cause::invalid("patch", &quote(&shown), why);
        invalid("", "", "", vec![cause])
    };
    let version = match patch {
        Patch::Strategic(_) => {
            // The type of the object is that of the path, whatever type the patch names.
            let version = write.version;
            convert_unstructured(&mut after, version).map_err(|why| invalid_patch(&text, &why))?;
            text = shown(write, patch, &after);
            version
        }
        _ => named_version(write, &after, &text).map_err(|why| invalid_patch(&text, &why))?,
    };
    let target = DecodeAs {
        schema: version.schema(),
        package: version.name(),
        release: write.kind.release,
        sorted: false,
    };
    let tree =
        text::parse_json(text.as_bytes()).map_err(|error| invalid_patch(&text, error.message()))?;
    let decoded = decode::decode(tree.root(), target)
        .map_err(|error| invalid_patch(&text, &error.message))?;
    let mut unknown: Vec<_> = decoded
        .problems
        .into_iter()
        .map(|found| found.message)
        .collect();
    if let Patch::Strategic(_) = patch {
        unknown.sort();
    }
    let of_patch = match patch {
        Patch::Json(patch) | Patch::Merge(patch) | Patch::Strategic(patch) => &patch.problems[..],
        Patch::Apply { .. } => &[],
    };
    let problems = [of_patch, &unknown].concat();
    if validation == FieldValidation::Strict && !problems.is_empty() {
        let why = format!("strict decoding error: {}", problems.join(", "));
        return Err(invalid_patch(&text, &why));
    }
    Ok(Decoded {
        tree: decoded.value,
        version,
        warnings: if validation == FieldValidation::Warn {
            problems
        } else {
            Vec::new()
        },
    })
}

/// The text of the patched object in error messages.
fn shown(write: &Write<'_>, patch: &Patch, after: &Value) -> String {
    let touched = match patch {
        Patch::Json(patch) => Touched::by_operations(&patch.value),
        Patch::Merge(patch) | Patch::Strategic(patch) | Patch::Apply { config: patch, .. } => {
            Touched::by_fields(&patch.value)
        }
    };
    patched_text(after, write.version.schema(), &touched)
}

/// The version of a patched object, by its `apiVersion`. A server decodes versions that it does not serve.
/// Errors: the server's message for an object of another type.
fn named_version(write: &Write<'_>, after: &Value, text: &str) -> Result<Version, String> {
    // The missing name of an empty document is found later.
    if after.as_object().is_some_and(|fields| fields.is_empty()) {
        return Ok(write.version);
    }
    let field = |name: &str| after.get(name).and_then(Value::as_str).unwrap_or_default();
    // An absent kind is that of the path.
    let is_kind = |kind: &Value| kind.is_null() || kind == "" || kind == write.kind.name();
    match write.kind.decoded_version(field("apiVersion")) {
        Some(version) if after.get("kind").is_none_or(is_kind) => Ok(version),
        _ => Err(body::other_type(text.as_bytes(), write.kind, write.version)),
    }
}

/// The warnings about duplicate fields in an applied configuration. Strict field validation rejects them.
fn duplicates(config: &Document, validation: FieldValidation) -> Result<Vec<String>, Failure> {
    let problems = &config.problems;
    match validation {
        FieldValidation::Warn => Ok(problems.clone()),
        FieldValidation::Strict if !problems.is_empty() => Err(bad_request(format!(
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  {}",
            problems.join("\n  ")
        ))),
        _ => Ok(Vec::new()),
    }
}

/// Compares the name in a body with the name in the path.
/// Errors: 400 for a different or absent name.
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

/// The object with an applied configuration.
fn merged(
    write: &Write<'_>,
    name: &str,
    old: Option<&Object>,
    config: &Document,
    force: bool,
) -> Result<Value, Failure> {
    if old.is_none() && !write.subresource.is_empty() {
        return Err(write.subject(name).not_found());
    }
    check_type(write, &config.value)?;
    let empty = write.kind.empty();
    let old = old.map_or(&empty, |old| old);
    write.writer().apply(old, &config.value, force)
}

/// Writes a merged object.
fn apply(
    store: &mut Store,
    write: &Write<'_>,
    name: &str,
    old: Option<Object>,
    mut object: Value,
) -> Result<Patched, Failure> {
    let created = old.is_none();
    let object = match old {
        Some(old) => {
            check_name(&object, name)?;
            update::check_version(write, name, &object, &old)?;
            update::commit(store, write, name, &old, object)?
        }
        None => {
            let uid = meta_str(&object, "uid");
            if !uid.is_empty() {
                return Err(write.subject(name).conflict(&format!(
                    "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                )));
            }
            check_name(&object, name)?;
            let version = meta_str(&object, "resourceVersion");
            if !version.is_empty() {
                parse_uint(version).map_err(internal)?;
            }
            // Without an object the resource version of an applied configuration has no effect. A dry run shows it.
            if !write.dry_run {
                edit_metadata(&mut object, |metadata| metadata.remove("resourceVersion"));
            }
            create::store_new(store, write, write.kind.canonical(object, write.kind.hub))?
        }
    };
    Ok(Patched { object, created })
}

fn check_type(write: &Write<'_>, config: &Value) -> Result<(), Failure> {
    let text = |field: &str| config[field].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if api_version == write.version.api_version() && kind == write.kind.name() {
        return Ok(());
    }
    // Go cannot read a version with two slashes, and then not the kind either.
    let (version, kind) = match api_version.split('/').count() {
        1 => (format!("/{api_version}"), kind),
        2 => (api_version.to_owned(), kind),
        _ => ("/".to_owned(), ""),
    };
    Err(bad_request(format!(
        "invalid object type: {version}, Kind={kind}"
    )))
}
