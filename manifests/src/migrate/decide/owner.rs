//! The kind of document that mentions the group, which decides the advice.

use k8s_flowcontrol_text::Node;
use k8s_flowcontrol_types::ApiVersion;

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
