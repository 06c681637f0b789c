//! References to flow-control objects in other documents that can be changed safely: targets of kustomize, paths of JSON
//! patches, and ignored differences of Argo CD.

use crate::documents::version_of;
use crate::migrate::read::{SHARES, other_shares_of};
use k8s_flowcontrol_text::{Content, Field, Node};
use k8s_flowcontrol_types::Kind;
use k8s_flowcontrol_types::{ApiVersion, GROUP};
use serde_json::Value;

/// A string with its new text.
#[derive(Clone, Debug)]
pub(in crate::migrate) struct Restring<'a> {
    pub(in crate::migrate) node: Node<'a>,
    /// Its JSON pointer in the document.
    pub(in crate::migrate) pointer: String,
    pub(in crate::migrate) new: String,
    pub(in crate::migrate) what: String,
}

/// A place that names a version for an unknown purpose.
#[derive(Clone, Debug)]
pub(in crate::migrate) struct Unclear<'a> {
    pub(in crate::migrate) node: Node<'a>,
    pub(in crate::migrate) message: String,
}

/// The references in a document.
#[derive(Clone, Debug, Default)]
pub(in crate::migrate) struct Patches<'a> {
    pub(in crate::migrate) changes: Vec<Restring<'a>>,
    pub(in crate::migrate) unclear: Vec<Unclear<'a>>,
}

/// Finds the references in a document of another kind.
pub(in crate::migrate) fn find(root: Node<'_>, to: ApiVersion) -> Patches<'_> {
    let mut patches = Patches::default();
    if let Content::Array(operations) = root.content() {
        for (index, operation) in operations.iter().enumerate() {
            operation_path(operation, &format!("/{index}"), to, &mut patches);
        }
    }
    walk(root, String::new(), "", 0, to, &mut patches);
    patches
}

const MAX_DEPTH: usize = 100;

fn walk<'a>(
    node: Node<'a>,
    pointer: String,
    name: &str,
    depth: usize,
    to: ApiVersion,
    out: &mut Patches<'a>,
) {
    if depth > MAX_DEPTH {
        return;
    }
    match node.content() {
        Content::Object(members) => {
            selector(node, &pointer, name, to, out);
            ignored_differences(node, &pointer, to, out);
            webhook_rule(node, to, out);
            if name == "replacements" {
                replacement(node, &pointer, to, out);
            }
            for member in members.iter() {
                let pointer = format!("{pointer}/{}", escaped(&member));
                walk(member.value, pointer, member.name, depth + 1, to, out);
            }
        }
        Content::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                walk(
                    element,
                    format!("{pointer}/{index}"),
                    name,
                    depth + 1,
                    to,
                    out,
                );
            }
        }
        _ => {}
    }
}

/// `target: {group, version, kind}`, with which kustomize selects objects by the version in their file.
fn selector<'a>(node: Node<'a>, pointer: &str, name: &str, to: ApiVersion, out: &mut Patches<'a>) {
    let string = |name: &str| node.get(name).and_then(Node::as_str);
    let is_ours = match (string("group"), string("kind")) {
        (Some(group), _) => group == GROUP,
        (None, Some(kind)) => Kind::named(kind).is_some(),
        (None, None) => false,
    };
    let (true, Some(version)) = (is_ours, node.get("version")) else {
        return;
    };
    let written = version.as_str().unwrap_or_default();
    let known = version_of(&format!("{GROUP}/{written}"));
    if written == to.as_str() || known.is_none() && written.is_empty() {
        return;
    }
    if known.is_some() && matches!(name, "target" | "source" | "select" | "targets" | "reject") {
        out.changes.push(Restring {
            node: version,
            pointer: format!("{pointer}/version"),
            new: to.to_string(),
            what: format!("{name}.version: {written} becomes {to}"),
        });
    } else {
        out.unclear.push(Unclear {
            node: version,
            message: format!("names version {written} of {GROUP} for an unknown purpose"),
        });
    }
}

/// `apiGroups` with `apiVersions`, with which webhooks and admission policies select requests.
fn webhook_rule<'a>(node: Node<'a>, to: ApiVersion, out: &mut Patches<'a>) {
    let strings = |name: &str| match node.get(name).map(Node::content) {
        Some(Content::Array(entries)) => entries.iter().collect(),
        _ => Vec::new(),
    };
    let groups = strings("apiGroups");
    if !groups.iter().any(|group| group.as_str() == Some(GROUP)) {
        return;
    }
    let versions = strings("apiVersions");
    let covers = |version: &Node<'_>| matches!(version.as_str(), Some(name) if name == "*" || name == to.as_str());
    if versions.iter().any(covers) {
        return;
    }
    let names: Vec<_> = versions
        .iter()
        .filter_map(|version| version.as_str())
        .collect();
    if let Some(first) = versions.first() {
        out.unclear.push(Unclear {
            node: *first,
            message: format!(
                "this rule selects requests of {GROUP} in {}, and not in {to}; with matchPolicy: Exact it misses the others",
                names.join(", ")
            ),
        });
    }
}

