//! Verbs of collections: list, create, delete.

use super::context::Context;
use super::inputs::{delete_options, format, object, write, write_options};
use super::request::ApiRequest;
use super::response::ApiResponse;
use super::route::ResourceTarget;
use crate::list::{At, ListOptions, list as list_page};
use crate::query::WriteVerb;
use crate::registry;
use crate::status::{Failure, future_version};
use crate::store::meta_str;
use crate::{ids, state::State};
use std::time::Duration;

/// The time that a server waits for a resource version in the future.
const PATIENCE: Duration = Duration::from_secs(3);

pub(super) async fn list(
    context: &Context,
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
) -> Result<ApiResponse, Failure> {
    let state = &context.state;
    let mut options = ListOptions::parse(&request.query, state.kinds.release)?;
    options.selector = options.selector.in_namespace(&target.namespace);
    wait_for_list(state, &options).await?;
    let page = state.read(|store| list_page(store, target.kind, &options))?;
    Ok(ApiResponse::page(page, target.kind, target.version))
}

/// Waits for the revision of a list, as far as a server does.
async fn wait_for_list(state: &State, options: &ListOptions) -> Result<(), Failure> {
    match options.at {
        At::NotOlderThan(revision) => wait_for(state, revision).await,
        At::Exactly(revision) if !options.future_is_internal => wait_for(state, revision).await,
        At::Exactly(_) | At::Now => Ok(()),
    }
}

/// Waits a short time for a revision.
/// Errors: 504 when the revision did not come in time.
pub(super) async fn wait_for(state: &State, revision: u64) -> Result<(), Failure> {
    let mut revisions = state.revision.subscribe();
    let come = revisions.wait_for(|current| *current >= revision);
    match tokio::time::timeout(PATIENCE, come).await {
        Ok(Ok(_)) => Ok(()),
        _ => Err(future_version(revision, *state.revision.borrow())),
    }
}

pub(super) fn create(
    context: &Context,
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
) -> Result<ApiResponse, Failure> {
    // Unlike a replacement, a create reads the media type before the body and the parameters.
    format(request)?;
    request.body()?;
    let options = write_options(context, request, WriteVerb::Create)?;
    let read = object(request, target, options.validation)?;
    let now = ids::now();
    let write = write(target, &options.manager, options.dry_run, &now);
    let created = context
        .state
        .write(|store| registry::create(store, &write, read.object))?;
    let response = match created {
        Ok(object) => ApiResponse::object(201, &object, target.kind, target.version),
        Err(failure) => failure.into(),
    };
    Ok(response.warn(read.warnings))
}

pub(super) async fn delete(
    context: &Context,
    request: &ApiRequest,
    target: &ResourceTarget<'_>,
) -> Result<ApiResponse, Failure> {
    let state = &context.state;
    let mut list_options = ListOptions::of_deletion(&request.query, state.kinds.release)?;
    list_options.selector = list_options.selector.in_namespace(&target.namespace);
    let (options, dry_run) = delete_options(context, request)?;
    let now = ids::now();
    let write = write(target, "", dry_run, &now);
    wait_for_list(state, &list_options).await?;
    state.write(|store| {
        let page = list_page(store, target.kind, &list_options)?;
        for object in &page.items {
            match registry::delete(store, &write, meta_str(object, "name"), &options) {
                // A list of the past has objects that are gone.
                Err(failure) if failure.code() != 404 => return Err(failure),
                _ => {}
            }
        }
        Ok(ApiResponse::page(page, target.kind, target.version))
    })?
}
