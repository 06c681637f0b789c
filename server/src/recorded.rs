//! Requests that a server has recorded.

use std::fmt;

/// A request, as a server [records](crate::Builder::record_requests) it.
///
/// Its `Debug` form hides credentials.
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
    /// The body.
    pub body: Vec<u8>,
}

impl RecordedRequest {
    /// The first header of this name, which is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers = self
            .headers
            .iter()
            .map(|(name, value)| match name.as_str() {
                "authorization" => (name, "…"),
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
