//! The headers of a request that is about to be sent, and the hook that may change them.

use crate::error::Error;
use crate::request::http_request::HttpRequest;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap,
    HeaderName, HeaderValue, USER_AGENT,
};
use std::fmt;

/// A request that is about to be sent, passed to [`Client::before_request`](crate::Client::before_request).
///
/// Its headers do not contain the credentials of the configuration. Its `Debug` form shows no header values.
pub struct RequestHead<'a> {
    request: &'a HttpRequest,
    number: u32,
    headers: &'a mut HeaderMap,
}

impl<'a> RequestHead<'a> {
    pub(crate) fn new(request: &'a HttpRequest, number: u32, headers: &'a mut HeaderMap) -> Self {
        Self {
            request,
            number,
            headers,
        }
    }

    /// The HTTP method, such as `PUT`.
    pub fn method(&self) -> &str {
        self.request.method.as_str()
    }

    /// The path, percent-encoded and without the query.
    pub fn path(&self) -> &str {
        &self.request.path
    }

    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`.
    pub fn verb(&self) -> &str {
        self.request.verb.as_str()
    }

    /// The resource, such as `flowschemas`; empty for discovery and for raw paths.
    pub fn resource(&self) -> &str {
        self.request.resource
    }

    /// The number of the request in this process, from 1. All attempts at a request have the same.
    pub fn request_id(&self) -> u64 {
        self.request.id
    }

    /// The number of the attempt, from 1. A second request after a 401 belongs to the same attempt.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The headers, without credentials.
    pub fn headers(&self) -> &HeaderMap {
        self.headers
    }

    /// The headers, to be changed.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.headers
    }
}

impl fmt::Debug for RequestHead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.keys().map(HeaderName::as_str).collect();
        f.debug_struct("RequestHead")
            .field("method", &self.method())
            .field("path", &self.path())
            .field("number", &self.number)
            .field("headers", &names)
            .finish()
    }
}

/// The headers that the client sets for each request, and where to change them.
const OF_THE_CLIENT: [(HeaderName, &str); 6] = [
    (ACCEPT, "change it in `Client::before_request`"),
    (ACCEPT_ENCODING, "use `Config::with_compression`"),
    (
        USER_AGENT,
        "use `Config::with_application` or `with_user_agent`",
    ),
    (CONTENT_TYPE, "change it in `Client::before_request`"),
    (CONTENT_LENGTH, "it is the length of the body"),
    (HOST, "it is the host of the server's URL"),
];

/// A default header. Credentials belong to the configuration, which protects them.
pub(crate) fn default_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Error> {
    let parsed = HeaderName::try_from(name)
        .map_err(|_| Error::argument(format!("`{}` is not a header name", name.escape_debug())))?;
    if parsed == AUTHORIZATION || is_impersonation(&parsed) {
        return Err(Error::argument(format!(
            "the header {name} belongs to the credentials; set them in the configuration"
        )));
    }
    if let Some((_, remedy)) = OF_THE_CLIENT.iter().find(|(own, _)| parsed == own) {
        return Err(Error::argument(format!(
            "the client sets the header {name} itself; {remedy}"
        )));
    }
    let value = HeaderValue::try_from(value)
        .map_err(|_| Error::argument(format!("the value of the header {name} is not valid")))?;
    Ok((parsed, value))
}

/// Replaces credentials that a hook has set, or hides them from `Debug` output if the configuration has none.
pub(crate) fn add_credentials(
    headers: &mut HeaderMap,
    authorization: Option<&HeaderValue>,
    impersonation: &HeaderMap,
) {
    match authorization {
        Some(value) => drop(headers.insert(AUTHORIZATION, value.clone())),
        None => {
            if let http::header::Entry::Occupied(mut values) = headers.entry(AUTHORIZATION) {
                values
                    .iter_mut()
                    .for_each(|value| value.set_sensitive(true));
            }
        }
    }
    if !impersonation.is_empty() {
        // A group of the hook would widen the permissions of the impersonated user.
        let of_hook: Vec<_> = headers
            .keys()
            .filter(|name| is_impersonation(name))
            .cloned()
            .collect();
        for name in of_hook {
            headers.remove(name);
        }
        headers.extend(impersonation.clone());
    }
}

fn is_impersonation(name: &HeaderName) -> bool {
    name.as_str().starts_with("impersonate-")
}
