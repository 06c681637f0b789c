//! The lines of a recording, and the exchanges they make up.

use super::redact::Secrets;
use super::value;
use crate::transport::TransportError;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::error::Error as StdError;
use url::form_urlencoded;

/// The recorded headers of responses.
const HEADERS: [&str; 6] = [
    "content-type",
    "warning",
    "retry-after",
    "audit-id",
    "x-kubernetes-pf-flowschema-uid",
    "x-kubernetes-pf-prioritylevel-uid",
];

/// A request without secrets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) accept: String,
    pub(super) content_type: String,
    pub(super) body: String,
}

impl Request {
    /// `prefix` is the path of the server's URL.
    pub(super) fn of(prefix: &str, request: &http::Request<Bytes>) -> Self {
        let path = request.uri().path();
        let path = path.strip_prefix(prefix).unwrap_or(path);
        let header = |name: HeaderName| {
            let value = request.headers().get(name);
            value.map_or(String::new(), |value| {
                String::from_utf8_lossy(value.as_bytes()).into_owned()
            })
        };
        let redacted = Secrets::of_path(path).redacted(request.body());
        let body = redacted.as_deref().unwrap_or(request.body());
        Self {
            method: request.method().as_str().to_owned(),
            path: path.to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
            accept: header(ACCEPT),
            content_type: header(CONTENT_TYPE),
            body: String::from_utf8_lossy(body).into_owned(),
        }
    }

    pub(super) fn is_watch(&self) -> bool {
        let mut parameters = form_urlencoded::parse(self.query.as_bytes());
        self.path.contains("/watch/")
            || parameters.any(|(name, value)| name == "watch" && matches!(&*value, "true" | "1"))
    }

    /// Method, path and query, for errors.
    pub(super) fn line(&self) -> String {
        let Self {
            method,
            path,
            query,
            ..
        } = self;
        match query.as_str() {
            "" => format!("{method} {path}"),
            query => format!("{method} {path}?{query}"),
        }
    }

    fn to_json(&self) -> Value {
        let mut fields = Map::new();
        for (name, value) in [
            ("method", &self.method),
            ("path", &self.path),
            ("query", &self.query),
            ("accept", &self.accept),
            ("contentType", &self.content_type),
            ("body", &self.body),
        ] {
            if !value.is_empty() {
                fields.insert(name.to_owned(), Value::String(value.clone()));
            }
        }
        Value::Object(fields)
    }

    fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| match value.get(name) {
            None => Some(String::new()),
            Some(value) => value.as_str().map(str::to_owned),
        };
        let request = Self {
            method: text("method")?,
            path: text("path")?,
            query: text("query")?,
            accept: text("accept")?,
            content_type: text("contentType")?,
            body: text("body")?,
        };
        (!request.method.is_empty() && request.path.starts_with('/')).then_some(request)
    }
}

/// A line of a recording, without the number of its exchange.
#[derive(Debug)]
pub(super) enum Line {
    Request(Request),
    Response(StatusCode, HeaderMap),
    Chunk(Bytes),
    End,
    Error(Failure),
}

/// A failed request, or an incomplete response.
#[derive(Clone, Debug, Default)]
pub(super) struct Failure {
    message: String,
    properties: Vec<String>,
}

impl Line {
    pub(super) fn response(status: StatusCode, headers: &HeaderMap) -> Self {
        let mut recorded = HeaderMap::new();
        for name in HEADERS {
            for value in headers.get_all(name) {
                recorded.append(name, value.clone());
            }
        }
        Self::Response(status, recorded)
    }

