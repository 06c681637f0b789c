//! References to flow-control objects: their new text, or why they must be changed by hand, and the owner of the document, which decides the
//! advice.

use crate::documents::version_of;
use crate::migrate::read::{SHARES, other_shares_of};
use k8s_flowcontrol_text::Node;
use k8s_flowcontrol_types::ApiVersion;
use serde_json::Value;

/// A string with its new text.
#[derive(Clone, Debug)]
pub(in crate::migrate) struct ScalarEdit<'a> {
    pub(in crate::migrate) node: Node<'a>,
    /// Its JSON pointer in the document.
    pub(in crate::migrate) pointer: String,
    pub(in crate::migrate) new: String,
    pub(in crate::migrate) what: String,
}

/// A place that names a version and must be changed by hand.
#[derive(Clone, Debug)]
pub(in crate::migrate) struct Unclear<'a> {
    pub(in crate::migrate) node: Node<'a>,
    pub(in crate::migrate) message: String,
    pub(in crate::migrate) help: String,
}

impl<'a> Unclear<'a> {
    pub(super) fn new(node: Node<'a>, message: String) -> Self {
        Self {
            node,
            message,
            help: "change it by hand".to_owned(),
        }
    }
}

#[derive(Clone, Debug)]
pub(in crate::migrate) struct References<'a> {
    /// The target version.
    pub(super) to: ApiVersion,
    pub(in crate::migrate) changes: Vec<ScalarEdit<'a>>,
    pub(in crate::migrate) unclear: Vec<Unclear<'a>>,
}

impl<'a> References<'a> {
    pub(super) fn new(to: ApiVersion) -> Self {
        Self {
            to,
            changes: Vec::new(),
            unclear: Vec::new(),
        }
    }

    /// Adds the value of `field`, if it is another version of the group.
    pub(super) fn version(&mut self, node: Node<'a>, pointer: String, field: &str) {
        let (written, to) = (node.as_str().unwrap_or_default(), self.to.api_version());
        if version_of(written).is_some() && written != to {
            self.changes.push(ScalarEdit {
                node,
                pointer,
                new: to.to_owned(),
                what: format!("{field}: {written} becomes {to}"),
            });
        }
    }

    /// Adds a path that is another one in the target version; `field` is what the report has before it.
    pub(super) fn path(&mut self, node: Node<'a>, pointer: String, separator: char, field: &str) {
        if let Some(path) = node.as_str()
            && let Some(new) = renamed(path, separator, self.to)
        {
            self.changes.push(ScalarEdit {
                node,
                pointer,
                what: format!("{field}{path} becomes {new}"),
                new,
            });
        }
    }
}

/// Replaces the strings in `root`.
pub(in crate::migrate) fn apply(root: &mut Value, changes: &[ScalarEdit<'_>]) {
    for change in changes {
        if let Some(place) = root.pointer_mut(&change.pointer) {
            *place = change.new.clone().into();
        }
    }
}

/// The path of the shares in the target version; none for another path. The path may begin with the separator.
pub(super) fn renamed(path: &str, separator: char, to: ApiVersion) -> Option<String> {
    let old = other_shares_of(to);
    let new = SHARES.into_iter().find(|name| *name != old)?;
    let prefix = path.strip_suffix(old)?;
    let expected = format!("spec{separator}limited{separator}");
    let is_expected = prefix.strip_prefix(separator).unwrap_or(prefix) == expected;
    is_expected.then(|| format!("{prefix}{new}"))
}

/// The kind of a document of another API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A policy of Kyverno, Gatekeeper or the API server itself.
    Policy,
    /// A configuration of admission webhooks.
    Webhook,
    /// The flags of an API server, in a Pod or in a configuration of kubeadm.
    Server,
    /// A migration of stored objects.
    Migration,
    Other,
}

impl Owner {
    pub(super) fn of(root: Node<'_>) -> Self {
        let string = |name: &str| root.get(name).and_then(Node::as_str).unwrap_or_default();
        let (version, kind) = (string("apiVersion"), string("kind"));
        let group = version.split('/').next().unwrap_or_default();
        let is_policy = group.ends_with("kyverno.io")
            || group.ends_with("gatekeeper.sh")
            || kind.ends_with("AdmissionPolicy")
            || kind.ends_with("AdmissionPolicyBinding");
        match kind {
            _ if is_policy => Self::Policy,
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => Self::Webhook,
            "Pod" | "ClusterConfiguration" | "InitConfiguration" | "KubeadmControlPlane" => {
                Self::Server
            }
            "StorageVersionMigration" => Self::Migration,
            _ => Self::Other,
        }
    }

    /// The way to bring a mention in the document to a version.
    pub(super) fn help(self, to: ApiVersion) -> String {
        match self {
            Self::Policy => format!(
                "let the policy match {to} too, and the old version only while a cluster serves it"
            ),
            Self::Webhook => format!("add {to} to apiVersions"),
            Self::Server => {
                "remove the version from --runtime-config: newer servers do not have it".to_owned()
            }
            Self::Migration => format!("create the migration again for {to}"),
            Self::Other => "change it by hand if it refers to these objects".to_owned(),
        }
    }
}
