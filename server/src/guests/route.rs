//! Paths of guests.

use super::GuestDocument;
use crate::http::route::{Document, ResourceTarget, Target};
use crate::query::decode;
use crate::scheme::{HUB, Kind, Scheme};
use crate::status::{Failure, unknown_resource};

/// What a path means, if it is one of a guest's group.
///
/// # Errors
/// 404 for what the group does not serve.
pub(crate) fn route<'a>(
    segments: &[&str],
    scheme: &'a Scheme,
) -> Option<Result<Target<'a>, Failure>> {
    let (group, rest) = match *segments {
        ["api", ref rest @ ..] if !rest.is_empty() => ("", rest),
        ["apis", group, ref rest @ ..] if !group.is_empty() => (group, rest),
        _ => return None,
    };
    let first = scheme.guests().find(|kind| kind.group() == group)?;
    let [version, rest @ ..] = rest else {
        let document = GuestDocument::Group(first.group());
        return Some(Ok(Target::Discovery(Document::Guest(document))));
    };
    let mut kinds = scheme.guests().filter(|kind| kind.group() == group);
    let Some(first) = kinds.find(|kind| kind.version_name(HUB) == *version) else {
        return Some(Err(unknown_resource()));
    };
    if rest.is_empty() {
        let document = GuestDocument::Resources(first.group(), first.version_name(HUB));
        return Some(Ok(Target::Discovery(Document::Guest(document))));
    }
    Some(resource(scheme, first, rest).map(Target::Resource))
}

/// A resource in the group and version of the kind `like`.
fn resource<'a>(
    scheme: &'a Scheme,
    like: &Kind,
    rest: &[&str],
) -> Result<ResourceTarget<'a>, Failure> {
    let find = |plural: &str| {
        let mut kinds = scheme.guests();
        kinds.find(|kind| kind.api_version(HUB) == like.api_version(HUB) && kind.plural() == plural)
    };
    let (watch, rest) = match rest {
        ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
        rest => (false, rest),
    };
    // `namespaces/a/status` is a subresource of a namespace, unless there are objects called so in it.
    let inside = match rest {
        ["namespaces", namespace, plural, rest @ ..] if !namespace.is_empty() => find(plural)
            .filter(|kind| kind.is_namespaced())
            .map(|kind| (kind, decode(namespace), rest)),
        _ => None,
    };
    let (kind, namespace, rest) = match (inside, rest) {
        (Some(inside), _) => inside,
        (None, [plural, rest @ ..]) => {
            let kind = find(plural).ok_or_else(unknown_resource)?;
            // An object of a namespaced kind is not found without its namespace.
            if kind.is_namespaced() && !rest.is_empty() {
                return Err(unknown_resource());
            }
            (kind, String::new(), rest)
        }
        (None, []) => return Err(unknown_resource()),
    };
    let (name, subresource) = match *rest {
        [] => (None, None),
        [name] if !name.is_empty() => (Some(decode(name)), None),
        [name, asked] if !watch && !name.is_empty() => {
            let mut served = kind.subresources().iter().copied();
            let served = served.find(|served| *served == asked);
            let subresource = served.ok_or_else(unknown_resource)?;
            (Some(decode(name)), Some(subresource))
        }
        _ => return Err(unknown_resource()),
    };
    Ok(ResourceTarget {
        kind,
        version: HUB,
        namespace,
        watch,
        name,
        subresource,
    })
}
