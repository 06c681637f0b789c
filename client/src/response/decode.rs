//! Responses: status code, headers and value, decoded without I/O.

use super::head::Head;
use super::warnings::Warning;
use crate::convert::Loss;
use crate::error::{Error, ErrorKind, RequestLine};
use crate::json;
use crate::meta::Status;
use crate::response::renamed::RenamedField;
use serde::de::Error as _;

/// The maximum length of a body's excerpt in an error, in characters.
const EXCERPT: usize = 300;

/// A decoded response: the value, the status code, and the headers.
///
/// Every request builder's `.send()` returns a `Response`. `.await` on the builder itself returns the value alone.
///
/// ```no_run
/// use k8s_flowcontrol::Resource;
///
/// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
/// let response = client.flow_schemas().get("exempt").send().await?;
/// println!("{} after {} attempts, audit id {:?}", response.code(), response.attempts(), response.audit_id());
/// for warning in response.warnings() {
///     eprintln!("warning: {warning}");
/// }
/// let schema = response.into_inner();
/// println!("{}", schema.name());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Response<T> {
    value: T,
    head: Head,
}

impl<T> Response<T> {
    pub(crate) fn new(value: T, head: Head) -> Self {
        Self { value, head }
    }

    /// The decoded value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The decoded value, by value.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The HTTP status code: 200, 201 or 202.
    pub fn code(&self) -> u16 {
        self.head.code
    }

    /// Whether the object was created (201) rather than changed.
    pub fn was_created(&self) -> bool {
        self.head.code == 201
    }

    /// Whether the server accepted the request and is still processing it (202).
    pub fn was_accepted(&self) -> bool {
        self.head.code == 202
    }

    /// All headers of the response, such as `etag` and headers that a proxy added.
    pub fn headers(&self) -> &http::HeaderMap {
        &self.head.headers
    }

    /// The warnings, in order: deprecated versions, and unknown or duplicate fields under
    /// [`FieldValidation::Warn`](crate::FieldValidation::Warn).
    pub fn warnings(&self) -> &[Warning] {
        &self.head.warnings
    }

    /// The ID of the request in the server's audit log.
    pub fn audit_id(&self) -> Option<&str> {
        self.head.audit_id.as_deref()
    }

    /// The UID of the FlowSchema that classified the request; empty for a mandatory FlowSchema without an object.
    ///
    /// `None` if the server runs without API Priority and Fairness.
    pub fn flow_schema_uid(&self) -> Option<&str> {
        self.head.flow_schema_uid.as_deref()
    }

    /// The UID of the request's priority level; empty for a mandatory priority level without an object.
    pub fn priority_level_uid(&self) -> Option<&str> {
        self.head.priority_level_uid.as_deref()
    }

    /// The losses of the conversion from the server's version. Always empty except through
    /// [`Negotiated`](crate::client::Negotiated).
    pub fn losses(&self) -> &[Loss] {
        &self.head.losses
    }

    /// The number of attempts: more than one if the request was [sent again](crate::client::RetryPolicy).
    pub fn attempts(&self) -> u32 {
        self.head.attempts
    }

    /// The same response with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Response<U> {
        Response {
            value: change(self.value),
            head: self.head,
        }
    }
}

/// A value, and the losses of its conversion from the server's version.
pub(crate) struct Decoded<T> {
    pub(crate) value: T,
    pub(crate) losses: Vec<Loss>,
}

impl<T> From<T> for Decoded<T> {
    fn from(value: T) -> Self {
        Self {
            value,
            losses: Vec::new(),
        }
    }
}

type Decode<T> = Box<dyn FnOnce(&[u8]) -> Result<Decoded<T>, serde_json::Error> + Send>;

/// How the body of a 2xx response is read.
pub(crate) struct Decoder<T> {
    /// The expected content, for errors.
    expected: String,
    decode: Decode<T>,
    /// Translates the causes of the server's errors.
    pub(crate) renamed: Option<RenamedField>,
}

impl<T> Decoder<T> {
    pub(crate) fn new(
        expected: impl Into<String>,
        decode: impl FnOnce(&[u8]) -> Result<Decoded<T>, serde_json::Error> + Send + 'static,
    ) -> Self {
        Self {
            expected: expected.into(),
            decode: Box::new(decode),
            renamed: None,
        }
    }

