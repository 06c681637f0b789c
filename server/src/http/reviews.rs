//! Reviews: `POST` of a question, answered by the same object with its status.

use super::accept::{self, Encoding, Offer};
use super::context::Context;
use super::inputs::format;
use super::request::ApiRequest;
use super::response::ApiResponse;
use crate::auth::{Review, User};
use crate::body::Document;
use crate::status::{Failure, bad_request, method_not_allowed};
use hyper::{Method, header};
use k8s_flowcontrol_rules::decode::Format;

/// Errors: for other methods, an unreadable body, and a review without a question.
pub(super) fn respond(
    context: &Context,
    request: &ApiRequest,
    review: Review,
) -> Result<ApiResponse, Failure> {
    if request.parts.method != Method::POST {
        return Err(method_not_allowed());
    }
    let accepted = request.header(header::ACCEPT);
    accept::check_route(accepted, Offer::Object)?;
    let form = accept::negotiate_plain(accepted)?;
    // Newer releases of `kubectl` write reviews in Protocol Buffers.
    let asked = if request.media_type().as_deref() == Some(Encoding::Protobuf.media_type()) {
        let read = review.read_protobuf(request.body()?);
        read.ok_or_else(|| bad_request("the body is not a review in Protocol Buffers"))?
    } else {
        let document = match format(request)? {
            Format::Json => Document::from_json(request.body()?),
            _ => Document::from_yaml(request.body()?),
        };
        document.map_err(bad_request)?.value
    };
    let user = request.parts.extensions.get::<User>();
    let user = user.cloned().unwrap_or_default();
    let answer = review.answer(&user, &asked, context.state.kinds.release)?;
    Ok(ApiResponse::json(201, &answer).encoded(form))
}
