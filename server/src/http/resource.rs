//! Requests about objects: their verb, content negotiation and deprecation.

use super::accept::{self, Form, Offer};
use super::context::Context;
use super::inputs::include;
use super::request::ApiRequest;
use super::response::ApiResponse;
use super::route::ResourceTarget;
use super::{collection, item, watching};
use crate::deprecated_apis::DeprecatedApi;
use crate::kinds::Deprecation;
use crate::represent::{Include, View};
use crate::status::{Failure, method_not_allowed};
use hyper::{Method, header};
use k8s_flowcontrol_types::GROUP;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    List,
    Watch,
    Create,
    DeleteCollection,
    Get,
    Replace,
    Patch,
    Delete,
}

pub(super) async fn respond(
    context: &Context,
    request: ApiRequest,
    target: &ResourceTarget<'_>,
) -> Result<ApiResponse, Failure> {
    let verb = verb(&request, target)?;
    let offer = match verb {
        Verb::List | Verb::Watch => Offer::Collection,
        _ => Offer::Object,
    };
    if verb == Verb::Patch {
        item::check_patch_type(&request)?;
    }
    let accepted = request.header(header::ACCEPT);
    accept::check_route(accepted, offer)?;
    // From here on the request has reached its handler, so errors carry the warning and count too.
    let deprecation = target.kind.deprecation(target.version);
    if let Some(deprecation) = deprecation {
        context.state.deprecated.note(DeprecatedApi {
            removed: deprecation.removed,
            resource: target.kind.plural(),
            subresource: target.subresource.unwrap_or_default(),
            version: target.version.name(),
        });
    }
    // The Protocol Buffers messages of other groups are not known.
    let has_protobuf = target.kind.as_own().is_some();
    let response = match accept::negotiate(accepted, has_protobuf) {
        Ok(form) => perform(verb, form, context, &request, target)
            .await
            .and_then(|response| represented(response, form, &request, context)),
        Err(failure) => Err(failure),
    };
    Ok(response
        .unwrap_or_else(ApiResponse::from)
        .warn_first(deprecation.map(|deprecation| warning(target, deprecation))))
}

/// The response in the requested representation.
/// Errors: 406 or 400 for a view that the response does not have. The write has been stored nevertheless.
fn represented(
    response: ApiResponse,
    form: Form,
    request: &ApiRequest,
    context: &Context,
) -> Result<ApiResponse, Failure> {
    let include = match form.view {
        View::Table(_) => include(request)?,
        _ => Include::Metadata,
    };
    response.represented(form, include, &context.state.texts)
}

async fn perform(
    verb: Verb,
    form: Form,
    context: &Context,
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
) -> Result<ApiResponse, Failure> {
    match verb {
        Verb::List => collection::list(context, request, target).await,
        Verb::Watch => watching::watch(context, request, target, form).await,
        Verb::Create => collection::create(context, request, target),
        Verb::DeleteCollection => collection::delete(context, request, target).await,
        Verb::Get => item::get(context, request, target).await,
        Verb::Replace => item::replace(context, request, target),
        Verb::Patch => item::patch(context, request, target),
        Verb::Delete => item::delete(context, request, target),
    }
}

fn verb(request: &ApiRequest, target: &ResourceTarget<'_>) -> Result<Verb, Failure> {
    let method = &request.parts.method;
    let is_item = target.name.is_some();
    // The resources of all namespaces can be read, but not written.
    let everywhere = target.kind.is_namespaced() && target.namespace.is_empty();
    if everywhere && *method != Method::GET {
        return Err(method_not_allowed());
    }
    Ok(match *method {
        Method::GET if target.watch => Verb::Watch,
        _ if target.watch => return Err(method_not_allowed()),
        Method::GET if is_item => Verb::Get,
        Method::GET if request.query.is_set("watch") => Verb::Watch,
        Method::GET => Verb::List,
        Method::POST if !is_item => Verb::Create,
        Method::DELETE if !is_item => Verb::DeleteCollection,
        Method::PUT if is_item => Verb::Replace,
        Method::PATCH if is_item => Verb::Patch,
        Method::DELETE if is_item && target.subresource.is_none() => Verb::Delete,
        _ => return Err(method_not_allowed()),
    })
}

/// The warning of a deprecated version.
fn warning(target: &ResourceTarget<'_>, deprecation: Deprecation) -> String {
    let (api_version, kind) = (target.version.api_version(), target.kind.name());
    let Deprecation {
        since,
        removed,
        replacement,
    } = deprecation;
    format!(
        "{api_version} {kind} is deprecated in v1.{since}+, unavailable in v1.{removed}+; use \
         {GROUP}/{replacement} {kind}"
    )
}
