//! Parts of a request that several verbs read: the name, the format of the body, the parameters of writes and tables.

use super::context::Context;
use super::request::ApiRequest;
use super::route::ResourceTarget;
use crate::body::{Read, read_object};
use crate::query::{self, WriteOptions, WriteVerb};
use crate::registry::{DeleteOptions, Write};
use crate::represent::Include;
use crate::status::{Failure, bad_request, failure};
use hyper::header;
use k8s_flowcontrol_rules::decode::Format;
use k8s_flowcontrol_types::FieldValidation;

/// The part of its object that each row of a table carries.
/// Errors: 400 for an unknown value.
pub(super) fn include(request: &ApiRequest) -> Result<Include, Failure> {
    Include::parse(request.query.text("includeObject")).map_err(|value| {
        bad_request(format!(
            "Unable to convert to Table as requested: includeObject: Invalid value: {value:?}: must be \
             'Metadata', 'Object', 'None', or empty"
        ))
    })
}

/// The format of the body.
/// Errors: 415 for a body that is neither JSON nor YAML.
pub(super) fn format(request: &ApiRequest) -> Result<Format, Failure> {
    let media_type = request.header(header::CONTENT_TYPE).unwrap_or_default();
    Format::from_media_type(media_type).ok_or_else(|| {
        failure(
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: \
             application/json, application/yaml, application/vnd.kubernetes.protobuf",
        )
    })
}

/// The name in the path.
/// Errors: 400 for a path without a name.
pub(super) fn name<'a>(target: &'a ResourceTarget<'_>) -> Result<&'a str, Failure> {
    target
        .name
        .as_deref()
        .ok_or_else(|| bad_request("name is required"))
}

/// The parameters of a write.
/// Errors: 422 with every violation.
pub(super) fn write_options(
    context: &Context,
    request: &ApiRequest,
    verb: WriteVerb,
) -> Result<WriteOptions, Failure> {
    let release = context.state.kinds.release;
    WriteOptions::parse(
        &request.query,
        verb,
        request.user_agent().as_deref(),
        release,
    )
}

/// The options of a deletion, and whether it is a dry run.
/// Errors: as of [`delete_options`](crate::query::delete_options), and 415 for a body that is neither JSON nor YAML.
pub(super) fn delete_options(
    context: &Context,
    request: &ApiRequest,
) -> Result<(DeleteOptions, bool), Failure> {
    let body = request.body()?;
    let format = match body.is_empty() {
        true => Format::Json,
        false => format(request)?,
    };
    let release = context.state.kinds.release;
    query::delete_options(&request.query, body, format, release)
}

/// The object in the body, of the kind and version of the path.
/// Errors: 415 for a body in another format, 400 for text that is not such an object.
pub(super) fn object(
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
    validation: FieldValidation,
) -> Result<Read, Failure> {
    let format = format(request)?;
    let body = request.body()?;
    read_object(body, format, target.kind, target.version, validation)
}

/// The write that a request asks for, by a field manager.
pub(super) fn write<'a>(
    target: &'a ResourceTarget<'_>,
    manager: &'a str,
    dry_run: bool,
    now: &'a str,
) -> Write<'a> {
    Write {
        kind: target.kind,
        version: target.version,
        namespace: &target.namespace,
        subresource: target.subresource.unwrap_or_default(),
        manager,
        dry_run,
        applies: false,
        now,
    }
}
