//! Derives request attributes from an HTTP method and URL.

use super::percent::decode;
use super::query::Query;
use super::request::RequestAttributes;
use super::user::User;
use std::fmt;

/// Path prefixes of deprecated endpoints for watch and proxy: `/api/v1/watch/pods`.
const VERBS_IN_PATH: [&str; 2] = ["proxy", "watch"];
/// Segments after `/api/v1/namespaces/<name>/` that are subresources of the namespace, not resources in it.
const NAMESPACE_SUBRESOURCES: [&str; 2] = ["finalize", "status"];

impl RequestAttributes {
    /// Derives the attributes of a request from its method and URL, as a server does.
    ///
    /// `method` is the HTTP method in capitals; `url` is a path with an optional query, or a complete URL, whose scheme
    /// and host are ignored. A path outside of `/api/<version>/` and `/apis/<group>/<version>/` is a non-resource
    /// request: discovery, `/healthz`, `/metrics`. Label selectors are not checked: with an invalid one a server, which then returns
    /// 400, does not read the name of a field selector.
    ///
    /// ```
    /// use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
    ///
    /// let request = RequestAttributes::from_http(
    ///     "PATCH",
    ///     "/apis/apps/v1/namespaces/team-a/deployments/web/scale?dryRun=All",
    ///     User::authenticated("alice", ["dev"]),
    /// )?;
    /// assert_eq!((request.verb.as_str(), request.api_group.as_str()), ("patch", "apps"));
    /// assert_eq!((request.resource.as_str(), request.subresource.as_str()), ("deployments", "scale"));
    /// # Ok::<(), k8s_flowcontrol_rules::matching::InvalidRequest>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidRequest`] if a server does not classify the request: 400 for a malformed percent escape in the path, and 500 for a
    /// path that ends after the `watch` or `proxy` of a deprecated endpoint.
    pub fn from_http(method: &str, url: &str, user: User) -> Result<Self, InvalidRequest> {
        let target = request_target(url);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = decode(path, false).ok_or(InvalidRequest {
            url: url.into(),
            problem: Problem::Escape,
        })?;
        let mut request = Self {
            user,
            verb: method.to_lowercase(),
            path: path.into_owned(),
            ..Self::default()
        };
        // A copy of the path, so that its parts can be borrowed while the request changes.
        let path = request.path.clone();
        let Some((api_group, mut parts)) = resource_parts(&path) else {
            return Ok(request);
        };
        request.is_resource_request = true;
        request.api_group = api_group.to_owned();
        match parts.first() {
            Some(verb) if VERBS_IN_PATH.contains(verb) => {
                if parts.len() < 2 {
                    return Err(InvalidRequest {
                        url: url.into(),
                        problem: Problem::NoKind,
                    });
                }
                request.verb = (*verb).to_owned();
                parts.remove(0);
            }
            _ => request.verb = resource_verb(method).to_owned(),
        }
        if parts[0] == "namespaces"
            && let Some(namespace) = parts.get(1)
        {
            request.namespace = (*namespace).to_owned();
            if parts
                .get(2)
                .is_some_and(|next| !NAMESPACE_SUBRESOURCES.contains(next))
            {
                parts.drain(..2);
            }
        }
        let part = |index: usize| parts.get(index).copied().unwrap_or_default().to_owned();
        request.resource = part(0);
        request.name = part(1);
        if request.verb != "proxy" {
            request.subresource = part(2);
        }
        request.refine_nameless(&Query::parse(query));
        Ok(request)
    }

    /// Without a name, `get` and `delete` are about a collection.
    fn refine_nameless(&mut self, query: &Query<'_>) {
        if !self.name.is_empty() {
            return;
        }
        match self.verb.as_str() {
            "get" => {
                self.verb = if query.flag("watch") { "watch" } else { "list" }.to_owned();
                self.name = query.selected_name().unwrap_or_default();
            }
            "delete" => "deletecollection".clone_into(&mut self.verb),
            _ => {}
        }
    }
}

/// The path and query of a URL.
fn request_target(url: &str) -> &str {
    match url.split_once("://") {
        Some((scheme, rest)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => {
            rest.find(['/', '?']).map_or("/", |start| &rest[start..])
        }
        _ => url,
    }
}

/// The API group and the path segments after the version; `None` for a non-resource path.
fn resource_parts(path: &str) -> Option<(&str, Vec<&str>)> {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    match segments.as_slice() {
        ["api", _version, rest @ ..] if !rest.is_empty() => Some(("", rest.to_vec())),
        ["apis", group, _version, rest @ ..] if !rest.is_empty() => Some((group, rest.to_vec())),
        _ => None,
    }
}

fn resource_verb(method: &str) -> &'static str {
    match method {
        "POST" => "create",
        "GET" | "HEAD" => "get",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" => "delete",
        _ => "",
    }
}

/// A request that a server does not classify, because it is malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRequest {
    url: Box<str>,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Escape,
    NoKind,
}

impl fmt::Display for InvalidRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            Problem::Escape => write!(f, "malformed percent escape in the path of `{}`", self.url),
            Problem::NoKind => {
                write!(
                    f,
                    "unable to determine kind and namespace from url, {}",
                    self.url
                )
            }
        }
    }
}

impl std::error::Error for InvalidRequest {}
