//! `/apis/<group>/<version>`: the resources of a version.

use crate::kinds::{Kind, Kinds};
use k8s_flowcontrol_types::{Fact, Release};
use serde::Serialize;

/// The verbs of objects.
pub(super) const VERBS: &[&str] = &[
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];
/// The verbs of subresources.
pub(super) const SUBRESOURCE_VERBS: &[&str] = &["get", "patch", "update"];

/// `/apis/<group>/<version>`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiResourceList {
    kind: &'static str,
    api_version: &'static str,
    group_version: String,
    resources: Vec<ApiResource>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiResource {
    name: String,
    singular_name: String,
    namespaced: bool,
    kind: &'static str,
    verbs: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    storage_version_hash: Option<String>,
}

pub(crate) fn resources(kinds: &Kinds, group: &str, version: &str) -> ApiResourceList {
    let mut resources = Vec::new();
    for (kind, _) in kinds.served_in(group, version) {
        resources.push(ApiResource {
            name: kind.plural().into(),
            singular_name: singular(kind, kinds.release()),
            namespaced: kind.is_namespaced(),
            kind: kind.name(),
            verbs: VERBS,
            storage_version_hash: kind.storage_version_hash(),
        });
        let subresources = kind.subresources().iter().map(|subresource| ApiResource {
            name: format!("{}/{subresource}", kind.plural()),
            singular_name: String::new(),
            namespaced: kind.is_namespaced(),
            kind: kind.name(),
            verbs: SUBRESOURCE_VERBS,
            storage_version_hash: None,
        });
        resources.extend(subresources);
    }
    ApiResourceList {
        kind: "APIResourceList",
        api_version: "v1",
        group_version: match group {
            "" => version.to_owned(),
            group => format!("{group}/{version}"),
        },
        resources,
    }
}

/// The singular name of a resource, which releases before 1.27 leave empty.
pub(super) fn singular(kind: &Kind, release: Release) -> String {
    if !release.has(Fact::SingularNames) {
        return String::new();
    }
    kind.name().to_lowercase()
}