    /// Decodes the whole body.
    pub(crate) fn read(
        self,
        line: &RequestLine,
        mut head: Head,
        body: &[u8],
    ) -> Result<Response<T>, Error> {
        match (self.decode)(body) {
            Ok(Decoded { value, losses }) => {
                head.losses = losses;
                Ok(Response::new(value, head))
            }
            Err(error) => Err(match failed_status(body) {
                Some(status) => Error::new(ErrorKind::Status(status)),
                None => undecodable_body(self.expected, error, body),
            }
            .with_attempts(head.attempts)
            .with_head(head)
            .at(line)),
        }
    }
}

impl Decoder<Vec<u8>> {
    /// The body itself.
    pub(crate) fn bytes() -> Self {
        Self::new("bytes", |body| Ok(Decoded::from(body.to_vec())))
    }
}

/// The error of a body that cannot be decoded.
fn undecodable_body(expected: String, error: serde_json::Error, body: &[u8]) -> Error {
    let (message, excerpt) = if body.trim_ascii().is_empty() {
        ("the body is empty".to_owned(), String::new())
    } else if error.is_eof() {
        let length = body.len();
        let message = format!("the body ends too early, after {length} bytes");
        (message, excerpt(body))
    } else if error.is_data() {
        // The message names the field, so that an excerpt adds nothing.
        (error.to_string(), String::new())
    } else {
        (error.to_string(), excerpt(body))
    };
    undecodable(expected, message, excerpt, error)
}

/// The error of a body or a watch event that cannot be decoded.
pub(crate) fn undecodable(
    expected: String,
    message: String,
    excerpt: String,
    error: serde_json::Error,
) -> Error {
    Error::new(ErrorKind::Decode {
        expected,
        message,
        excerpt,
    })
    .with_source(error)
}

/// The `Status` of a failure in the body of a 2xx response. As in client-go, it is the error of the request.
pub(crate) fn failed_status(body: &[u8]) -> Option<Box<Status>> {
    if !is_status(body).unwrap_or_default() {
        return None;
    }
    let status: Box<Status> = json::from_slice(body).ok()?;
    let outcome = status.status.as_deref().unwrap_or("Success");
    (outcome != "Success").then_some(status)
}

/// For types that would read any JSON object.
/// Errors: if the body is the `Status` of a failure.
pub(crate) fn not_failed(body: &[u8]) -> Result<(), serde_json::Error> {
    match failed_status(body) {
        None => Ok(()),
        Some(_) => Err(serde_json::Error::custom("it is the Status of a failure")),
    }
}

/// The error of a response other than 2xx.
pub(crate) fn failure(head: Head, body: &[u8]) -> Error {
    let is_status = is_status(body).unwrap_or_default();
    let kind = match is_status.then(|| json::from_slice::<Status>(body)) {
        Some(Ok(status)) => ErrorKind::Status(Box::new(status)),
        _ => ErrorKind::NotStatus {
            content_type: head.content_type.clone(),
            excerpt: excerpt(body),
        },
    };
    Error::new(kind).with_head(head)
}

/// `None` for a missing object. A missing resource or version is an error.
pub(crate) fn if_found<T>(
    result: Result<Response<T>, Error>,
) -> Result<Response<Option<T>>, Error> {
    let error = match result {
        Ok(response) => return Ok(response.map(Some)),
        Err(error) => error,
    };
    match error.head() {
        Some(head) if error.is_not_found() && !error.names_no_object() => {
            Ok(Response::new(None, head.clone()))
        }
        _ => Err(error),
    }
}

/// Whether a JSON object is a `Status`, and not a custom resource whose kind has the same name.
pub(crate) fn is_status(body: &[u8]) -> Result<bool, serde_json::Error> {
    let (mut kind, mut api_version) = (None::<String>, None::<String>);
    json::read_whole(json::utf8(body)?, |reader| {
        reader.fields(&"a JSON object", &mut |name, reader| match &*name {
            "kind" => reader.value(&mut kind),
            "apiVersion" => reader.value(&mut api_version),
            _ => reader.skip(),
        })
    })?;
    let is_core = api_version.is_none_or(|version| version == "v1");
    Ok(is_core && kind.as_deref() == Some("Status"))
}

/// The beginning of a body, on one line and without control characters.
pub(crate) fn excerpt(body: &[u8]) -> String {
    // A character has at most 4 bytes.
    let head = &body[..body.len().min(EXCERPT * 4)];
    let text = String::from_utf8_lossy(head);
    let mut out = String::new();
    let mut space = false;
    for (index, c) in text.chars().enumerate() {
        if index >= EXCERPT {
            out.push('…');
            break;
        }
        if c.is_whitespace() || c.is_control() {
            space = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut space) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}
