//! References to flow-control objects in other documents: safe changes, and places to change by hand.

use super::admission::{self, MatchPolicy};
use super::reference::{Owner, References};
use super::{json_patch, kustomize};
use k8s_flowcontrol_text::{Content, Field, Node};
use k8s_flowcontrol_types::{ApiVersion, GROUP};

/// Finds the references in a document of another kind.
pub(in crate::migrate) fn find(root: Node<'_>, to: ApiVersion) -> References<'_> {
    let mut walk = Walk {
        owner: Owner::of(root),
        found: References::new(to),
    };
    if let Content::Array(operations) = root.content() {
        for (index, operation) in operations.iter().enumerate() {
            json_patch::operation(operation, &format!("/{index}"), &mut walk.found);
        }
    }
    walk.node(root, String::new(), "", MatchPolicy::default_of(root), 0);
    walk.found
}

const MAX_DEPTH: usize = 100;

struct Walk<'a> {
    owner: Owner,
    found: References<'a>,
}

impl<'a> Walk<'a> {
    /// Looks at a node in the field `name`, and at everything in it.
    fn node(
        &mut self,
        node: Node<'a>,
        pointer: String,
        name: &str,
        policy: MatchPolicy,
        depth: usize,
    ) {
        if depth > MAX_DEPTH {
            return;
        }
        match node.content() {
            Content::Object(members) => {
                let found = &mut self.found;
                let policy = policy.within(node);
                admission::rule(node, policy, found);
                kustomize::selector(node, &pointer, name, self.owner, found);
                kustomize::replacement(node, &pointer, found);
                match name {
                    "vars" => kustomize::variable(node, &pointer, found),
                    "fieldSpecs" => kustomize::field_spec(node, &pointer, found),
                    _ => {}
                }
                ignored_differences(node, &pointer, found);
                for member in members.iter() {
                    let pointer = format!("{pointer}/{}", escaped(&member));
                    self.node(member.value, pointer, member.name, policy, depth + 1);
                }
            }
            Content::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.node(
                        element,
                        format!("{pointer}/{index}"),
                        name,
                        policy,
                        depth + 1,
                    );
                }
            }
            _ => {}
        }
    }
}

/// `ignoreDifferences` of an Argo CD application.
fn ignored_differences<'a>(node: Node<'a>, pointer: &str, out: &mut References<'a>) {
    if node.get("group").and_then(Node::as_str) != Some(GROUP) {
        return;
    }
    for (list, separator) in [("jsonPointers", '/'), ("jqPathExpressions", '.')] {
        let Some(Content::Array(entries)) = node.get(list).map(Node::content) else {
            continue;
        };
        for (index, entry) in entries.iter().enumerate() {
            let pointer = format!("{pointer}/{list}/{index}");
            out.path(entry, pointer, separator, &format!("{list}: "));
        }
    }
}

fn escaped(member: &Field<'_>) -> String {
    member.name.replace('~', "~0").replace('/', "~1")
}
