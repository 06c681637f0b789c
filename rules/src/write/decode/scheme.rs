//! The kinds that a server's decoder knows: the error for a body of another kind depends on them.

use k8s_flowcontrol_types::{ApiVersion, Fact, GROUP, Kind, Release};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GroupVersionKind {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
}

impl GroupVersionKind {
    /// `group/version`, or what there is of it.
    pub(super) fn group_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// Whether a server of `release` decodes the kind, even if it then expects another kind.
    pub(super) fn is_registered(&self, release: Release) -> bool {
        let kind = self.kind.as_str();
        if UNVERSIONED.contains(&kind) {
            true
        } else if self.group == GROUP {
            is_decoded(&self.version, release)
                && (Kind::named(kind).or(Kind::of_list(kind)).is_some() || OPTIONS.contains(&kind))
        } else {
            OTHER_GROUPS.iter().any(|(group, version, kinds)| {
                *group == self.group
                    && *version == self.version
                    && (kinds.contains(&kind) || is_list_of(kind, kinds) || OPTIONS.contains(&kind))
            })
        }
    }

    /// The Go package of the kind's type.
    pub(super) fn package(&self) -> &str {
        let kind = self.kind.as_str();
        match UNVERSIONED.contains(&kind) || OPTIONS.contains(&kind) {
            true => "v1",
            false => &self.version,
        }
    }
}

/// The version of the group that the text names, when a server of `release` decodes it. It decodes more
/// versions than it serves, as objects in its storage may be written in them.
pub(super) fn decoded_version(version: &str, release: Release) -> Option<ApiVersion> {
    if !is_decoded(version, release) {
        return None;
    }
    // v1alpha1 has the fields of v1beta1.
    Some(version.parse().unwrap_or(ApiVersion::V1Beta1))
}

fn is_decoded(version: &str, release: Release) -> bool {
    match version.parse::<ApiVersion>() {
        // `group/version` parses too, but is not a version.
        Ok(known) => known.as_str() == version && release.minor() >= known.lifecycle().introduced,
        Err(_) => version == "v1alpha1" && release.has(Fact::DecodesV1Alpha1),
    }
}

fn is_list_of(kind: &str, kinds: &[&str]) -> bool {
    kind.strip_suffix("List")
        .is_some_and(|item| kinds.contains(&item))
}

/// Kinds that every group has.
const OPTIONS: &[&str] = &[
    "CreateOptions",
    "DeleteOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "UpdateOptions",
    "WatchEvent",
];

/// Kinds that a decoder finds in any group and version.
const UNVERSIONED: &[&str] = &[
    "APIGroup",
    "APIGroupList",
    "APIResourceList",
    "APIVersions",
    "Status",
];

/// Kinds of other groups that people are likely to send by mistake. The list is not complete: for the
/// rest the error is that the kind is not registered, where a server reports that it does not convert.
const OTHER_GROUPS: &[(&str, &str, &[&str])] = &[
    (
        "",
        "v1",
        &[
            "Binding",
            "ComponentStatus",
            "ConfigMap",
            "Endpoints",
            "Event",
            "LimitRange",
            "List",
            "Namespace",
            "Node",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "Pod",
            "PodTemplate",
            "ReplicationController",
            "ResourceQuota",
            "Secret",
            "Service",
            "ServiceAccount",
        ],
    ),
    (
        "apps",
        "v1",
        &[
            "ControllerRevision",
            "DaemonSet",
            "Deployment",
            "ReplicaSet",
            "StatefulSet",
        ],
    ),
    ("batch", "v1", &["CronJob", "Job"]),
    ("coordination.k8s.io", "v1", &["Lease"]),
    (
        "networking.k8s.io",
        "v1",
        &["Ingress", "IngressClass", "NetworkPolicy"],
    ),
    ("policy", "v1", &["Eviction", "PodDisruptionBudget"]),
    (
        "rbac.authorization.k8s.io",
        "v1",
        &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    ),
    ("scheduling.k8s.io", "v1", &["PriorityClass"]),
    (
        "storage.k8s.io",
        "v1",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
    ),
];