    pub(super) fn error(error: &TransportError) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            message += &format!(": {error}");
            source = error.source();
        }
        Self::Error(Failure {
            message,
            properties: error.properties().map(str::to_owned).collect(),
        })
    }

    pub(super) fn to_json(&self, exchange: u64) -> Value {
        match self {
            Self::Request(request) => json!({"exchange": exchange, "request": request.to_json()}),
            Self::Response(status, headers) => {
                let mut fields = Map::new();
                for name in headers.keys() {
                    let values = headers.get_all(name).iter();
                    let texts = values.map(|value| String::from_utf8_lossy(value.as_bytes()));
                    fields.insert(name.as_str().to_owned(), texts.collect());
                }
                json!({"exchange": exchange, "response": {"status": status.as_u16(), "headers": fields}})
            }
            Self::Chunk(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => json!({"exchange": exchange, "chunk": text}),
                Err(_) => json!({"exchange": exchange, "base64": BASE64_STANDARD.encode(bytes)}),
            },
            Self::End => json!({"exchange": exchange, "end": true}),
            Self::Error(Failure {
                message,
                properties,
            }) => {
                json!({"exchange": exchange, "error": {"message": message, "properties": properties}})
            }
        }
    }

    fn from_json(line: &Value) -> Option<Self> {
        let get = |name: &str| line.get(name);
        if let Some(request) = get("request") {
            return Request::from_json(request).map(Self::Request);
        }
        if let Some(response) = get("response") {
            let code = u16::try_from(response.get("status")?.as_u64()?).ok()?;
            let mut headers = HeaderMap::new();
            let fields = response.get("headers").and_then(Value::as_object);
            for (name, values) in fields.into_iter().flatten() {
                for value in values.as_array()? {
                    let name = HeaderName::try_from(name).ok()?;
                    let value = HeaderValue::from_bytes(value.as_str()?.as_bytes()).ok()?;
                    // A map has a maximum size.
                    headers.try_append(name, value).ok()?;
                }
            }
            return Some(Self::Response(StatusCode::from_u16(code).ok()?, headers));
        }
        if let Some(chunk) = get("chunk") {
            return Some(Self::Chunk(Bytes::from(chunk.as_str()?.to_owned())));
        }
        if let Some(chunk) = get("base64") {
            let bytes = BASE64_STANDARD.decode(chunk.as_str()?).ok()?;
            return Some(Self::Chunk(bytes.into()));
        }
        if let Some(error) = get("error") {
            let properties = error.get("properties").and_then(Value::as_array);
            let texts = properties.into_iter().flatten().filter_map(Value::as_str);
            return Some(Self::Error(Failure {
                message: error.get("message")?.as_str()?.to_owned(),
                properties: texts.map(str::to_owned).collect(),
            }));
        }
        (get("end")? == true).then_some(Self::End)
    }
}

impl Failure {
    pub(super) fn to_error(&self) -> TransportError {
        TransportError::with_properties(self.message.clone(), |property| {
            self.properties.iter().any(|own| own == property)
        })
    }
}

/// A recorded request and its response.
#[derive(Debug)]
pub(super) struct Exchange {
    /// The line of the request in the recording, from 1.
    pub(super) line: usize,
    pub(super) request: Request,
    /// `None` if there was none before the end of the recording, or at all.
    pub(super) response: Option<(StatusCode, HeaderMap)>,
    pub(super) chunks: Vec<Bytes>,
    pub(super) end: End,
}

/// The end of an exchange.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// It was open at the end of the recording.
    Open,
    Complete,
    Failed(Failure),
}

/// Reads the exchanges, in the order of their requests. An error names the line.
pub(super) fn read(text: &str) -> Result<Vec<Exchange>, String> {
    let mut exchanges = Vec::<Exchange>::new();
    let mut by_number = HashMap::<u64, usize>::new();
    let lines = text.lines().enumerate();
    for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fault = |message: &str| format!("line {}: {message}", index + 1);
        let value = value::read(line.as_bytes()).map_err(|error| fault(&error))?;
        let number = value.get("exchange").and_then(Value::as_u64);
        let number = number.ok_or_else(|| fault("expected the number of an exchange"))?;
        let line = Line::from_json(&value).ok_or_else(|| {
            fault("expected a request, response, chunk, base64, error or end of a recording")
        })?;
        let found = by_number.get(&number).copied();
        let added = match (found.and_then(|at| exchanges.get_mut(at)), line) {
            (None, Line::Request(request)) => {
                by_number.insert(number, exchanges.len());
                exchanges.push(Exchange::new(index + 1, request));
                Ok(())
            }
            (None, _) => Err("has no request"),
            (Some(exchange), line) => exchange.add(line),
        };
        added.map_err(|what| fault(&format!("the exchange {number} {what}")))?;
    }
    Ok(exchanges)
}

impl Exchange {
    fn new(line: usize, request: Request) -> Self {
        Self {
            line,
            request,
            response: None,
            chunks: Vec::new(),
            end: End::Open,
        }
    }

    /// Adds a line after the request.
    fn add(&mut self, line: Line) -> Result<(), &'static str> {
        match (&self.end, line) {
            (_, Line::Request(_)) => return Err("has two requests"),
            (End::Complete | End::Failed(_), _) => return Err("has ended before"),
            (End::Open, Line::Error(failure)) => self.end = End::Failed(failure),
            (End::Open, Line::Response(status, headers)) if self.response.is_none() => {
                self.response = Some((status, headers));
            }
            (End::Open, _) if self.response.is_none() => return Err("has no response"),
            (End::Open, Line::Response(..)) => return Err("has two responses"),
            (End::Open, Line::Chunk(bytes)) => self.chunks.push(bytes),
            (End::Open, Line::End) => self.end = End::Complete,
        }
        Ok(())
    }
}
