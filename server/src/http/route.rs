//! Paths: what a request is about.

use crate::dumps::Dump;
use crate::guests::{self, GuestDocument};
use crate::health;
use crate::query::decode;
use crate::scheme::{Kind, Scheme};
use crate::status::{Failure, unknown_resource};
use k8s_flowcontrol_types::{ApiVersion, GROUP};

/// What a path names.
#[derive(Debug)]
pub(crate) enum Target<'a> {
    Resource(ResourceTarget<'a>),
    Discovery(Document),
    OpenApiIndex,
    /// The document of that path.
    OpenApi(String),
    /// A health check of that name, or a part of it.
    Health(&'static str, Option<String>),
    Dump(Dump),
    Metrics,
    Nowhere,
}

/// A document about the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    Version,
    Core,
    Groups,
    Group,
    Resources(ApiVersion),
    Guest(GuestDocument),
    Root,
}

/// A collection, an object or a subresource, in a version.
#[derive(Debug)]
pub(crate) struct ResourceTarget<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) version: ApiVersion,
    /// The namespace in the path; empty without one.
    pub(crate) namespace: String,
    /// Whether the path is one of the deprecated `/watch/` paths.
    pub(crate) watch: bool,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<&'static str>,
}

/// # Errors
/// The 404 of the group for what is not served; other paths are [`Target::Nowhere`].
pub(crate) fn route<'a>(path: &str, scheme: &'a Scheme) -> Result<Target<'a>, Failure> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let segments: Vec<_> = path.split('/').skip(1).collect();
    if let Some(target) = guests::route(&segments, scheme) {
        return target;
    }
    Ok(match segments[..] {
        [] => Target::Discovery(Document::Root),
        ["version"] => Target::Discovery(Document::Version),
        ["api"] => Target::Discovery(Document::Core),
        ["apis"] => Target::Discovery(Document::Groups),
        ["openapi", "v3"] => Target::OpenApiIndex,
        ["openapi", "v3", ref rest @ ..] => Target::OpenApi(rest.join("/")),
        ["debug", "api_priority_and_fairness", dump] => match Dump::parse(dump) {
            Some(dump) => Target::Dump(dump),
            None => Target::Nowhere,
        },
        ["metrics"] => Target::Metrics,
        ["apis", group] if group == GROUP => Target::Discovery(Document::Group),
        ["apis", group, version, ref rest @ ..] if group == GROUP => {
            let version = scheme
                .versions()
                .iter()
                .copied()
                .find(|served| served.as_str() == version)
                .ok_or_else(unknown_resource)?;
            match *rest {
                [] => Target::Discovery(Document::Resources(version)),
                ["watch", ref rest @ ..] if !rest.is_empty() => {
                    Target::Resource(resource(scheme, version, rest, true)?)
                }
                ref rest => Target::Resource(resource(scheme, version, rest, false)?),
            }
        }
        [check, ref part @ ..] => health(check, part),
    })
}

fn health<'a>(check: &str, part: &[&str]) -> Target<'a> {
    match health::check(check) {
        Some(check) if part.is_empty() => Target::Health(check, None),
        Some(check) => Target::Health(check, Some(part.join("/"))),
        None => Target::Nowhere,
    }
}

fn resource<'a>(
    scheme: &'a Scheme,
    version: ApiVersion,
    rest: &[&str],
    watch: bool,
) -> Result<ResourceTarget<'a>, Failure> {
    let (plural, name, subresource) = match *rest {
        [plural] => (plural, None, None),
        [plural, name] if !name.is_empty() => (plural, Some(decode(name)), None),
        [plural, name, subresource] if !watch && !name.is_empty() => {
            (plural, Some(decode(name)), Some(subresource))
        }
        _ => return Err(unknown_resource()),
    };
    let kind = scheme
        .by_plural(plural)
        .filter(|kind| kind.is_served_in(version))
        .ok_or_else(unknown_resource)?;
    let subresource = match subresource {
        None => None,
        Some(asked) => Some(
            kind.subresources()
                .iter()
                .copied()
                .find(|served| *served == asked)
                .ok_or_else(unknown_resource)?,
        ),
    };
    Ok(ResourceTarget {
        kind,
        version,
        namespace: String::new(),
        watch,
        name,
        subresource,
    })
}
