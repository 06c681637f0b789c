//! Responses: a status, a body and the headers that every Kubernetes API server sends.

use super::accept::{Encoding, Form};
use super::objects::Objects;
use super::payload::{self, Body};
use super::warnings;
use crate::ids;
use crate::kinds::{Kind, Version};
use crate::list::Page;
use crate::represent::{Include, View, protobuf};
use crate::status::{Failure, Status};
use crate::store::Object;
use crate::texts::Texts;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use k8s_flowcontrol_text::to_yaml;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

pub(crate) struct ApiResponse {
    code: u16,
    body: Content,
    warnings: Vec<String>,
    retry_after: Option<u32>,
    /// Headers that are set last and replace others of the same name.
    headers: Vec<(HeaderName, String)>,
}

enum Content {
    /// Objects without a representation yet.
    Objects(Objects),
    Yaml(String),
    /// Compact JSON.
    Json(Vec<u8>),
    /// JSON that is always indented.
    PrettyJson(Vec<u8>),
    Text(Cow<'static, str>),
    /// Other bytes with their content type.
    Bytes(&'static str, Vec<u8>),
    Empty,
    Lines(Body),
}

impl ApiResponse {
    fn new(code: u16, body: Content) -> Self {
        Self {
            code,
            body,
            warnings: Vec::new(),
            retry_after: None,
            headers: Vec::new(),
        }
    }

    pub(crate) fn json(code: u16, value: &impl Serialize) -> Self {
        Self::new(
            code,
            Content::Json(serde_json::to_vec(value).unwrap_or_default()),
        )
    }

    /// An object in hub form, as a client of `version` sees it.
    pub(crate) fn object(code: u16, object: &Object, kind: &Kind, version: Version) -> Self {
        Self::new(code, Content::Objects(Objects::one(object, kind, version)))
    }

    pub(crate) fn page(page: Page, kind: &Kind, version: Version) -> Self {
        Self::new(200, Content::Objects(Objects::page(page, kind, version)))
    }

    /// The response in the requested representation.
    /// Errors: 406 for a view that the response does not have.
    pub(crate) fn represented(
        mut self,
        form: Form,
        include: Include,
        texts: &Texts,
    ) -> Result<Self, Failure> {
        if let Content::Objects(objects) = &self.body {
            self.body = Content::Json(objects.text(form.view, include, texts)?);
        } else if self.code >= 400 {
            // An error has one view, and its encoding is negotiated separately.
            return Ok(self);
        }
        Ok(self.encoded(form))
    }

    pub(crate) fn encoded(mut self, form: Form) -> Self {
        self.body = match self.body {
            Content::Json(text) | Content::PrettyJson(text) if form.encoding == Encoding::Yaml => {
                let value: Value = serde_json::from_slice(&text).unwrap_or_default();
                Content::Yaml(to_yaml(&value))
            }
            Content::Json(text) if form.encoding == Encoding::Protobuf => {
                let value = serde_json::from_slice(&text).unwrap_or_default();
                match protobuf::object(&value) {
                    Some(bytes) => Content::Bytes(form.encoding.media_type(), bytes),
                    None => Content::Json(text),
                }
            }
            Content::Json(text) if form.pretty => Content::PrettyJson(text),
            other => other,
        };
        self
    }

    /// An error in the requested encoding; indented JSON without an acceptable encoding.
    pub(crate) fn failure_encoded(self, form: Option<Form>) -> Self {
        match (form, self.body) {
            (Some(form), body) if self.code >= 400 => Self { body, ..self }.encoded(form),
            (None, Content::Json(text)) if self.code >= 400 => Self {
                body: Content::PrettyJson(text),
                ..self
            },
            (_, body) => Self { body, ..self },
        }
    }

    pub(crate) fn status(status: &Status) -> Self {
        Self {
            retry_after: status.retry_after_seconds(),
            ..Self::json(status.code(), status)
        }
    }

    pub(crate) fn text(code: u16, text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code, Content::Text(text.into()))
    }

    /// JSON that is always indented.
    pub(crate) fn pretty_json(compact: Vec<u8>) -> Self {
        Self::new(200, Content::PrettyJson(compact))
    }

    pub(crate) fn bytes(content_type: &'static str, bytes: Vec<u8>) -> Self {
        Self::new(200, Content::Bytes(content_type, bytes))
    }

    pub(crate) fn empty(code: u16) -> Self {
        Self::new(code, Content::Empty)
    }

    pub(crate) fn with_code(self, code: u16) -> Self {
        Self { code, ..self }
    }

    pub(crate) fn with_headers(
        mut self,
        headers: impl IntoIterator<Item = (HeaderName, String)>,
    ) -> Self {
        self.headers.extend(headers);
        self
    }

    pub(crate) fn with_retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    pub(crate) fn lines(body: Body) -> Self {
        Self::new(200, Content::Lines(body))
    }

    /// Adds warnings before the present ones.
    pub(crate) fn warn_first(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.warnings.splice(..0, warnings);
        self
    }

    pub(crate) fn warn(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    pub(crate) fn into_response(
        self,
        pretty: bool,
        flow_uids: Option<[String; 2]>,
    ) -> Response<Body> {
        let is_text = matches!(self.body, Content::Text(_));
        let (content_type, body) = match self.body {
            Content::Objects(objects) => {
                // Every request with a representation was converted by `represented` before.
                let text = objects.text(View::Whole, Include::Metadata, &Texts::default());
                ("application/json", payload::whole(text.unwrap_or_default()))
            }
            Content::Yaml(text) => ("application/yaml", payload::whole(text)),
            Content::Json(text) if pretty => ("application/json", payload::whole(indented(&text))),
            Content::Json(mut text) => {
                text.push(b'\n');
                ("application/json", payload::whole(text))
            }
            Content::PrettyJson(text) => ("application/json", payload::whole(indented(&text))),
            Content::Text(text) => (
                "text/plain; charset=utf-8",
                payload::whole(text.into_owned()),
            ),
            Content::Bytes(content_type, bytes) => (content_type, payload::whole(bytes)),
            Content::Empty => ("", payload::empty()),
            Content::Lines(body) => ("application/json", body),
        };
        let mut response = Response::new(body);
        *response.status_mut() =
            StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        let mut set = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
                headers.append(name, value);
            }
        };
        if !content_type.is_empty() {
            set(header::CONTENT_TYPE, content_type);
        }
        set(header::CACHE_CONTROL, "no-cache, private");
        set(HeaderName::from_static("audit-id"), &ids::uid());
        if let Some([schema, level]) = flow_uids {
            set(
                HeaderName::from_static("x-kubernetes-pf-flowschema-uid"),
                &schema,
            );
            set(
                HeaderName::from_static("x-kubernetes-pf-prioritylevel-uid"),
                &level,
            );
        }
        if is_text {
            set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        }
        if let Some(seconds) = self.retry_after {
            set(header::RETRY_AFTER, &seconds.to_string());
        }
        for warning in warnings::headers(&self.warnings) {
            set(header::WARNING, &warning);
        }
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
                headers.insert(name, value);
            }
        }
        response
    }
}

impl From<Failure> for ApiResponse {
    fn from(failure: Failure) -> Self {
        Self::status(&failure)
    }
}

/// Indents with two spaces like Go, without a final line break.
fn indented(compact: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(compact.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    let mut bytes = compact.iter().copied().peekable();
    let new_line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.resize(out.len() + 2 * depth, b' ');
    };
    while let Some(byte) = bytes.next() {
        if in_text {
            out.push(byte);
            in_text = byte != b'"' || escaped;
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'{' | b'[' => {
                out.push(byte);
                match bytes.peek() {
                    // Empty objects and lists stay on one line.
                    Some(b'}' | b']') => out.extend(bytes.next()),
                    _ => {
                        depth += 1;
                        new_line(&mut out, depth);
                    }
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            b'"' => {
                in_text = true;
                out.push(byte);
            }
            byte => out.push(byte),
        }
    }
    out
}