/// The paths of a replacement of kustomize.
fn replacement<'a>(node: Node<'a>, pointer: &str, to: ApiVersion, out: &mut Patches<'a>) {
    let mut paths = Vec::new();
    if let Some(path) = node
        .get("source")
        .and_then(|source| source.get("fieldPath"))
    {
        paths.push((format!("{pointer}/source/fieldPath"), path));
    }
    if let Some(Content::Array(targets)) = node.get("targets").map(Node::content) {
        for (index, target) in targets.iter().enumerate() {
            if let Some(Content::Array(fields)) = target.get("fieldPaths").map(Node::content) {
                for (field, path) in fields.iter().enumerate() {
                    paths.push((
                        format!("{pointer}/targets/{index}/fieldPaths/{field}"),
                        path,
                    ));
                }
            }
        }
    }
    for (pointer, node) in paths {
        let Some(path) = node.as_str() else { continue };
        let absolute = format!(".{path}");
        let Some(new) = renamed(&absolute, '.', to) else {
            continue;
        };
        let new = new[1..].to_owned();
        if to == ApiVersion::V1 {
            out.unclear.push(Unclear {
                node,
                message: format!(
                    "copies {path}, which is {new} in {to}; check the value: 0 shares mean 30 up to v1beta3 and 0 in v1"
                ),
            });
        } else {
            out.changes.push(Restring {
                node,
                pointer,
                what: format!("{path} becomes {new}"),
                new,
            });
        }
    }
}

/// An operation of a JSON patch that writes or tests the version.
fn operation_version<'a>(
    operation: Node<'a>,
    pointer: &str,
    to: ApiVersion,
    out: &mut Patches<'a>,
) {
    let is_version = operation.get("path").and_then(Node::as_str) == Some("/apiVersion");
    let Some(value) = operation.get("value").filter(|_| is_version) else {
        return;
    };
    let written = value.as_str().unwrap_or_default();
    if version_of(written).is_some() && written != to.api_version() {
        out.changes.push(Restring {
            node: value,
            pointer: format!("{pointer}/value"),
            new: to.api_version().to_owned(),
            what: format!("value: {written} becomes {}", to.api_version()),
        });
    }
}

/// `ignoreDifferences` of an Argo CD application.
fn ignored_differences<'a>(node: Node<'a>, pointer: &str, to: ApiVersion, out: &mut Patches<'a>) {
    if node.get("group").and_then(Node::as_str) != Some(GROUP) {
        return;
    }
    for (list, separator) in [("jsonPointers", '/'), ("jqPathExpressions", '.')] {
        let Some(Content::Array(entries)) = node.get(list).map(Node::content) else {
            continue;
        };
        for (index, entry) in entries.iter().enumerate() {
            if let Some(path) = entry.as_str()
                && let Some(new) = renamed(path, separator, to)
            {
                out.changes.push(Restring {
                    node: entry,
                    pointer: format!("{pointer}/{list}/{index}"),
                    what: format!("{list}: {path} becomes {new}"),
                    new,
                });
            }
        }
    }
}

/// An operation of a JSON patch on the shares.
fn operation_path<'a>(operation: Node<'a>, pointer: &str, to: ApiVersion, out: &mut Patches<'a>) {
    if operation.get("op").and_then(Node::as_str).is_none() {
        return;
    }
    operation_version(operation, pointer, to, out);
    for name in ["path", "from"] {
        let Some(node) = operation.get(name) else {
            continue;
        };
        let Some(path) = node.as_str() else { continue };
        let Some(new) = renamed(path, '/', to) else {
            continue;
        };
        let value = operation.get("value");
        let number = value.map(Node::content);
        let is_clear = match number {
            None => true,
            Some(Content::Number(text)) => text.parse::<i64>().is_ok_and(|shares| shares != 0),
            Some(_) => false,
        };
        if is_clear {
            out.changes.push(Restring {
                node,
                pointer: format!("{pointer}/{name}"),
                what: format!("{name}: {path} becomes {new}"),
                new,
            });
        } else {
            out.unclear.push(Unclear {
                node,
                message: format!(
                    "sets {path}, which is {new} in {to}; check the value: 0 shares mean 30 up to v1beta3 and 0 in v1"
                ),
            });
        }
    }
}

/// The path of the shares in the target version; none for another path.
fn renamed(path: &str, separator: char, to: ApiVersion) -> Option<String> {
    let old = other_shares_of(to);
    let new = SHARES.into_iter().find(|name| *name != old)?;
    let prefix = path.strip_suffix(old)?;
    let expected = format!("{separator}spec{separator}limited{separator}");
    (prefix == expected).then(|| format!("{prefix}{new}"))
}

fn escaped(member: &Field<'_>) -> String {
    member.name.replace('~', "~0").replace('/', "~1")
}

/// Replaces the strings in `root`.
pub(in crate::migrate) fn apply(root: &mut Value, changes: &[Restring<'_>]) {
    for change in changes {
        if let Some(place) = root.pointer_mut(&change.pointer) {
            *place = change.new.clone().into();
        }
    }
}
