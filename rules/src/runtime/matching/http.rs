//! Derives request attributes from an HTTP method and URL.

use super::percent::decode;
use super::query::Query;
use super::request::{RequestAttributes, User};
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
    /// request: discovery, `/healthz`, `/metrics`.
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
    /// [`InvalidRequest`] if a server returns 400 before classification: a malformed percent escape in the path, or a path
    /// that ends after the `watch` or `proxy` of a deprecated endpoint.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(method: &str, url: &str) -> (String, String, String) {
        let request = RequestAttributes::from_http(method, url, User::anonymous()).unwrap();
        let mut resource = request.resource;
        if !request.subresource.is_empty() {
            resource = format!("{resource}/{}", request.subresource);
        }
        (
            request.verb,
            resource,
            format!("{}:{}", request.namespace, request.name),
        )
    }

    fn expect(method: &str, url: &str, verb: &str, resource: &str, object: &str) {
        assert_eq!(
            read(method, url),
            (verb.into(), resource.into(), object.into()),
            "{method} {url}"
        );
    }

    #[test]
    fn resources_are_recognized() {
        expect(
            "GET",
            "/api/v1/namespaces/a/pods/p/log?follow=1",
            "get",
            "pods/log",
            "a:p",
        );
        expect("HEAD", "/api/v1/pods/", "list", "pods", ":");
        expect(
            "GET",
            "https://host:6443/api/v1/pods?watch",
            "watch",
            "pods",
            ":",
        );
        expect("GET", "/api/v1/pods?watch=0", "list", "pods", ":");
        expect(
            "DELETE",
            "/apis/apps/v1/namespaces/a/deployments",
            "deletecollection",
            "deployments",
            "a:",
        );
        expect("OPTIONS", "/api/v1/nodes/n", "", "nodes", ":n");
        expect(
            "PUT",
            "/api/v1/namespaces/a/finalize",
            "update",
            "namespaces/finalize",
            "a:a",
        );
        expect("GET", "/api/v1/namespaces", "list", "namespaces", ":");
        expect("GET", "/api/v1/namespaces/a", "get", "namespaces", "a:a");
        expect(
            "GET",
            "/api/v1/proxy/namespaces/a/pods/p/x",
            "proxy",
            "pods",
            "a:p",
        );
        expect(
            "GET",
            "/api/v1/watch/namespaces/a/pods",
            "watch",
            "pods",
            "a:",
        );
        expect(
            "GET",
            "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp",
            "list",
            "pods",
            "a:p",
        );
    }

    #[test]
    fn other_paths_keep_the_method() {
        for url in [
            "/api",
            "/api/v1",
            "/apis/apps/v1",
            "/healthz",
            "/",
            "",
            "/apis//v1/",
        ] {
            let request = RequestAttributes::from_http("POST", url, User::anonymous()).unwrap();
            assert!(!request.is_resource_request, "{url}");
            assert_eq!(request.verb, "post");
        }
    }

    #[test]
    fn what_a_server_refuses_is_an_error() {
        let read = |url| RequestAttributes::from_http("GET", url, User::anonymous());
        assert!(read("/api/v1/watch").is_err());
        assert!(read("/healthz/%zz").is_err());
        assert!(read("/healthz/%e2%82").is_ok());
    }
}
