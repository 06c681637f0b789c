//! Finding flow-control objects anywhere in a document.

use super::mentions::SHARES;
use crate::documents::version_of;
use k8s_flowcontrol_text::{Content, Node};
use k8s_flowcontrol_types::Kind;
use k8s_flowcontrol_types::{ApiVersion, GROUP};

/// The maximum depth of objects in a document.
const MAX_DEPTH: usize = 100;

/// The role of a node in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::migrate) enum Role {
    /// An object with `apiVersion` and `kind`, or an item of a list that has them.
    Object(Kind, ApiVersion),
    /// A `FlowSchemaList` or `PriorityLevelConfigurationList`, whose items are separate objects.
    List(ApiVersion),
    /// An object of the group with an unknown version or kind.
    Unknown,
    /// A part of an object without `kind`, such as a patch.
    Fragment(Kind),
}

/// An object or list of the API group in a document.
#[derive(Clone, Debug)]
pub(in crate::migrate) struct Found<'a> {
    pub(in crate::migrate) node: Node<'a>,
    pub(in crate::migrate) role: Role,
    /// Its JSON pointer in the document.
    pub(in crate::migrate) pointer: String,
    /// The `apiVersion` as written, or the `apiVersion` of its list.
    pub(in crate::migrate) api_version: Option<&'a str>,
}

/// The objects and lists of the API group in a document.
pub(in crate::migrate) fn find<'a>(root: Node<'a>) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    if let Some(kind) = fragment_kind(root) {
        found.push(Found {
            node: root,
            role: Role::Fragment(kind),
            pointer: String::new(),
            api_version: string(root, "apiVersion"),
        });
    } else {
        search(root, String::new(), 0, &mut found);
    }
    found
}

fn search<'a>(node: Node<'a>, pointer: String, depth: usize, found: &mut Vec<Found<'a>>) {
    if depth > MAX_DEPTH {
        return;
    }
    match node.content() {
        Content::Object(members) => {
            if let Some(role) = role_of(node, depth == 0) {
                let api_version = string(node, "apiVersion");
                found.push(Found {
                    node,
                    role,
                    pointer: pointer.clone(),
                    api_version,
                });
                if let Role::List(version) = role {
                    items(node, version, api_version, &pointer, found);
                }
                return;
            }
            for member in members.iter() {
                if matches!(
                    member.value.content(),
                    Content::Object(_) | Content::Array(_)
                ) {
                    let name = member.name.replace('~', "~0").replace('/', "~1");
                    search(member.value, format!("{pointer}/{name}"), depth + 1, found);
                }
            }
        }
        Content::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                search(element, format!("{pointer}/{index}"), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// The items of a typed list, which inherit absent kinds and versions from the list.
fn items<'a>(
    list: Node<'a>,
    version: ApiVersion,
    api_version: Option<&'a str>,
    pointer: &str,
    found: &mut Vec<Found<'a>>,
) {
    let kind = string(list, "kind").and_then(|kind| Kind::named(kind.strip_suffix("List")?));
    let (Some(kind), Some(items)) = (kind, list.get("items")) else {
        return;
    };
    let Content::Array(items) = items.content() else {
        return;
    };
    for (index, node) in items.iter().enumerate() {
        if !matches!(node.content(), Content::Object(_)) {
            continue;
        }
        let role = match (string(node, "apiVersion"), string(node, "kind")) {
            (None, None) => Role::Object(kind, version),
            (Some(written), None) => {
                version_of(written).map_or(Role::Unknown, |version| Role::Object(kind, version))
            }
            (None, Some(_)) => Role::Object(kind, version),
            (Some(_), Some(_)) => role_of(node, false).unwrap_or(Role::Unknown),
        };
        found.push(Found {
            node,
            role,
            pointer: format!("{pointer}/items/{index}"),
            api_version: string(node, "apiVersion").or(api_version),
        });
    }
}

/// The role of an object; none for another group, and for an entry that only refers to objects. A whole document may also be
/// an unfinished object.
fn role_of(node: Node<'_>, is_document: bool) -> Option<Role> {
    let written = string(node, "apiVersion")?;
    written.strip_prefix(GROUP)?.strip_prefix('/')?;
    let kind = string(node, "kind");
    let is_object = has_content(node) || is_document && is_bare(node);
    let Some(version) = version_of(written) else {
        return is_object.then_some(Role::Unknown);
    };
    match kind {
        Some("FlowSchemaList" | "PriorityLevelConfigurationList") => {
            (is_object || node.get("items").is_some()).then_some(Role::List(version))
        }
        Some(kind) => match Kind::named(kind) {
            Some(kind) if is_object => Some(Role::Object(kind, version)),
            Some(_) => None,
            None => is_object.then_some(Role::Unknown),
        },
        None => match kind_by_members(node) {
            Some(kind) => Some(Role::Object(kind, version)),
            None => is_object.then_some(Role::Unknown),
        },
    }
}

/// Whether the node has content of an object. A table of versions and a policy have only `apiVersion` and `kind`.
fn has_content(node: Node<'_>) -> bool {
    ["metadata", "spec", "status", "$patch"]
        .iter()
        .any(|name| node.get(name).is_some())
}

/// Whether the node has only `apiVersion` and `kind`, as an unfinished object has.
fn is_bare(node: Node<'_>) -> bool {
    match node.content() {
        Content::Object(members) => members
            .iter()
            .all(|member| matches!(member.name, "apiVersion" | "kind")),
        _ => false,
    }
}

/// The kind of a patch without `kind`.
fn fragment_kind(node: Node<'_>) -> Option<Kind> {
    if node.get("kind").is_some() || node.get("apiVersion").is_some() {
        return None;
    }
    // Flow schemas are equal in all versions: without apiVersion nothing changes in them.
    kind_by_members(node).filter(|kind| *kind == Kind::PriorityLevelConfiguration)
}

fn kind_by_members(node: Node<'_>) -> Option<Kind> {
    let spec = node.get("spec")?;
    let has = |names: &[&str]| names.iter().any(|name| spec.get(name).is_some());
    let limited = spec.get("limited");
    let has_shares = SHARES
        .iter()
        .any(|name| limited.is_some_and(|limited| limited.get(name).is_some()));
    let is_exempt = spec
        .get("exempt")
        .is_some_and(|exempt| exempt.get(SHARES[1]).is_some());
    if has_shares || is_exempt {
        return Some(Kind::PriorityLevelConfiguration);
    }
    has(&[
        "matchingPrecedence",
        "distinguisherMethod",
        "priorityLevelConfiguration",
    ])
    .then_some(Kind::FlowSchema)
}

fn string<'a>(node: Node<'a>, name: &str) -> Option<&'a str> {
    node.get(name)?.as_str()
}
