//! The requests of a receiver, from their headers to their answers.

use super::{Answer, Channel, Post, Rejections};
use crate::auth::{Tokens, authenticate};
use crate::http::{ApiResponse, Body, Hosts, check_host, read_at_most};
use crate::status::{Failure, failure, method_not_allowed, too_large};
use hyper::body::Incoming;
use hyper::header;
use hyper::http::request::Parts;
use hyper::{Method, Request, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// The bytes of one permit: a semaphore counts in `u32`.
const UNIT: usize = 1024;
/// The seconds after which a request that finds no memory may be sent again.
const RETRY_AFTER: u32 = 1;

/// The parts of a receiver that requests use.
pub(super) struct Requests {
    pub(super) hosts: Hosts,
    pub(super) tokens: Option<Tokens>,
    pub(super) largest_body: usize,
    pub(super) patience: Duration,
    /// The memory for bodies without an answer.
    pub(super) memory: Arc<Semaphore>,
    pub(super) channel: Channel,
    pub(super) rejections: Rejections,
}

/// The permits for a memory of so many bytes.
pub(super) fn permits(bytes: usize) -> usize {
    bytes.div_ceil(UNIT).clamp(1, Semaphore::MAX_PERMITS)
}

impl Requests {
    pub(super) async fn respond(&self, request: Request<Incoming>) -> Response<Body> {
        let is_post = request.method() == Method::POST;
        let response = match self.answer(request).await {
            Ok(response) => response,
            Err(failure) if failure.code() == 429 => {
                ApiResponse::from(failure).with_retry_after(RETRY_AFTER)
            }
            Err(failure) => failure.into(),
        };
        let response = response.into_response(false, None);
        let status = response.status();
        if is_post && (status.is_client_error() || status.is_server_error()) {
            self.rejections.add(status.as_u16());
        }
        response
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<ApiResponse, Failure> {
        let (parts, body) = request.into_parts();
        check_host(self.hosts, &parts)?;
        self.check_token(&parts)?;
        let (body, _memory) = match parts.method {
            Method::GET | Method::HEAD => (None, None),
            Method::POST => {
                check_encoding(&parts)?;
                let (body, memory) = self.read(&parts, body).await?;
                (Some(body), Some(memory))
            }
            _ => return Err(method_not_allowed()),
        };
        let (answer, answered) = oneshot::channel();
        let post = Post {
            path: parts.uri.path().to_owned(),
            body,
            answer,
        };
        let is_lost = self.channel.send(post).is_err();
        match answered.await {
            Ok(answer) if !is_lost => Ok(response(answer)),
            _ => Err(failure(
                503,
                "ServiceUnavailable",
                "the receiver is stopping: send the request again",
            )),
        }
    }

    fn check_token(&self, parts: &Parts) -> Result<(), Failure> {
        let Some(tokens) = &self.tokens else {
            return Ok(());
        };
        let header = parts.headers.get(header::AUTHORIZATION);
        let header = header.and_then(|value| value.to_str().ok());
        match authenticate(Some(tokens), header)?.is_anonymous() {
            true => Err(failure(401, "Unauthorized", "Unauthorized")),
            false => Ok(()),
        }
    }

    /// Reads a body, with the memory that it takes.
    async fn read(
        &self,
        parts: &Parts,
        body: Incoming,
    ) -> Result<(hyper::body::Bytes, OwnedSemaphorePermit), Failure> {
        let length = parts.headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse().ok());
        let length = length.unwrap_or(self.largest_body);
        // A body that is too large does not take up memory: it is read to its end and dropped.
        let limit = if length > self.largest_body {
            0
        } else {
            length
        };
        let wanted = u32::try_from(permits(limit)).unwrap_or(u32::MAX);
        let Ok(memory) = Arc::clone(&self.memory).try_acquire_many_owned(wanted) else {
            // A client that still sends does not read the response.
            let _dropped = read_at_most(body, 0, self.patience).await.is_err();
            return Err(failure(
                429,
                "TooManyRequests",
                "the requests before this one have no answer yet: send it again",
            ));
        };
        match read_at_most(body, limit, self.patience).await {
            Ok(body) => Ok((body, memory)),
            Err(failure) if failure.code() == 413 => {
                Err(too_large(&format!("limit is {}", self.largest_body)))
            }
            Err(failure) => Err(failure),
        }
    }
}

/// Only plain bodies are read: a compressed one could be of any length.
fn check_encoding(parts: &Parts) -> Result<(), Failure> {
    let encoding = parts.headers.get(header::CONTENT_ENCODING);
    match encoding.is_none_or(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        true => Ok(()),
        false => Err(failure(
            415,
            "UnsupportedMediaType",
            "the body of the request is compressed: send it without Content-Encoding",
        )),
    }
}

fn response(answer: Answer) -> ApiResponse {
    let Answer {
        code,
        content_type,
        text,
    } = answer;
    let reason = match code {
        ..400 => return ApiResponse::bytes(content_type, text.into_bytes()).with_code(code),
        400 => "BadRequest",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        429 => "TooManyRequests",
        503 => "ServiceUnavailable",
        _ => "InternalError",
    };
    let response = ApiResponse::from(failure(code, reason, text));
    match code {
        429 => response.with_retry_after(RETRY_AFTER),
        _ => response,
    }
}
