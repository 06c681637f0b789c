//! The fields of kustomize that select flow-control objects and their fields.

use super::reference::{Owner, References, ScalarEdit, Unclear, renamed};
use crate::documents::version_of;
use k8s_flowcontrol_text::{Content, Node};
use k8s_flowcontrol_types::{ApiVersion, GROUP, Kind};

/// The fields whose `version` kustomize compares with the version in the file of an object.
const SELECTORS: [&str; 7] = [
    "target",
    "source",
    "select",
    "targets",
    "reject",
    "fieldSpecs",
    "nameReference",
];

/// An object with `group` or `kind`, and `version`.
pub(super) fn selector<'a>(
    node: Node<'a>,
    pointer: &str,
    name: &str,
    owner: Owner,
    out: &mut References<'a>,
) {
    let to = out.to;
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
    if known.is_some() && SELECTORS.contains(&name) {
        out.changes.push(ScalarEdit {
            node: version,
            pointer: format!("{pointer}/version"),
            new: to.to_string(),
            what: format!("{name}.version: {written} becomes {to}"),
        });
        return;
    }
    let message = match owner {
        Owner::Migration => {
            format!("this migration rewrites objects of {GROUP} through {written}")
        }
        _ => format!("names version {written} of {GROUP} for an unknown purpose"),
    };
    out.unclear.push(Unclear {
        node: version,
        message,
        help: owner.help(to),
    });
}

/// The paths of a replacement: an entry of `replacements`, or its own document.
pub(super) fn replacement<'a>(node: Node<'a>, pointer: &str, out: &mut References<'a>) {
    let (Some(source), Some(Content::Array(targets))) =
        (node.get("source"), node.get("targets").map(Node::content))
    else {
        return;
    };
    let to = out.to;
    let copied = source.get("fieldPath");
    let mut paths: Vec<_> = copied
        .map(|path| (format!("{pointer}/source/fieldPath"), path))
        .into_iter()
        .collect();
    // Shares that come from a migrated object are migrated there.
    let is_migrated = copied
        .and_then(Node::as_str)
        .is_some_and(|path| renamed(path, '.', to).is_some());
    for (index, target) in targets.iter().enumerate() {
        let Some(Content::Array(fields)) = target.get("fieldPaths").map(Node::content) else {
            continue;
        };
        for (field, path) in fields.iter().enumerate() {
            let pointer = format!("{pointer}/targets/{index}/fieldPaths/{field}");
            let text = path.as_str().unwrap_or_default();
            if !is_migrated && to == ApiVersion::V1 && renamed(text, '.', to).is_some() {
                let message = format!(
                    "the value that is copied to {text} is not migrated: 0 shares mean 30 up to v1beta3 and 0 in v1"
                );
                out.unclear.push(Unclear {
                    node: path,
                    message,
                    help: "make sure that the copied value is not 0".to_owned(),
                });
            }
            paths.push((pointer, path));
        }
    }
    for (pointer, node) in paths {
        out.path(node, pointer, '.', "");
    }
}

/// An entry of `vars`: the object of the variable, and its field.
pub(super) fn variable<'a>(node: Node<'a>, pointer: &str, out: &mut References<'a>) {
    let Some(object) = node.get("objref") else {
        return;
    };
    let kind = object.get("kind").and_then(Node::as_str);
    if kind.and_then(Kind::named).is_none() {
        return;
    }
    if let Some(version) = object.get("apiVersion") {
        let pointer = format!("{pointer}/objref/apiVersion");
        out.version(version, pointer, "objref.apiVersion");
    }
    if let Some(path) = node
        .get("fieldref")
        .and_then(|field| field.get("fieldpath"))
    {
        out.path(path, format!("{pointer}/fieldref/fieldpath"), '.', "");
    }
}

/// An entry of `fieldSpecs`: the path of a field, with slashes.
pub(super) fn field_spec<'a>(node: Node<'a>, pointer: &str, out: &mut References<'a>) {
    if let Some(path) = node.get("path") {
        out.path(path, format!("{pointer}/path"), '/', "");
    }
}
