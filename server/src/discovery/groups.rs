//! `/api`, `/apis` and below: the groups, their versions, and the resources of a version.

use crate::kinds::{Group, Kind, Kinds};
use k8s_flowcontrol_types::{Fact, Release};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupVersion {
    group_version: String,
    version: &'static str,
}

/// An entry of `/apis`, or with its type `/apis/<group>` itself.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiGroup {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<&'static str>,
    name: &'static str,
    versions: Vec<GroupVersion>,
    preferred_version: Option<GroupVersion>,
}

/// `/apis`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiGroupList {
    kind: &'static str,
    api_version: &'static str,
    groups: Vec<ApiGroup>,
}

/// `/api`: the versions of the core group. A version without kinds is missing, because clients take an empty version
/// for a failure, other than in aggregated discovery.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiVersions {
    kind: &'static str,
    versions: Vec<&'static str>,
    #[serde(rename = "serverAddressByClientCIDRs")]
    addresses: [Address; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    #[serde(rename = "clientCIDR")]
    client_cidr: &'static str,
    server_address: String,
}

pub(crate) fn core_versions(kinds: &Kinds, address: &str) -> ApiVersions {
    let core = kinds
        .groups()
        .into_iter()
        .find(|group| group.name.is_empty());
    ApiVersions {
        kind: "APIVersions",
        versions: core.map(|group| group.versions).unwrap_or_default(),
        addresses: [Address {
            client_cidr: "0.0.0.0/0",
            server_address: address.into(),
        }],
    }
}

pub(crate) fn groups(kinds: &Kinds) -> ApiGroupList {
    let groups = kinds
        .groups()
        .into_iter()
        .filter(|group| !group.name.is_empty());
    ApiGroupList {
        kind: "APIGroupList",
        api_version: "v1",
        groups: groups.map(entry).collect(),
    }
}

pub(crate) fn group(kinds: &Kinds, name: &str) -> Option<ApiGroup> {
    let group = kinds
        .groups()
        .into_iter()
        .find(|group| group.name == name)?;
    Some(ApiGroup {
        kind: Some("APIGroup"),
        api_version: Some("v1"),
        ..entry(group)
    })
}

fn entry(group: Group) -> ApiGroup {
    let name = group.name;
    let group_version = |&version: &&'static str| GroupVersion {
        group_version: format!("{name}/{version}"),
        version,
    };
    ApiGroup {
        kind: None,
        api_version: None,
        name,
        preferred_version: group.versions.first().map(group_version),
        versions: group.versions.iter().map(group_version).collect(),
    }
}

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
            singular_name: singular(kind, kinds.release),
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
