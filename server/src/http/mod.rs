//! HTTP: requests in, answers out. Everything that decides is elsewhere.

mod accept;
mod answer;
mod collection;
mod compress;
mod documents;
mod faulty;
mod gate;
mod item;
mod objects;
mod payload;
mod resource;
pub(crate) mod route;
mod watching;

use crate::auth::{Tokens, User};
use crate::dumps;
use crate::faults::Faults;
use crate::health;
use crate::query::Query;
use crate::state::{RecordedRequest, State};
use crate::status::{Failure, bad_request, too_large};
use answer::Answer;
use futures_util::StreamExt;
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, header};
use k8s_flowcontrol_rules::matching::RequestAttributes;
use payload::Body;
use route::Target;
use std::sync::Arc;
use tokio::sync::watch;

const LARGEST_BODY: usize = 3 * 1024 * 1024;
/// How much of a larger body is read before its connection is closed.
const LARGEST_REFUSED: usize = 8 * LARGEST_BODY;

/// What a request needs besides itself.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) state: Arc<State>,
    /// Who may come; without them everybody is a master.
    pub(crate) tokens: Option<Arc<Tokens>>,
    pub(crate) faults: Arc<Faults>,
    /// `host:port` of the server.
    pub(crate) address: Arc<str>,
    /// Turns true when the server stops.
    pub(crate) stopping: watch::Receiver<bool>,
}

/// Returns when the server stops.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A server that is gone has stopped too.
    let _gone = stopping.wait_for(|stopping| *stopping).await.is_err();
}

/// A request whose body has arrived.
pub(crate) struct Arrived {
    parts: Parts,
    query: Query,
    body: Bytes,
    /// Why the body is empty, if it was not when it was sent.
    too_large: Option<Failure>,
}

impl Arrived {
    fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }

    /// The media type of the body, in lower case and without parameters.
    fn media_type(&self) -> Option<String> {
        let text = self.header(header::CONTENT_TYPE)?;
        let media_type = text.split(';').next().unwrap_or_default().trim();
        Some(media_type.to_ascii_lowercase())
    }

    fn user_agent(&self) -> Option<&str> {
        self.header(header::USER_AGENT)
    }

    /// What the request is about, as flow control sees it.
    fn attributes(&self) -> RequestAttributes {
        let user = self.parts.extensions.get::<User>();
        user.cloned()
            .unwrap_or_default()
            .attributes(self.parts.method.as_str(), &self.parts.uri.to_string())
    }

    fn is_pretty(&self) -> bool {
        match self.query.text("pretty") {
            "" => self.user_agent().is_some_and(|agent| {
                ["curl", "Wget", "Mozilla/5.0"]
                    .iter()
                    .any(|known| agent.starts_with(known))
            }),
            value => matches!(value, "1" | "t" | "T" | "TRUE" | "true" | "True"),
        }
    }
}

/// Serves one request.
pub(crate) async fn respond(context: Context, request: Request<Incoming>) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    let body = read_body(&parts.method, body).await;
    context.state.record(|| RecordedRequest {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: query.clone().into_pairs(),
        content_type: parts
            .headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned),
        body: body.as_ref().map(|body| body.to_vec()).unwrap_or_default(),
    });
    let (body, too_large) = match body {
        Ok(body) => (body, None),
        Err(failure) => (Bytes::new(), Some(failure)),
    };
    let mut gate = gate::pass(&context, &mut parts).await;
    let request = Arrived {
        parts,
        query,
        body,
        too_large,
    };
    let pretty = request.is_pretty();
    let gzip = compress::is_wanted(&request.parts.headers);
    let form = accept::negotiate_plain(request.header(header::ACCEPT)).ok();
    let ticket = context.state.take(request.attributes());
    let answer = match gate.answer.take() {
        Some(answer) => answer,
        None => answer(&context, request).await.unwrap_or_else(Answer::from),
    };
    let answer = answer.failure_written(form);
    let flow = ticket.as_ref().map(|ticket| ticket.uids.clone());
    let response = gate.finish(answer.into_response(pretty, flow));
    match gzip {
        true => compress::compress(response).await,
        false => response,
    }
}

async fn read_body(method: &Method, body: Incoming) -> Result<Bytes, Failure> {
    if *method == Method::GET || *method == Method::HEAD {
        return Ok(Bytes::new());
    }
    let mut pieces = body.into_data_stream();
    let (mut kept, mut size) = (Vec::new(), 0);
    // A client hears the refusal when it has sent everything, so what is too much is read and forgotten.
    while let Some(piece) = pieces.next().await {
        // Half a body may be a whole object in YAML.
        let Ok(piece) = piece else {
            return Err(bad_request("unexpected EOF"));
        };
        size += piece.len();
        if size <= LARGEST_BODY {
            kept.extend_from_slice(&piece);
        } else {
            kept = Vec::new();
            if size > LARGEST_REFUSED {
                break;
            }
        }
    }
    match size > LARGEST_BODY {
        true => Err(too_large(&format!("limit is {LARGEST_BODY}"))),
        false => Ok(kept.into()),
    }
}

async fn answer(context: &Context, request: Arrived) -> Result<Answer, Failure> {
    let kinds = &context.state.kinds;
    match route::route(request.parts.uri.path(), kinds)? {
        Target::Resource(target) => resource::answer(context, request, &target).await,
        Target::Discovery(document) => documents::answer(context, &request, document),
        Target::OpenApiIndex => Ok(documents::openapi_index(kinds)),
        Target::OpenApi(path) => Ok(documents::openapi_document(&request, kinds, &path)),
        Target::Health(check, part) => {
            let reads_objects = context.state.read(|store| store.is_readable());
            if let Some(part) = part {
                let known = health::parts(check).any(|known| known == part);
                return Ok(match known {
                    true if health::passes(&part, reads_objects) => Answer::text(200, "ok"),
                    true => Answer::text(500, "internal server error: not finished\n"),
                    false => nowhere(),
                });
            }
            let (passes, report) = health::report(check, &request.query, reads_objects);
            Ok(Answer::text(if passes { 200 } else { 500 }, report))
        }
        Target::Dump(dump) => {
            let details = !request.query.text("includeRequestDetails").is_empty();
            Ok(Answer::text(
                200,
                dumps::dump(&context.state, dump, details),
            ))
        }
        Target::Metrics => Ok(Answer::text(200, context.state.deprecated.text())),
        Target::Nowhere => Ok(nowhere()),
    }
}

fn nowhere() -> Answer {
    Answer::text(404, "404 page not found\n")
}
