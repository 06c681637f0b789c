//! Rules with which webhooks and admission policies select requests.

use super::reference::{Owner, References, Unclear};
use k8s_flowcontrol_text::{Content, Node};
use k8s_flowcontrol_types::GROUP;

/// Whether a rule also selects requests in other versions of its resources: `matchPolicy` of a webhook or policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchPolicy {
    Exact,
    Equivalent,
}

impl MatchPolicy {
    /// The default of a document: the first version of webhook configurations had another one.
    pub(super) fn default_of(root: Node<'_>) -> Self {
        let version = root.get("apiVersion").and_then(Node::as_str);
        let is_old = version == Some("admissionregistration.k8s.io/v1beta1");
        match is_old && Owner::of(root) == Owner::Webhook {
            true => Self::Exact,
            false => Self::Equivalent,
        }
    }

    /// The policy for the rules in an object.
    pub(super) fn within(self, node: Node<'_>) -> Self {
        match node.get("matchPolicy").and_then(Node::as_str) {
            Some("Exact") => Self::Exact,
            Some("Equivalent") => Self::Equivalent,
            _ => self,
        }
    }
}

/// A rule with `apiGroups` and `apiVersions` that does not name the version.
pub(super) fn rule<'a>(node: Node<'a>, policy: MatchPolicy, out: &mut References<'a>) {
    let strings = |name: &str| match node.get(name).map(Node::content) {
        Some(Content::Array(entries)) => entries.iter().collect(),
        _ => Vec::new(),
    };
    let groups = strings("apiGroups");
    if !groups.iter().any(|group| group.as_str() == Some(GROUP)) {
        return;
    }
    let (to, versions) = (out.to, strings("apiVersions"));
    let covers = |version: &Node<'_>| {
        let version = version.as_str();
        version.is_some_and(|name| name == "*" || name == to.as_str())
    };
    let Some(first) = versions.first() else {
        return;
    };
    if versions.iter().any(covers) {
        return;
    }
    let names: Vec<_> = versions.iter().filter_map(|name| name.as_str()).collect();
    let names = names.join(", ");
    let message = match policy {
        MatchPolicy::Exact => format!(
            "this rule selects requests of {GROUP} in {names} only: with matchPolicy: Exact it misses requests in {to}"
        ),
        MatchPolicy::Equivalent => format!(
            "this rule names {GROUP} in {names}: with matchPolicy: Equivalent it selects requests in {to} only while the cluster serves {names}"
        ),
    };
    out.unclear.push(Unclear {
        node: *first,
        message,
        help: format!("add {to} to apiVersions"),
    });
}
