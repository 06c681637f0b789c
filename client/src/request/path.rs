//! Paths of collections, objects and subresources.

use crate::error::Error;
use crate::request::resource_kind::ResourceKind;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The path of a request, with the resource and subresource in it.
#[derive(Debug)]
pub(crate) struct Target {
    /// Percent-encoded, beginning with `/`.
    pub(crate) path: String,
    pub(crate) resource: &'static str,
    pub(crate) subresource: String,
}

impl Target {
    /// A path that belongs to no resource, such as `/version`.
    pub(crate) fn outside_resources(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            resource: "",
            subresource: String::new(),
        }
    }
}

/// The collection that holds the objects of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collection<'a> {
    pub(crate) resource: ResourceKind,
    /// The API version on the wire.
    pub(crate) version: &'static str,
    pub(crate) namespace: Option<&'a str>,
}

impl Collection<'_> {
    /// The whole collection.
    pub(crate) fn all(&self) -> Result<Target, Error> {
        self.build(false, None, None)
    }

    /// The collection of one namespace if the kind has namespaces, as servers demand of creates and deletions.
    pub(crate) fn in_one_namespace(&self) -> Result<Target, Error> {
        self.check_namespace()?;
        self.all()
    }

    /// One object, or a subresource of it, which may have several segments.
    pub(crate) fn object(&self, name: &str, subresource: Option<&str>) -> Result<Target, Error> {
        self.check_namespace()?;
        self.build(false, Some(name), subresource)
    }

    fn check_namespace(&self) -> Result<(), Error> {
        match self.resource.namespaced() && self.namespace.is_none() {
            true => Err(Error::argument(format!(
                "{} is a namespaced kind and no namespace was given; use Client::namespaced_api",
                self.resource.kind()
            ))),
            false => Ok(()),
        }
    }

    /// A deprecated watch endpoint.
    pub(crate) fn watch(&self, name: Option<&str>) -> Result<Target, Error> {
        self.build(true, name, None)
    }

    fn build(
        &self,
        watch: bool,
        name: Option<&str>,
        subresource: Option<&str>,
    ) -> Result<Target, Error> {
        let mut path = version_path(self.resource.group(), self.version);
        if watch {
            path.push_str("watch/");
        }
        if let Some(namespace) = self.namespace {
            path.push_str("namespaces/");
            path.push_str(&segment("the namespace", namespace)?);
            path.push('/');
        }
        path.push_str(self.resource.plural());
        if let Some(name) = name {
            path.push('/');
            path.push_str(&segment("the object's name", name)?);
        }
        for part in subresource.iter().flat_map(|text| text.split('/')) {
            path.push('/');
            path.push_str(&segment("the subresource", part)?);
        }
        let first = subresource.and_then(|text| text.split('/').next());
        Ok(Target {
            path,
            resource: self.resource.plural(),
            subresource: first.unwrap_or_default().to_owned(),
        })
    }
}

/// The path of an API version, with a slash at the end.
fn version_path(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("/api/{version}/")
    } else {
        format!("/apis/{group}/{version}/")
    }
}

/// Whether a raw path is that of a collection, of an object or of its status, which all support dry runs.
pub(crate) fn has_dry_runs(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let resource = match &segments[..] {
        ["api", _, resource @ ..] | ["apis", _, _, resource @ ..] => resource,
        _ => return false,
    };
    let resource = match resource {
        ["namespaces", _, resource @ ..] if resource.len() > 1 => resource,
        // A subresource of a namespace, or a collection in a namespace.
        ["namespaces", _, last] => return *last != "finalize",
        other => other,
    };
    matches!(resource, [_] | [_, _] | [_, _, "status"])
}

/// The path of a resource of a named group, in another version of the group.
pub(crate) fn in_version(path: &str, version: &str) -> String {
    let mut segments: Vec<&str> = path.split('/').collect();
    // Empty, `apis`, the group, the version.
    if let Some(segment) = segments.get_mut(3) {
        *segment = version;
    }
    segments.join("/")
}

/// Percent-encodes a path segment.
///
/// Fails for text that would change the path, by the server's own rules for names: not `.` or `..`, and no `/` or `%`.
pub(crate) fn segment(what: &str, text: &str) -> Result<String, Error> {
    /// The characters to encode in a path segment. A form-encoded `+` for a blank would be wrong in a path.
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
