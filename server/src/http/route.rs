//! Paths: the resource or document that a request is about.

use crate::auth::Review;
use crate::dumps::Dump;
use crate::health;
use crate::kinds::{Kind, Kinds, Version};
use crate::query::decode;
use crate::status::{Failure, unknown_resource};

#[derive(Debug)]
pub(crate) enum Target<'a> {
    Resource(ResourceTarget<'a>),
    Review(Review),
    Discovery(Document),
    /// The Swagger 2 document.
    Swagger,
    OpenApiIndex,
    /// The OpenAPI document with this path.
    OpenApi(String),
    /// A health check, or a part of it.
    Health(&'static str, Option<String>),
    Dump(Dump),
    /// The EndpointSlices of the service `kubernetes`, or the one with this name.
    EndpointSlices(Option<String>),
    Metrics,
    Unknown,
}

/// A document about the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    Version,
    /// `/api`.
    Core,
    /// `/apis`.
    Groups,
    /// `/apis/<group>`.
    Group(String),
    /// `/apis/<group>/<version>`, or `/api/<version>` with an empty group.
    Resources(String, String),
    Root,
}

/// A collection, an object or a subresource, in a version.
#[derive(Debug)]
pub(crate) struct ResourceTarget<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) version: Version,
    /// The namespace in the path; empty without one.
    pub(crate) namespace: String,
    /// Whether the path is a deprecated `/watch/` path.
    pub(crate) watch: bool,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<&'static str>,
}

/// Errors: 404 as a `Status` for unknown resources of a served group or of the core group; other unknown paths are [`Target::Unknown`].
pub(crate) fn route<'a>(path: &str, kinds: &'a Kinds) -> Result<Target<'a>, Failure> {
    // Escaped slashes divide a path too.
    let path = decode(path);
    let path = path.as_str();
    // Other paths do not exist with a final slash.
    let path = match path.strip_suffix('/') {
        Some(start) if start == "/version" || start.starts_with("/api") => start,
        _ => path,
    };
    let segments: Vec<_> = path.split('/').skip(1).collect();
    Ok(match segments[..] {
        [] | ["" | "index.html"] => Target::Discovery(Document::Root),
        ["version"] => Target::Discovery(Document::Version),
        ["api"] => Target::Discovery(Document::Core),
        ["apis"] => Target::Discovery(Document::Groups),
        ["openapi", "v2"] => Target::Swagger,
        ["openapi", "v3"] => Target::OpenApiIndex,
        ["openapi", "v3", ref rest @ ..] => Target::OpenApi(rest.join("/")),
        ["debug", "api_priority_and_fairness", dump] => match Dump::parse(dump) {
            Some(dump) => Target::Dump(dump),
            None => Target::Unknown,
        },
        ["metrics"] => Target::Metrics,
        ["api", ref rest @ ..] => in_group(kinds, "", rest)?,
        ["apis", group, ref rest @ ..] if !group.is_empty() => in_group(kinds, group, rest)?,
        [check, ref part @ ..] => health_check(check, part),
    })
}

fn health_check<'a>(check: &str, part: &[&str]) -> Target<'a> {
    match health::check(check) {
        Some(check) if part.is_empty() => Target::Health(check, None),
        Some(check) => Target::Health(check, Some(part.join("/"))),
        None => Target::Unknown,
    }
}

fn in_group<'a>(kinds: &'a Kinds, group: &str, rest: &[&str]) -> Result<Target<'a>, Failure> {
    if !kinds.all.iter().any(|kind| kind.group() == group) {
        // A real server always has a core group.
        if group.is_empty() {
            return Err(unknown_resource());
        }
        return Ok(match rest {
            [version, resource] => match Review::of(group, version, resource, kinds.release) {
                Some(review) => Target::Review(review),
                None => Target::Unknown,
            },
            ["v1", "namespaces", "default", "endpointslices", name @ ..]
                if group == "discovery.k8s.io" && name.len() <= 1 =>
            {
                Target::EndpointSlices(name.first().map(|name| (*name).to_owned()))
            }
            _ => Target::Unknown,
        });
    }
    let [version, rest @ ..] = rest else {
        return Ok(Target::Discovery(Document::Group(group.to_owned())));
    };
    if kinds.served_in(group, version).next().is_none() {
        return Err(unknown_resource());
    }
    if rest.is_empty() {
        let document = Document::Resources(group.to_owned(), (*version).to_owned());
        return Ok(Target::Discovery(document));
    }
    resource(kinds, group, version, rest).map(Target::Resource)
}

fn resource<'a>(
    kinds: &'a Kinds,
    group: &str,
    version: &str,
    rest: &[&str],
) -> Result<ResourceTarget<'a>, Failure> {
    let find = |plural: &str| {
        let mut served = kinds.served_in(group, version);
        served.find(|(kind, _)| kind.plural() == plural)
    };
    let (watch, rest) = match rest {
        ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
        rest => (false, rest),
    };
    // `namespaces/a/status` is a subresource of a namespace, unless a namespaced kind is called `status`.
    let inside = match rest {
        ["namespaces", namespace, plural, rest @ ..] if !namespace.is_empty() => find(plural)
            .filter(|(kind, _)| kind.is_namespaced())
            .map(|served| (served, (*namespace).to_owned(), rest)),
        _ => None,
    };
    let ((kind, version), namespace, rest) = match (inside, rest) {
        (Some(inside), _) => inside,
        (None, [plural, rest @ ..]) => {
            let (kind, version) = find(plural).ok_or_else(unknown_resource)?;
            // An object of a namespaced kind needs its namespace.
            if kind.is_namespaced() && !rest.is_empty() {
                return Err(unknown_resource());
            }
            ((kind, version), String::new(), rest)
        }
        (None, []) => return Err(unknown_resource()),
    };
    let (name, subresource) = match *rest {
        [] => (None, None),
        [name] if !name.is_empty() => (Some(name.to_owned()), None),
        [name, subresource] if !watch && !name.is_empty() => {
            let mut served = kind.subresources().iter().copied();
            let served = served.find(|served| *served == subresource);
            (
                Some(name.to_owned()),
                Some(served.ok_or_else(unknown_resource)?),
            )
        }
        _ => return Err(unknown_resource()),
    };
    Ok(ResourceTarget {
        kind,
        version,
        namespace,
        watch,
        name,
        subresource,
    })
}
