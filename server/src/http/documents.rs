//! Documents about the server: discovery, its version, and OpenAPI.

use super::accept::{self, Discovery, Encoding, Offer};
use super::context::Context;
use super::request::ApiRequest;
use super::response::ApiResponse;
use super::route::Document;
use crate::discovery::{self, Aggregated};
use crate::kinds::Kinds;
use crate::openapi;
use crate::status::{Failure, method_not_allowed};
use hyper::{Method, StatusCode, header};
use serde::Serialize;
use std::time::{Duration, SystemTime};

/// The content type of a Swagger 2 document in Protocol Buffers.
const SWAGGER_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Errors: 406 for a representation that the document does not have, 405 for a method other than `GET`. Some documents have every method.
pub(super) fn respond(
    context: &Context,
    request: &ApiRequest,
    document: Document,
) -> Result<ApiResponse, Failure> {
    let kinds = &context.state.kinds;
    let accepted = request.header(header::ACCEPT);
    let routed = match document {
        Document::Version => Some(Offer::Json),
        Document::Core | Document::Resources(..) => Some(Offer::Object),
        Document::Root | Document::Groups | Document::Group(_) => None,
    };
    if let Some(offer) = routed {
        if request.parts.method != Method::GET {
            return Err(method_not_allowed());
        }
        accept::check_route(accepted, offer)?;
    }
    if matches!(document, Document::Core | Document::Groups)
        && let Some(wanted) = accept::negotiate_discovery(accepted, kinds.release)
    {
        let is_core = document == Document::Core;
        let document = discovery::aggregated(kinds, is_core, wanted.version);
        return Ok(aggregated(request, &document, wanted));
    }
    let form = accept::negotiate_plain(accepted);
    let response = match document {
        // These two are JSON in any case.
        Document::Version => return Ok(pretty(&discovery::version(kinds.release))),
        Document::Root => {
            return Ok(pretty(
                &serde_json::json!({"paths": discovery::paths(kinds)}),
            ));
        }
        Document::Core => {
            ApiResponse::json(200, &discovery::core_versions(kinds, &context.address))
        }
        Document::Groups => ApiResponse::json(200, &discovery::groups(kinds)),
        Document::Group(name) => ApiResponse::json(200, &discovery::group(kinds, &name)),
        Document::Resources(group, version) => {
            ApiResponse::json(200, &discovery::resources(kinds, &group, &version))
        }
    };
    Ok(response.encoded(form?))
}

fn pretty(value: &impl Serialize) -> ApiResponse {
    ApiResponse::pretty_json(serde_json::to_vec(value).unwrap_or_default())
}

/// Aggregated discovery, with an `ETag` by which clients cache it.
fn aggregated(
    request: &ApiRequest,
    document: &serde_json::Value,
    wanted: Discovery,
) -> ApiResponse {
    let tag = format!("{:?}", openapi::hash(document.to_string().as_bytes()));
    let headers = [
        (header::ETAG, tag.clone()),
        (header::VARY, "Accept".to_owned()),
        (header::CACHE_CONTROL, "public".to_owned()),
    ];
    if request.header(header::IF_NONE_MATCH) == Some(&tag) {
        return ApiResponse::empty(StatusCode::NOT_MODIFIED.as_u16()).with_headers(headers);
    }
    let content_type = format!(
        "{};g={};v={};as={}",
        wanted.form.encoding.media_type(),
        Aggregated::GROUP,
        wanted.version.as_str(),
        Aggregated::KIND,
    );
    ApiResponse::json(200, document)
        .encoded(wanted.form)
        .with_headers(headers)
        .with_headers([(header::CONTENT_TYPE, content_type)])
}

/// `/openapi/v2`: the Swagger 2 document, in JSON or Protocol Buffers.
pub(super) fn swagger(request: &ApiRequest, kinds: &Kinds) -> ApiResponse {
    let vary = [(header::VARY, "Accept".to_owned())];
    let Some(encoding) = accept::negotiate_swagger(request.header(header::ACCEPT)) else {
        return ApiResponse::empty(406).with_headers(vary);
    };
    let document = openapi::swagger(kinds);
    let (content_type, bytes) = match encoding {
        Encoding::Protobuf => (SWAGGER_PROTOBUF, &document.protobuf),
        Encoding::Json | Encoding::Yaml => ("application/json", &document.json.text),
    };
    // One tag for both encodings, because of `Vary`.
    let tag = format!("{:?}", document.json.hash);
    let response = if knows(request, &tag) {
        ApiResponse::empty(StatusCode::NOT_MODIFIED.as_u16())
    } else {
        served(content_type, bytes.clone())
    };
    response
        .with_headers(vary)
        .with_headers([(header::ETAG, tag)])
}

/// A document as Go's file server sends it.
fn served(content_type: &'static str, bytes: Vec<u8>) -> ApiResponse {
    ApiResponse::bytes(content_type, bytes).with_headers([
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (
            header::LAST_MODIFIED,
            httpdate::fmt_http_date(SystemTime::now()),
        ),
    ])
}

/// `/openapi/v3`: the index of the documents, with the content type that Go guesses.
pub(super) fn openapi_index(kinds: &Kinds) -> ApiResponse {
    served("text/plain; charset=utf-8", openapi::index(kinds))
}

/// `/openapi/v3/<path>`: one document.
pub(super) fn openapi_document(request: &ApiRequest, kinds: &Kinds, path: &str) -> ApiResponse {
    let Some(version) = openapi::version(kinds, path) else {
        return ApiResponse::empty(404);
    };
    let vary = [(header::VARY, "Accept".to_owned())];
    if !accept::takes_json(request.header(header::ACCEPT)) {
        return ApiResponse::empty(406).with_headers(vary);
    }
    let document = openapi::document(version, kinds.release);
    let tag = format!("{:?}", document.hash);
    let asked = request.query.text("hash");
    if !asked.is_empty() && asked != document.hash {
        let url = openapi::url(path, &document.hash);
        // Go's redirection has a body only without the content type of the document.
        return ApiResponse::bytes("application/json", Vec::new())
            .with_code(StatusCode::MOVED_PERMANENTLY.as_u16())
            .with_headers(vary)
            .with_headers([(header::ETAG, tag), (header::LOCATION, url)]);
    }
    let response = if knows(request, &tag) {
        ApiResponse::empty(StatusCode::NOT_MODIFIED.as_u16())
    } else {
        served("application/json", document.text.clone())
    };
    let response = response
        .with_headers(vary)
        .with_headers([(header::ETAG, tag)]);
    if asked.is_empty() {
        return response;
    }
    // The document of a hash never changes.
    let expires = httpdate::fmt_http_date(SystemTime::now() + YEAR);
    response.with_headers([
        (header::CACHE_CONTROL, "public, immutable".to_owned()),
        // A real server formats this date with UTC instead of GMT.
        (header::EXPIRES, expires.replace("GMT", "UTC")),
    ])
}

/// Whether the client has the document with this tag.
fn knows(request: &ApiRequest, tag: &str) -> bool {
    let known = request.header(header::IF_NONE_MATCH).unwrap_or_default();
    let known = known.split(',').map(str::trim);
    let mut known = known.map(|known| known.strip_prefix("W/").unwrap_or(known));
    known.any(|known| known == tag || known == "*")
}
