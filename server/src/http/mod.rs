//! HTTP: requests in, responses out. The decisions are made elsewhere.

mod accept;
mod collection;
mod context;
mod deadline;
mod documents;
mod endpoint_slices;
mod fault_responses;
mod filters;
mod heavy;
mod hosts;
mod inputs;
mod item;
mod objects;
pub(crate) mod payload;
mod request;
mod resource;
mod response;
mod reviews;
mod route;
mod warnings;
mod watching;

pub(crate) use context::{Context, stopped};
#[cfg(feature = "tls")]
pub(crate) use fault_responses::rejected;
#[cfg(feature = "tls")]
pub(crate) use filters::attributes;
pub(crate) use heavy::Turns;
pub(crate) use hosts::{Hosts, check as check_host};
pub(crate) use payload::Body;
#[cfg(feature = "tls")]
pub(crate) use payload::is_wanted as wants_gzip;
pub(crate) use response::ApiResponse;

use crate::query::{Query, has_valid_escapes};
use crate::recorded::RecordedRequest;
use crate::state::Admitted;
use crate::status::{Failure, bad_request, failure, too_large};
use crate::{dumps, health, metrics};
use deadline::REQUEST_TIMEOUT;
use futures_util::StreamExt;
use http_body_util::BodyExt;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri};
use request::ApiRequest;
use route::Target;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// The content type of metrics.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";
const PLAIN_TEXT: &str = "text/plain; charset=utf-8";
const AUDIT_ID: &str = "audit-id";
const LARGEST_BODY: usize = 3 * 1024 * 1024;
/// The part of a larger body that is read before its connection is closed.
const LARGEST_DROPPED: usize = 8 * LARGEST_BODY;

/// Serves one request.
pub(crate) async fn respond<B>(context: Context, request: Request<B>) -> Response<Body>
where
    B: hyper::body::Body<Data = Bytes> + Unpin,
{
    let arrived = Instant::now();
    let (mut parts, body) = request.into_parts();
    if let Err(failure) = hosts::check(context.hosts, &parts) {
        return ApiResponse::from(failure).into_response(false, None);
    }
    // HTTP/2 has the whole URL.
    parts.uri = without_host(parts.uri);
    if !has_valid_escapes(parts.uri.path()) {
        return malformed();
    }
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    let body = read_body(&parts.method, body, context.patience).await;
    context.state.record(|| RecordedRequest {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: query.clone().into_pairs(),
        headers: header_texts(&parts.headers),
        body: body.as_ref().map(|body| body.to_vec()).unwrap_or_default(),
    });
    let request = ApiRequest { parts, query, body };
    let gzip = payload::threshold(&request.parts);
    // The server uses the identifier of the client, if it has one.
    let audit_id = request.parts.headers.get(AUDIT_ID).cloned();
    let mut response = match deadline::of(&request) {
        Ok(None) => serve(&context, request, REQUEST_TIMEOUT).await,
        Ok(Some(limit)) => {
            let served = serve(&context, request, limit);
            let served = timeout_at(arrived + limit, served).await;
            served.unwrap_or_else(|_| deadline::passed().into_response(false, None))
        }
        Err(failure) => {
            let form = accept::negotiate_plain(request.header(header::ACCEPT)).ok();
            let response = ApiResponse::from(failure).failure_encoded(form);
            response.into_response(request.is_pretty(), None)
        }
    };
    if let Some(audit_id) = audit_id.filter(|id| !id.is_empty()) {
        response.headers_mut().insert(AUDIT_ID, audit_id);
    }
    match gzip {
        Some(threshold) => payload::compress(response, threshold).await,
        None => response,
    }
}

/// Serves a request, which waits in a queue for a part of its deadline.
async fn serve(context: &Context, mut request: ApiRequest, deadline: Duration) -> Response<Body> {
    let mut filtered = filters::run(context, &mut request.parts).await;
    let pretty = request.is_pretty();
    let form = accept::negotiate_plain(request.header(header::ACCEPT)).ok();
    let query = request.parts.uri.query().unwrap_or_default();
    let attributes = std::mem::take(&mut filtered.attributes);
    let admitted = context.state.admit(attributes, query, deadline).await;
    let flow = match &admitted {
        Admitted::NotSubject => None,
        Admitted::Executes(ticket) => Some(ticket.uids.clone()),
        Admitted::Rejected { uids, retry_after } => {
            let seconds = u32::try_from(retry_after.as_secs()).unwrap_or(u32::MAX);
            filtered.response = Some(fault_responses::rejected(seconds));
            Some(uids.clone())
        }
    };
    if let (Admitted::Executes(_) | Admitted::NotSubject, Some(delay)) = (&admitted, filtered.delay)
    {
        tokio::time::sleep(delay).await;
    }
    let response = match filtered.response.take() {
        Some(response) => response,
        None => heavy::dispatch(context, request)
            .await
            .unwrap_or_else(ApiResponse::from),
    };
    let response = response
        .failure_encoded(form)
        .warn_first(filtered.warning.take());
    filtered.finish(response.into_response(pretty, flow))
}

