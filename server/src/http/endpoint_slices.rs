//! Reading the EndpointSlices of the service `kubernetes`.

use super::accept;
use super::context::Context;
use super::request::ApiRequest;
use super::response::ApiResponse;
use crate::selector::ParsedSelector;
use crate::status::{Failure, failure, method_not_allowed};
use hyper::{Method, header};
use serde_json::{Value, json};

/// Errors: for other methods than `GET`, an invalid selector, and 404 for an unknown name.
pub(super) fn respond(
    context: &Context,
    request: &ApiRequest,
    name: Option<&str>,
) -> Result<ApiResponse, Failure> {
    if request.parts.method != Method::GET {
        return Err(method_not_allowed());
    }
    let form = accept::negotiate_plain(request.header(header::ACCEPT))?;
    let release = context.state.kinds.release;
    let selector = ParsedSelector::of(&request.query, release)?.checked()?;
    let mut slices = context.endpoints.slices();
    let Some(name) = name else {
        slices.retain(|slice| selector.matches(slice));
        let list = json!({
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSliceList",
            "metadata": {"resourceVersion": "1"},
            "items": slices,
        });
        return Ok(ApiResponse::json(200, &list).encoded(form));
    };
    let is_named = |slice: &Value| slice["metadata"]["name"] == name;
    match slices.into_iter().find(is_named) {
        Some(slice) => Ok(ApiResponse::json(200, &slice).encoded(form)),
        None => {
            let message = format!("endpointslices.discovery.k8s.io {name:?} not found");
            Err(failure(404, "NotFound", message))
        }
    }
}
