//! Verbs of single objects and their subresources: get, replace, patch, delete.

use super::collection::wait_for;
use super::context::Context;
use super::inputs::{delete_options, name, object, write, write_options};
use super::request::ApiRequest;
use super::response::ApiResponse;
use super::route::ResourceTarget;
use crate::body::Document;
use crate::ids;
use crate::list::revision;
use crate::patch::go_kind;
use crate::query::{WriteOptions, WriteVerb};
use crate::registry::{self, Deleted, Patch, Write, check_name};
use crate::status::{Details, Failure, Subject, bad_request, failure, internal};
use k8s_flowcontrol_types::FieldValidation;
use serde_json::Value;

pub(super) async fn get(
    context: &Context,
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
) -> Result<ApiResponse, Failure> {
    let name = name(target)?;
    if request.query.is_set("export") {
        return Err(bad_request(
            "the export parameter, deprecated since v1.14, is no longer supported",
        ));
    }
    let state = &context.state;
    let version = request.query.text("resourceVersion");
    if !version.is_empty() {
        let revision = revision(version).map_err(internal)?;
        if revision > state.read(|store| store.revision()) {
            wait_for(state, revision).await?;
        }
    }
    let key = target.kind.key(&target.namespace, name);
    let object = state.read(|store| registry::find(store, target.kind, &key))?;
    let subject = Subject {
        resource: target.kind.plural(),
        group: target.kind.group(),
        name,
    };
    let object = object.ok_or_else(|| subject.not_found())?;
    Ok(ApiResponse::object(
        200,
        &object,
        target.kind,
        target.version,
    ))
}

pub(super) fn replace(
    context: &Context,
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
) -> Result<ApiResponse, Failure> {
    let name = name(target)?;
    request.body()?;
    let options = write_options(context, request, WriteVerb::Update)?;
    let read = object(request, target, options.validation)?;
    let now = ids::now();
    let write = write(target, &options.manager, options.dry_run, &now);
    let replaced = check_name(&read.object, name).and_then(|()| {
        context
            .state
            .write(|store| registry::update(store, &write, name, read.object))?
    });
    let response = match replaced {
        Ok(object) => ApiResponse::object(200, &object, target.kind, target.version),
        Err(failure) => failure.into(),
    };
    Ok(response.warn(read.warnings))
}

const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const STRATEGIC_MERGE_PATCH: &str = "application/strategic-merge-patch+json";
const APPLY_PATCH: &str = "application/apply-patch+yaml";

/// Errors: 415 for a patch of an unknown type.
pub(super) fn check_patch_type(request: &ApiRequest) -> Result<(), Failure> {
    match request.media_type().as_deref() {
        Some(JSON_PATCH | MERGE_PATCH | STRATEGIC_MERGE_PATCH | APPLY_PATCH) => Ok(()),
        _ => Err(
            failure(415, "UnsupportedMediaType", "415: Unsupported Media Type")
                .with_details(Details::default()),
        ),
    }
}

pub(super) fn patch(
    context: &Context,
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
) -> Result<ApiResponse, Failure> {
    let name = name(target)?;
    let media_type = request.media_type().unwrap_or_default();
    let body = request.body()?;
    let verb = if media_type == APPLY_PATCH {
        WriteVerb::Apply
    } else {
        WriteVerb::Patch
    };
    let options = write_options(context, request, verb)?;
    let patch = read_patch(&media_type, body, &options);
    let now = ids::now();
    let write = Write {
        applies: verb == WriteVerb::Apply,
        ..write(target, &options.manager, options.dry_run, &now)
    };
    let mut warnings = Vec::new();
    let patched = context.state.write(|store| match &patch {
        Ok(patch) => registry::patch(
            store,
            &write,
            name,
            patch,
            options.validation,
            &mut warnings,
        ),
        // The server looks for the object before it reads the patch.
        Err(failure) => match registry::find(store, target.kind, &write.key(name))? {
            None if !write.applies || target.subresource.is_some() => {
                Err(write.subject(name).not_found())
            }
            _ => Err(failure.clone()),
        },
    })?;
    let response = match patched {
        Ok(patched) => {
            let code = if patched.created { 201 } else { 200 };
            ApiResponse::object(code, &patched.object, target.kind, target.version)
        }
        Err(failure) => failure.into(),
    };
    Ok(response.warn(warnings))
}

fn read_patch(media_type: &str, body: &[u8], options: &WriteOptions) -> Result<Patch, Failure> {
    // Without field validation another library reads the patch.
    let is_lenient = options.validation == FieldValidation::Ignore;
    let decoding = |error| bad_request(format!("error decoding patch: {error}"));
    Ok(match media_type {
        JSON_PATCH => Patch::Json(match (Document::from_operations(body), is_lenient) {
            (read, true) => read.map_err(bad_request)?,
            (read, false) => read.and_then(Document::in_64_bits).map_err(decoding)?,
        }),
        MERGE_PATCH => Patch::Merge(match (Document::from_json(body), is_lenient) {
            (read, true) => read.map_err(|_| bad_request("Invalid JSON Patch"))?,
            (read, false) => read.and_then(Document::in_64_bits).map_err(decoding)?,
        }),
        STRATEGIC_MERGE_PATCH => {
            let read = Document::from_json(body).and_then(Document::in_64_bits);
            Patch::Strategic(read.map_err(bad_request)?)
        }
        _ => Patch::Apply {
            config: read_config(body)
                .map_err(|error| bad_request(format!("error decoding YAML: {error}")))?,
            force: options.force,
        },
    })
}

/// The applied configuration in a body.
fn read_config(body: &[u8]) -> Result<Document, String> {
    let config = Document::from_yaml(body)
        .map_err(|error| format!("error converting YAML to JSON: {error}"))?;
    match &config.value {
        Value::Object(_) | Value::Null => Ok(config),
        found => Err(format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value of type \
             map[string]interface {{}}",
            go_kind(found)
        )),
    }
}

pub(super) fn delete(
    context: &Context,
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
) -> Result<ApiResponse, Failure> {
    let name = name(target)?;
    let (options, dry_run) = delete_options(context, request)?;
    let now = ids::now();
    let write = write(target, "", dry_run, &now);
    let deleted = context
        .state
        .write(|store| registry::delete(store, &write, name, &options))??;
    Ok(match deleted {
        Deleted::Gone(status) => ApiResponse::status(&status),
        Deleted::Terminating(object) => {
            let code = if options.orphan_dependents == Some(false) {
                202
            } else {
                200
            };
            ApiResponse::object(code, &object, target.kind, target.version)
        }
    })
}