fn header_texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let texts = headers.iter();
    texts
        .map(|(name, value)| (name.as_str().to_owned(), filters::text(value)))
        .collect()
}

pub(crate) fn without_host(uri: Uri) -> Uri {
    match uri.path_and_query() {
        Some(path) => Uri::from(path.clone()),
        None => uri,
    }
}

/// Reads the body of a request to the server; empty for `GET` and `HEAD`.
/// Errors: as of [`read_at_most`].
pub(crate) async fn read_body<B>(
    method: &Method,
    body: B,
    patience: Duration,
) -> Result<Bytes, Failure>
where
    B: hyper::body::Body<Data = Bytes> + Unpin,
{
    match *method {
        Method::GET | Method::HEAD => Ok(Bytes::new()),
        _ => read_at_most(body, LARGEST_BODY, patience).await,
    }
}

/// Reads a body of at most `limit` bytes, whose parts come within `patience`.
/// Errors: 413 for a larger body, 408 if the body does not continue, 400 if it breaks off.
pub(crate) async fn read_at_most<B>(
    body: B,
    limit: usize,
    patience: Duration,
) -> Result<Bytes, Failure>
where
    B: hyper::body::Body<Data = Bytes> + Unpin,
{
    let mut pieces = body.into_data_stream();
    let (mut kept, mut size) = (Vec::new(), 0);
    // A client reads the error after it has sent everything, so the rest of a large body is read and dropped.
    loop {
        let Ok(piece) = timeout(patience, pieces.next()).await else {
            let message = format!("the body of the request did not continue for {patience:?}");
            return Err(failure(408, "Timeout", message));
        };
        let Some(piece) = piece else {
            break;
        };
        // A truncated YAML body may parse as a whole object.
        let Ok(piece) = piece else {
            return Err(bad_request("unexpected EOF"));
        };
        size += piece.len();
        if size <= limit {
            kept.extend_from_slice(&piece);
        } else {
            kept = Vec::new();
            if size > limit.saturating_add(LARGEST_DROPPED) {
                break;
            }
        }
    }
    match size > limit {
        true => Err(too_large(&format!("limit is {limit}"))),
        false => Ok(kept.into()),
    }
}

async fn dispatch(context: &Context, request: ApiRequest) -> Result<ApiResponse, Failure> {
    let kinds = &context.state.kinds;
    match route::route(request.parts.uri.path(), kinds)? {
        Target::Resource(target) => resource::respond(context, request, &target).await,
        Target::Review(review) => reviews::respond(context, &request, review),
        Target::Discovery(document) => documents::respond(context, &request, document),
        Target::Swagger => Ok(documents::swagger(&request, kinds)),
        Target::OpenApiIndex => Ok(documents::openapi_index(kinds)),
        Target::OpenApi(path) => Ok(documents::openapi_document(&request, kinds, &path)),
        Target::Health(check, part) => {
            let storage = context.state.storage();
            if let Some(part) = part {
                let known = health::parts(check).any(|known| known == part);
                return Ok(match known {
                    true if health::passes(&part, storage) => {
                        ApiResponse::bytes(PLAIN_TEXT, b"ok".to_vec())
                    }
                    true => ApiResponse::text(500, "internal server error: not finished\n"),
                    false => not_found(),
                });
            }
            let (passes, report) = health::report(check, &request.query, storage);
            Ok(ApiResponse::text(if passes { 200 } else { 500 }, report))
        }
        Target::Dump(dump) => {
            let details = !request.query.text("includeRequestDetails").is_empty();
            Ok(ApiResponse::text(
                200,
                dumps::dump(&context.state, dump, details),
            ))
        }
        Target::EndpointSlices(name) => {
            endpoint_slices::respond(context, &request, name.as_deref())
        }
        Target::Metrics => {
            let text = metrics::text(&context.state).into_bytes();
            Ok(ApiResponse::bytes(PROMETHEUS, text))
        }
        Target::Unknown => Ok(not_found()),
    }
}

/// The response of Go's HTTP server to a path with an invalid escape.
fn malformed() -> Response<Body> {
    let mut response = Response::new(payload::whole("400 Bad Request"));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PLAIN_TEXT));
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn not_found() -> ApiResponse {
    ApiResponse::text(404, "404 page not found\n")
}
