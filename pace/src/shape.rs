//! Shapes: requests of the same kind, which take similar time and belong to the same level.

use http::Method;
use http::request::Parts;
use std::sync::Arc;

/// Query parameters that change the amount of work. Only their presence counts, apart from resource versions.
const WORK: [&str; 4] = ["limit", "continue", "labelSelector", "fieldSelector"];
/// Subresources whose requests stay open.
const OPEN: [&str; 4] = ["attach", "exec", "portforward", "proxy"];

/// The known facts of a request before it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Without the namespace: requests with the same one take similar time.
    pub(crate) work: Arc<str>,
    /// With the namespace and the impersonated user: requests with the same one belong to the same level.
    pub(crate) exact: Arc<str>,
    /// Whether it is a watch or another request that stays open.
    pub(crate) is_long_running: bool,
}

impl Shape {
    pub(crate) fn of(parts: &Parts) -> Self {
        let path = Path::parse(parts.uri.path());
        let query = parts.uri.query().unwrap_or_default();
        let mut work = format!("{} {}", parts.method, path.pattern());
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if WORK.contains(&name) && !value.is_empty() {
                work.push(' ');
                work.push_str(name);
            }
            if (name, value) == ("resourceVersion", "0") {
                work.push_str(" cached");
            }
        }
        let mut exact = format!("{work} {}", path.namespace.unwrap_or_default());
        if let Some(user) = parts.headers.get("impersonate-user") {
            exact.push(' ');
            exact.push_str(&String::from_utf8_lossy(user.as_bytes()));
        }
        Self {
            is_long_running: path.is_long_running(&parts.method, query),
            work: work.into(),
            exact: exact.into(),
        }
    }
}

/// The path of a resource request, or any other path as its `prefix`.
#[derive(Default)]
struct Path<'a> {
    /// Such as `api/v1`.
    prefix: &'a str,
    namespace: Option<&'a str>,
    resource: Option<&'a str>,
    is_named: bool,
    subresource: Option<&'a str>,
    /// The deprecated form of watches.
    is_watch: bool,
}

impl<'a> Path<'a> {
    fn parse(path: &'a str) -> Self {
        let path = path.trim_matches('/');
        // A server behind a proxy may have its own path.
        let roots = ["api/", "apis/"].into_iter();
        // The first one: a namespace may have the name, too.
        let begin = match roots.clone().any(|root| path.starts_with(root)) {
            true => Some(0),
            false => roots
                .filter_map(|root| path.find(&format!("/{root}")))
                .min()
                .map(|slash| slash + 1),
        };
        let other = Self {
            prefix: path,
            ..Self::default()
        };
        let Some(begin) = begin else {
            return other;
        };
        let segments: Vec<_> = path[begin..].split('/').collect();
        let of_group = match segments.first() {
            Some(&"api") => 2,
            _ => 3,
        };
        let Some((group, mut rest)) = segments.split_at_checked(of_group) else {
            return other;
        };
        let prefix_length = group.iter().map(|part| part.len() + 1).sum::<usize>() - 1;
        let mut parsed = Self {
            prefix: &path[begin..begin + prefix_length],
            ..Self::default()
        };
        if let [first, others @ ..] = rest
            && *first == "watch"
        {
            parsed.is_watch = true;
            rest = others;
        }
        if let ["namespaces", namespace, resource, ..] = rest
            && !matches!(*resource, "status" | "finalize")
        {
            parsed.namespace = Some(namespace);
            rest = &rest[2..];
        }
        parsed.resource = rest.first().copied();
        parsed.is_named = rest.len() > 1;
        parsed.subresource = rest.get(2).copied();
        parsed
    }

    fn pattern(&self) -> String {
        let mut text = self.prefix.to_owned();
        if self.namespace.is_some() {
            text.push_str("/namespaces/*");
        }
        if let Some(resource) = self.resource {
            text.push('/');
            text.push_str(resource);
        }
        if self.is_named {
            text.push_str("/*");
        }
        if let Some(subresource) = self.subresource {
            text.push('/');
            text.push_str(subresource);
        }
        text
    }

    fn is_long_running(&self, method: &Method, query: &str) -> bool {
        // As a server reads it: the first value counts, and all but two mean yes.
        let is_set = |wanted: &str| {
            let mut pairs = query
                .split('&')
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
            let first = pairs.find(|(name, _)| *name == wanted);
            first.is_some_and(|(_, value)| !value.eq_ignore_ascii_case("false") && value != "0")
        };
        let is_open = self.subresource.is_some_and(|of| OPEN.contains(&of));
        let follows = self.subresource == Some("log") && is_set("follow");
        let watches = method == Method::GET && (self.is_watch || is_set("watch"));
        is_open || follows || watches
    }
}
