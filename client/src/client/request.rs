//! A request as plain data, put together and checked without sending anything.

use super::error::{Error, RequestLine};
use crate::Resource;
use crate::config::RetryPolicy;
use bytes::Bytes;
use http::{HeaderValue, Method};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::time::Duration;

/// What goes over the wire, without host and credentials.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HttpRequest {
    pub(crate) method: Method,
    /// Percent-encoded, beginning with `/`.
    pub(crate) path: String,
    /// Names and values, not encoded yet.
    pub(crate) query: Vec<(&'static str, String)>,
    /// A query that is encoded already, in the place of the above.
    pub(crate) encoded_query: String,
    pub(crate) accept: HeaderValue,
    pub(crate) content_type: Option<&'static str>,
    /// Cheap to clone, for it may have to be sent again.
    pub(crate) body: Bytes,
    /// Whether a server refuses it when it has been carried out already.
    pub(crate) guarded: bool,
    /// In the place of the client's.
    pub(crate) timeout: Option<Option<Duration>>,
    /// In the place of the client's.
    pub(crate) retry: Option<RetryPolicy>,
}

impl HttpRequest {
    pub(crate) fn new(method: Method, path: String) -> Self {
        Self {
            method,
            path,
            query: Vec::new(),
            encoded_query: String::new(),
            accept: HeaderValue::from_static("application/json"),
            content_type: None,
            body: Bytes::new(),
            guarded: false,
            timeout: None,
            retry: None,
        }
    }

    /// Sets a query parameter, in the place of one set before.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        let value = value.into();
        match self.query.iter_mut().find(|(n, _)| *n == name) {
            Some(pair) => pair.1 = value,
            None => self.query.push((name, value)),
        }
    }

    /// Removes a query parameter.
    pub(crate) fn unset(&mut self, name: &'static str) {
        self.query.retain(|(n, _)| *n != name);
    }

    /// The value of a query parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, value)| value.as_str())
    }

    /// Method and path, for errors.
    pub(crate) fn line(&self) -> RequestLine {
        RequestLine {
            method: self.method.clone(),
            path: self.path.clone(),
        }
    }

    pub(crate) fn body(mut self, content_type: &'static str, body: Vec<u8>) -> Self {
        self.content_type = Some(content_type);
        self.body = body.into();
        self
    }
}

/// Where the objects of a kind live.
#[derive(Clone, Debug)]
pub(crate) struct Collection {
    pub(crate) version: &'static str,
    pub(crate) namespace: Option<String>,
}

impl Collection {
    /// The path of the whole collection.
    pub(crate) fn path<K: Resource>(&self) -> Result<String, Error> {
        self.build::<K>(false, None, None)
    }

    /// The path of one object, or of a subresource of it.
    pub(crate) fn object<K: Resource>(
        &self,
        name: &str,
        subresource: Option<&'static str>,
    ) -> Result<String, Error> {
        if K::NAMESPACED && self.namespace.is_none() {
            return Err(Error::argument(format!(
                "a {} lives in a namespace and none was given; use Client::namespaced_api",
                K::KIND
            )));
        }
        self.build::<K>(false, Some(name), subresource)
    }

    /// The path of a deprecated watch endpoint.
    pub(crate) fn watch<K: Resource>(&self, name: Option<&str>) -> Result<String, Error> {
        self.build::<K>(true, name, None)
    }

    fn build<K: Resource>(
        &self,
        watch: bool,
        name: Option<&str>,
        subresource: Option<&'static str>,
    ) -> Result<String, Error> {
        let mut path = version_path(K::GROUP, self.version);
        if watch {
            path.push_str("watch/");
        }
        if let Some(namespace) = &self.namespace {
            if !K::NAMESPACED {
                return Err(Error::argument(format!(
                    "a {} lives in no namespace, but `{namespace}` was given; use Client::api",
                    K::KIND
                )));
            }
            path.push_str("namespaces/");
            path.push_str(&segment("the namespace", namespace)?);
            path.push('/');
        }
        path.push_str(K::PLURAL);
        if let Some(name) = name {
            path.push('/');
            path.push_str(&segment("the object's name", name)?);
        }
        if let Some(part) = subresource {
            path.push('/');
            path.push_str(part);
        }
        Ok(path)
    }
}

/// The path below which a version of a group lives, with a slash at the end.
fn version_path(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("/api/{version}/")
    } else {
        format!("/apis/{group}/{version}/")
    }
}

/// Percent-encodes a path segment; one that would change the path is refused.
///
/// The rules are the server's own for names: not `.` or `..`, and no `/` or `%`.
pub(crate) fn segment(what: &str, text: &str) -> Result<String, Error> {
    /// What needs no encoding in a path segment.
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~')
        .remove(b':')
        .remove(b'@');
    let trouble = match text {
        "" => "is empty".to_owned(),
        "." | ".." => format!("is `{text}`"),
        _ => match text.chars().find(|c| matches!(c, '/' | '%')) {
            Some(c) => format!("has a `{c}` in it: `{}`", text.escape_debug()),
            None => return Ok(utf8_percent_encode(text, ENCODED).to_string()),
        },
    };
    Err(Error::argument(format!(
        "{what} {trouble}; expected one path segment: not empty, not `.` or `..`, without `/` and `%`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{v1, v1beta2};

    fn cluster(version: &'static str) -> Collection {
        Collection {
            version,
            namespace: None,
        }
    }

    #[test]
    fn paths() {
        let v1 = cluster("v1");
        let root = "/apis/flowcontrol.apiserver.k8s.io";
        assert_eq!(
            v1.path::<v1::FlowSchema>().unwrap(),
            format!("{root}/v1/flowschemas")
        );
        assert_eq!(
            v1.object::<v1::FlowSchema>("a", Some("status")).unwrap(),
            format!("{root}/v1/flowschemas/a/status")
        );
        assert_eq!(
            cluster("v1beta2")
                .watch::<v1beta2::FlowSchema>(Some("a"))
                .unwrap(),
            format!("{root}/v1beta2/watch/flowschemas/a")
        );
    }

    #[test]
    fn names_are_encoded() {
        let path = cluster("v1")
            .object::<v1::FlowSchema>("a b?c#d:é", None)
            .unwrap();
        assert!(
            path.ends_with("/flowschemas/a%20b%3Fc%23d:%C3%A9"),
            "{path}"
        );
    }

    #[test]
    fn names_that_change_the_path_are_refused() {
        for name in ["", ".", "..", "a/b", "/", "a%2Fb", "%"] {
            let error = cluster("v1")
                .object::<v1::FlowSchema>(name, None)
                .unwrap_err();
            assert!(
                error.to_string().contains("the object's name"),
                "{name}: {error}"
            );
        }
        assert!(cluster("v1").object::<v1::FlowSchema>("...", None).is_ok());
    }

    #[test]
    fn namespaces_only_where_they_belong() {
        let collection = Collection {
            version: "v1",
            namespace: Some("team".into()),
        };
        let error = collection.path::<v1::FlowSchema>().unwrap_err();
        assert!(
            error.to_string().contains("lives in no namespace"),
            "{error}"
        );
    }

    #[test]
    fn a_parameter_is_sent_once() {
        let mut request = HttpRequest::new(Method::GET, "/".into());
        request.set("limit", "1");
        request.set("continue", "x");
        request.set("limit", "2");
        assert_eq!(
            request.query,
            [("limit", "2".to_owned()), ("continue", "x".to_owned())]
        );
        request.unset("limit");
        assert_eq!(request.get("limit"), None);
    }
}
