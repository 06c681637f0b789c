//! A request of the client under test, and what the rules need to know of it.

use super::dice::hash;
use crate::http::attributes;
use crate::query::Query;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap};
use hyper::http::request::Parts;
use k8s_flowcontrol_rules::matching::RequestAttributes;
use serde_json::Value;

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) attributes: RequestAttributes,
    pub(super) method: String,
    /// The path without the query, as it was sent.
    pub(super) path: String,
    pub(super) query: Query,
    pub(super) agent: String,
    /// Equal for repetitions: method, path, query and body.
    pub(super) signature: String,
    /// A PUT whose object does not have a resourceVersion.
    pub(super) is_unconditional: bool,
}

impl Call {
    pub(super) fn new(parts: &Parts, body: &Bytes) -> Self {
        let method = parts.method.as_str().to_owned();
        let attributes = attributes(parts);
        let query = parts.uri.query().unwrap_or_default();
        let is_put = method == "PUT" && attributes.is_resource_request;
        Self {
            signature: format!("{method} {}?{query} {:x}", parts.uri.path(), hash(0, body)),
            is_unconditional: is_put && !has_resource_version(&parts.headers, body),
            path: parts.uri.path().to_owned(),
            query: Query::parse(query),
            agent: text(&parts.headers, &header::USER_AGENT),
            attributes,
            method,
        }
    }

    pub(super) fn is_watch(&self) -> bool {
        self.attributes.verb == "watch"
    }

    pub(super) fn is_write(&self) -> bool {
        !["GET", "HEAD", "OPTIONS"].contains(&&*self.method)
    }

    /// A POST that creates an object: not a question, such as a SubjectAccessReview.
    pub(super) fn is_create(&self) -> bool {
        let attributes = &self.attributes;
        attributes.verb == "create"
            && attributes.subresource.is_empty()
            && !attributes.resource.ends_with("reviews")
            && !self.query.all("dryRun").any(|value| value == "All")
    }

    /// The path of the objects of the same kind and namespace.
    pub(super) fn collection(&self) -> &str {
        let RequestAttributes {
            name, subresource, ..
        } = &self.attributes;
        let own = match subresource.is_empty() {
            true => format!("/{name}"),
            false => format!("/{name}/{subresource}"),
        };
        let collection = self.path.strip_suffix(&own);
        collection
            .filter(|_| !name.is_empty())
            .unwrap_or(&self.path)
    }

    /// The query parameter `resourceVersion`, if it names a version.
    pub(super) fn resource_version(&self) -> Option<u64> {
        let version = self.query.text("resourceVersion").parse().ok()?;
        Some(version).filter(|version| *version > 0)
    }

    /// Method and path, for people.
    pub(super) fn title(&self) -> String {
        match self.is_watch() {
            true => format!("watch {}", self.path),
            false => format!("{} {}", self.method, self.path),
        }
    }
}

/// Bodies that are not JSON count as conditional: they cannot be judged.
fn has_resource_version(headers: &HeaderMap, body: &Bytes) -> bool {
    if !text(headers, &header::CONTENT_TYPE).contains("json") {
        return true;
    }
    let Ok(object) = serde_json::from_slice::<Value>(body) else {
        return true;
    };
    let version = object["metadata"]["resourceVersion"].as_str();
    version.is_some_and(|version| !version.is_empty())
}

pub(super) fn text(headers: &HeaderMap, name: &header::HeaderName) -> String {
    let value = headers.get(name).map(|value| value.as_bytes());
    String::from_utf8_lossy(value.unwrap_or_default()).into_owned()
}
