//! A request, from the client through the modes to the server behind, and back.

use super::bodies;
use super::call::{Call, text};
use super::connection::Connection;
use super::dice::mix;
use super::mode::Mode;
use super::observer::Outcome;
use super::older;
use super::shared::Shared;
use super::watches::{self, Plan};
use crate::http::payload::{self, Body};
use crate::http::{ApiResponse, check_host, read_body, rejected, wants_gzip, without_host};
use crate::status::{Failure, failure};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// The path of the report in JSON.
pub(super) const REPORT: &str = "/torture";
/// Headers of a response that concern its connection, or a body that may be changed here.
const OF_CONNECTION: [HeaderName; 3] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
];
/// The protocols of `exec`, `attach`, `port-forward` and watches in browsers. `h2c` is an offer that a server may ignore.
const UPGRADES: [&str; 2] = ["spdy/", "websocket"];
const RETRY_AFTER: u32 = 1;
/// The largest body that is kept for stale reads or changed as a whole.
const MAX_WHOLE: usize = 8 << 20;
const SKEW: Duration = Duration::from_secs(3 * 3600);

/// The error of a request that gets no response on purpose.
pub(super) type Broken = io::Error;

/// Serves one request.
/// Errors: the connection breaks without a response.
pub(super) async fn serve(
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Broken> {
    let (mut parts, body) = request.into_parts();
    if let Err(failure) = check_host(shared.hosts, &parts) {
        return Ok(plain(failure));
    }
    // HTTP/2 has the whole URL.
    parts.uri = without_host(parts.uri);
    let body = match read_body(&parts.method, body, shared.patience).await {
        Ok(body) => body,
        Err(failure) => return Ok(plain(failure)),
    };
    if parts.uri.path() == REPORT {
        return Ok(match shared.gate.pass(&mut parts.headers) {
            Ok(_) => {
                let report = shared.observer.report(&shared.dice.modes, shared.dice.seed);
                ApiResponse::json(200, &report).into_response(true, None)
            }
            Err(failure) => plain(failure),
        });
    }
    let call = Arc::new(Call::new(&parts, &body));
    shared.observer.request(&call);
    connection.count(&shared);
    let response = match respond(&shared, &connection, &call, parts, body).await {
        Ok(response) => response,
        Err(error) => {
            shared.observer.ended(&call, Outcome::Unknown);
            return Err(error);
        }
    };
    Ok(finish(&shared, &connection, &call, response))
}

/// The response before the faults of its body.
async fn respond(
    shared: &Arc<Shared>,
    connection: &Connection,
    call: &Arc<Call>,
    mut parts: Parts,
    body: Bytes,
) -> Result<Response<Body>, Broken> {
    match shared.gate.pass(&mut parts.headers) {
        Ok(true) => shared.observer.struck(Mode::Tokens),
        Ok(false) => {}
        Err(failure) => return Ok(plain(failure)),
    }
    if let Some(protocol) = upgrade(&parts) {
        let message = format!(
            "a torture server does not forward connections that become {protocol}; send this request to the server behind it"
        );
        return Ok(plain(failure(501, "NotImplemented", message)));
    }
    if shared.is_in_storm()
        && shared
            .dice
            .strikes(Mode::Throttling, &call.signature, 100)
            .is_some()
    {
        shared.observer.struck(Mode::Throttling);
        return Ok(rejected(RETRY_AFTER).into_response(false, None));
    }
    if let Some(failure) = refused(shared, connection, call, &parts).await {
        return Ok(failure);
    }
    let reset = match call.is_watch() {
        // Watches break between their lines.
        true => None,
        false => shared.dice.strikes(Mode::Resets, &call.signature, 30),
    };
    if reset.is_some_and(|random| random % 4 == 0) {
        shared.observer.struck(Mode::Resets);
        return Err(bodies::broken());
    }
    if let Some(stale) = stale(shared, call) {
        return Ok(stale);
    }
    let wanted_gzip = wants_gzip(&parts.headers);
    let response = forward(shared, call, parts.clone(), body).await;
    let response = match response {
        Ok(response) => response,
        Err(error) => {
            let message = format!("the server behind did not respond: {error}");
            return Ok(plain(failure(503, "ServiceUnavailable", message)));
        }
    };
    if call.is_create() && response.status().is_success() {
        shared.observer.took_effect(call);
    }
    if reset.is_some_and(|random| random % 4 == 1) {
        shared.observer.struck(Mode::Resets);
        return Err(bodies::broken());
    }
    let response = changed(shared, connection, call, &parts, response).await?;
    let response = watched(shared, call, response, wanted_gzip);
    Ok(match reset {
        None => response,
        Some(random) => {
            shared.observer.struck(Mode::Resets);
            let after = usize::try_from(random % 400).unwrap_or_default();
            response.map(|body| bodies::cut(body, after))
        }
    })
}

/// The other protocol that the client wants to speak on its connection.
fn upgrade(parts: &Parts) -> Option<String> {
    let wanted = text(&parts.headers, &header::UPGRADE);
    let lower = wanted.to_ascii_lowercase();
    UPGRADES
        .iter()
        .any(|protocol| lower.starts_with(protocol))
        .then_some(wanted)
}

/// The rejections of modes that depend on what is asked.
async fn refused(
    shared: &Shared,
    connection: &Connection,
    call: &Call,
    parts: &Parts,
) -> Option<Response<Body>> {
    let has_token = !call.query.text("continue").is_empty();
    if has_token
        && shared
            .dice
            .strikes(Mode::ExpiredPages, call.collection(), 60)
            .is_some()
    {
        shared.observer.struck(Mode::ExpiredPages);
        let message = "The provided continue parameter is too old to display a consistent list result. You must start a \
                       new list without the continue parameter.";
        return Some(plain(failure(410, "Expired", message)));
    }
    if call.query.is_set("sendInitialEvents")
        && let Some(random) = shared.dice.strikes(Mode::WatchLists, call.collection(), 60)
        && random % 2 == 0
    {
        shared.observer.struck(Mode::WatchLists);
        let message = "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden \
                       for watch unless the WatchList feature gate is enabled";
        return Some(plain(failure(422, "Invalid", message)));
    }
    if shared.dice.has(Mode::Bookmarks)
        && call.is_watch()
        && let Some(version) = call.resource_version()
        && shared.observer.has_seen_later(call, version)
        && shared
            .dice
            .strikes(Mode::Bookmarks, &call.signature, 100)
            .is_some()
    {
        let message = format!("too old resource version: {version}");
        return Some(plain(failure(410, "Expired", message)));
    }
    if shared.dice.has(Mode::RollingUpgrade)
        && connection.is_older()
        && older::lacks(shared, parts.uri.path(), &parts.headers).await
    {
        shared.observer.struck(Mode::RollingUpgrade);
        return Some(ApiResponse::text(404, "404 page not found\n").into_response(false, None));
    }
    None
}

async fn forward(
    shared: &Shared,
    call: &Call,
    parts: Parts,
    body: Bytes,
) -> io::Result<Response<Body>> {
    let mut request = Request::new(body);
    *request.method_mut() = parts.method;
    *request.uri_mut() = parts.uri;
    let mut headers = parts.headers;
    // Lines and documents are changed here.
    if call.is_watch() || !call.attributes.is_resource_request {
        headers.remove(header::ACCEPT_ENCODING);
    }
    *request.headers_mut() = headers;
    let mut response = shared.upstream.send(request).await?;
    for name in OF_CONNECTION {
        response.headers_mut().remove(name);
    }
    Ok(response)
}

/// The changes of whole documents.
async fn changed(
    shared: &Shared,
    connection: &Connection,
    call: &Call,
    parts: &Parts,
    response: Response<Body>,
) -> io::Result<Response<Body>> {
    let is_older = shared.dice.has(Mode::RollingUpgrade)
        && connection.is_older()
        && older::is_document(parts.uri.path());
    let is_kept = allows_old(shared, call) && response.status() == StatusCode::OK;
    if !is_older && !is_kept {
        return Ok(response);
    }
    let (head, body) = response.into_parts();
    let whole = Limited::new(body, MAX_WHOLE).collect().await;
    let mut body = whole.map_err(io::Error::other)?.to_bytes();
    if is_kept {
        shared.keep(&call.signature, &head, &body);
    }
    if is_older && let Some(document) = older::document(shared, &parts.headers, &body).await {
        shared.observer.struck(Mode::RollingUpgrade);
        body = document.into();
    }
    Ok(Response::from_parts(head, payload::whole(body)))
}

fn allows_old(shared: &Shared, call: &Call) -> bool {
    shared.dice.has(Mode::StaleReads)
        && !call.is_watch()
        && !call.is_write()
        && call.query.get("resourceVersion") == Some("0")
}

/// An earlier response.
fn stale(shared: &Shared, call: &Call) -> Option<Response<Body>> {
    let (head, body) = shared
        .kept(&call.signature)
        .filter(|_| allows_old(shared, call))?;
    shared.dice.strikes(Mode::StaleReads, &call.signature, 60)?;
    shared.observer.struck(Mode::StaleReads);
    Some(Response::from_parts(head, payload::whole(body)))
}

fn watched(
    shared: &Arc<Shared>,
    call: &Arc<Call>,
    mut response: Response<Body>,
    wanted_gzip: bool,
) -> Response<Body> {
    if !call.is_watch() || !response.status().is_success() {
        return response;
    }
    let initial = call.query.is_set("sendInitialEvents");
    let dice = &shared.dice;
    let plan = Plan {
        bookmarks: dice
            .strikes(Mode::Bookmarks, &format!("watch {}", call.signature), 100)
            .filter(|_| call.query.is_set("allowWatchBookmarks"))
            .and_then(|random| usize::try_from(random % 4 + 1).ok()),
        without_initial_end: initial
            && dice
                .strikes(Mode::WatchLists, &format!("end {}", call.path), 60)
                .is_some(),
        cut: dice
            .strikes(Mode::Resets, &call.signature, 60)
            .and_then(|random| usize::try_from(random % 6).ok()),
    };
    // Other formats have other lines.
    if text(response.headers(), &header::CONTENT_TYPE).starts_with("application/json") {
        response = response.map(|body| watches::changed(body, plan, call.clone(), shared.clone()));
    }
    if dice.has(Mode::CompressedWatches) && wanted_gzip {
        shared.observer.struck(Mode::CompressedWatches);
        let gzip = HeaderValue::from_static("gzip");
        response
            .headers_mut()
            .insert(header::CONTENT_ENCODING, gzip);
        response = response.map(bodies::compressed);
    }
    response
}

/// The faults of all responses, and the end of the exchange.
fn finish(
    shared: &Arc<Shared>,
    connection: &Arc<Connection>,
    call: &Arc<Call>,
    mut response: Response<Body>,
) -> Response<Body> {
    if let Some(random) = shared.dice.strikes(Mode::Slow, &call.signature, 60) {
        shared.observer.struck(Mode::Slow);
        response = response.map(|body| bodies::slow(body, random));
    }
    if shared.dice.has(Mode::ClockSkew) {
        let now = SystemTime::now();
        let skewed = match mix(shared.dice.seed) % 2 {
            0 => now + SKEW,
            _ => now - SKEW,
        };
        if let Ok(date) = HeaderValue::try_from(httpdate::fmt_http_date(skewed)) {
            shared.observer.struck(Mode::ClockSkew);
            response.headers_mut().insert(header::DATE, date);
        }
    }
    let code = response.status().as_u16();
    let seconds = response.headers().get(header::RETRY_AFTER);
    let seconds = seconds.and_then(|value| value.to_str().ok()?.parse().ok());
    let end = |seconds: u32| Instant::now() + Duration::from_secs(seconds.into());
    let outcome = match (code, seconds) {
        (429 | 503, Some(seconds)) => Outcome::RetryAfter(code, end(seconds)),
        _ => Outcome::Code(code),
    };
    let (observed, connection, call) = (shared.clone(), connection.clone(), call.clone());
    response.map(|body| {
        bodies::tracked(body, move |whole| {
            // A watch may end at any time.
            let is_known = call.is_watch() || whole && !connection.is_breaking();
            observed
                .observer
                .ended(&call, if is_known { outcome } else { Outcome::Unknown });
        })
    })
}

fn plain(failure: Failure) -> Response<Body> {
    ApiResponse::from(failure).into_response(false, None)
}
