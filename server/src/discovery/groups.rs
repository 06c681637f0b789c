//! `/api`, `/apis` and `/apis/<group>`: the groups and their versions.

use crate::kinds::{Group, Kinds};
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
/// for a failure.
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
