//! The status code and the headers of a response.

use super::retry_after::retry_after;
use super::warnings;
use super::warnings::Warning;
use crate::convert::Loss;
use http::header::SET_COOKIE;
use http::{HeaderMap, StatusCode};
use std::sync::Arc;
use std::time::Duration;

/// The status code and the headers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    pub(crate) code: u16,
    pub(crate) headers: Arc<HeaderMap>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) audit_id: Option<String>,
    pub(crate) flow_schema_uid: Option<String>,
    pub(crate) priority_level_uid: Option<String>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) content_type: String,
    pub(crate) losses: Vec<Loss>,
    /// The number of attempts.
    pub(crate) attempts: u32,
}

impl Head {
    pub(crate) fn read(code: StatusCode, mut headers: HeaderMap) -> Self {
        if let http::header::Entry::Occupied(mut cookies) = headers.entry(SET_COOKIE) {
            cookies
                .iter_mut()
                .for_each(|cookie| cookie.set_sensitive(true));
        }
        let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_owned());
        Self {
            code: code.as_u16(),
            warnings: warnings::read(&headers),
            audit_id: text("audit-id"),
            flow_schema_uid: text("x-kubernetes-pf-flowschema-uid"),
            priority_level_uid: text("x-kubernetes-pf-prioritylevel-uid"),
            retry_after: retry_after(&headers),
            content_type: text("content-type").unwrap_or_default(),
            losses: Vec::new(),
            attempts: 1,
            headers: Arc::new(headers),
        }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.code)
    }
}
