//! Requests that a server has recorded.

use std::fmt;

/// A request, as a server [records](crate::Builder::record_requests) it.
///
/// Its `Debug` form hides the values of the headers with credentials: `Authorization`, `Cookie`, `Proxy-Authorization`, and
/// `Sec-WebSocket-Protocol`, in which browsers send tokens.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The HTTP method.
    pub method: String,
    /// The percent-encoded path, without the query.
    pub path: String,
    /// The decoded query parameters, in order.
    pub query: Vec<(String, String)>,
    /// The headers with their names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body; empty if it could not be read to its end.
    pub body: Vec<u8>,
}

impl RecordedRequest {
    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers = self
            .headers
            .iter()
            .map(|(name, value)| match name.as_str() {
                "authorization" | "cookie" | "proxy-authorization" | "sec-websocket-protocol" => {
                    (name, "…")
                }
                _ => (name, value.as_str()),
            });
        f.debug_struct("RecordedRequest")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("query", &self.query)
            .field("headers", &headers.collect::<Vec<_>>())
            .field("body", &String::from_utf8_lossy(&self.body))
            .finish()
    }
}
