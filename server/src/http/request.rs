//! A request with its whole body.

use crate::query::Query;
use crate::status::Failure;
use hyper::body::Bytes;
use hyper::header;
use hyper::http::request::Parts;
use std::borrow::Cow;

pub(super) struct ApiRequest {
    pub(super) parts: Parts,
    pub(super) query: Query,
    /// The body, or the error of a body that was not read: too large, or without an end.
    pub(super) body: Result<Bytes, Failure>,
}

impl ApiRequest {
    /// The body. Each verb asks for it at the step at which a real server reads it.
    /// Errors: the error of a body that was not read.
    pub(super) fn body(&self) -> Result<&Bytes, Failure> {
        self.body.as_ref().map_err(Clone::clone)
    }

    pub(super) fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }

    /// The media type of the body, in lower case and without parameters.
    pub(super) fn media_type(&self) -> Option<String> {
        let text = self.header(header::CONTENT_TYPE)?;
        let media_type = text.split(';').next().unwrap_or_default().trim();
        Some(media_type.to_ascii_lowercase())
    }

    pub(super) fn user_agent(&self) -> Option<Cow<'_, str>> {
        let agent = self.parts.headers.get(header::USER_AGENT)?;
        Some(String::from_utf8_lossy(agent.as_bytes()))
    }

    pub(super) fn is_pretty(&self) -> bool {
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
