//! What the server says of itself.

mod aggregated;

pub(crate) use aggregated::{Aggregated, core as aggregated_core, groups as aggregated_groups};

use crate::guests;
use crate::health;
use crate::scheme::{HUB, Kind, Scheme};
use k8s_flowcontrol_types::{ApiVersion, GROUP, Release};
use serde::Serialize;

/// `/version`, members in Go's order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version {
    major: &'static str,
    minor: String,
    git_version: String,
    git_commit: &'static str,
    git_tree_state: &'static str,
    build_date: &'static str,
    go_version: &'static str,
    compiler: &'static str,
    platform: &'static str,
}

pub(crate) fn version(release: Release) -> Version {
    Version {
        major: "1",
        minor: release.minor().to_string(),
        git_version: format!("v{release}.0"),
        git_commit: "",
        git_tree_state: "",
        build_date: "1970-01-01T00:00:00Z",
        go_version: "",
        compiler: "",
        platform: "",
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupVersion {
    group_version: String,
    version: &'static str,
}

impl From<ApiVersion> for GroupVersion {
    fn from(version: ApiVersion) -> Self {
        Self {
            group_version: version.api_version().into(),
            version: version.as_str(),
        }
    }
}

/// An entry of `/apis`, or with its type `/apis/<group>` itself.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Group {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<&'static str>,
    name: &'static str,
    versions: Vec<GroupVersion>,
    preferred_version: GroupVersion,
}

pub(crate) fn group(scheme: &Scheme) -> Group {
    Group {
        kind: Some("APIGroup"),
        api_version: Some("v1"),
        ..group_entry(scheme)
    }
}

impl Group {
    /// An entry for a group whose preferred version is the first.
    pub(crate) fn entry(name: &'static str, versions: Vec<&'static str>) -> Self {
        let group_version = |version: &&'static str| GroupVersion {
            group_version: format!("{name}/{version}"),
            version,
        };
        Self {
            kind: None,
            api_version: None,
            name,
            preferred_version: group_version(versions.first().unwrap_or(&"")),
            versions: versions.iter().map(group_version).collect(),
        }
    }

    /// The same as a document of its own.
    pub(crate) fn named(name: &'static str, versions: Vec<&'static str>) -> Self {
        Self {
            kind: Some("APIGroup"),
            api_version: Some("v1"),
            ..Self::entry(name, versions)
        }
    }
}

fn group_entry(scheme: &Scheme) -> Group {
    Group {
        kind: None,
        api_version: None,
        name: GROUP,
        versions: scheme
            .versions()
            .iter()
            .map(|&version| version.into())
            .collect(),
        preferred_version: scheme.preferred().into(),
    }
}

/// `/apis`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Groups {
    kind: &'static str,
    api_version: &'static str,
    groups: Vec<Group>,
}

pub(crate) fn groups(scheme: &Scheme) -> Groups {
    Groups {
        kind: "APIGroupList",
        api_version: "v1",
        groups: std::iter::once(group_entry(scheme))
            .chain(guests::group_entries(scheme))
            .collect(),
    }
}

/// `/api`: the core group. Without guests nothing of it is served; clients take a version without resources
/// for a failure.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CoreVersions {
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

pub(crate) fn core_versions(scheme: &Scheme, address: &str) -> CoreVersions {
    CoreVersions {
        kind: "APIVersions",
        versions: guests::core_versions(scheme),
        addresses: [Address {
            client_cidr: "0.0.0.0/0",
            server_address: address.into(),
        }],
    }
}

/// `/apis/<group>/<version>`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resources {
    kind: &'static str,
    api_version: &'static str,
    group_version: String,
    resources: Vec<Resource>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    name: String,
    singular_name: String,
    namespaced: bool,
    kind: &'static str,
    verbs: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    storage_version_hash: Option<String>,
}

const VERBS: &[&str] = &[
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];
const SUBRESOURCE_VERBS: &[&str] = &["get", "patch", "update"];

pub(crate) fn resources(scheme: &Scheme, version: ApiVersion) -> Resources {
    let kinds = scheme.kinds().iter();
    let kinds = kinds.filter(|kind| kind.is_served_in(version));
    Resources {
        group_version: version.api_version().into(),
        ..Resources::of(kinds, scheme.release())
    }
}

impl Resources {
    /// The resources of kinds of one group and version.
    pub(crate) fn of<'a>(kinds: impl Iterator<Item = &'a Kind>, release: Release) -> Self {
        let mut group_version = String::new();
        let mut resources = Vec::new();
        for kind in kinds {
            group_version = kind.api_version(HUB).to_owned();
            resources.push(Resource {
                name: kind.plural().into(),
                singular_name: singular(kind, release),
                namespaced: kind.is_namespaced(),
                kind: kind.name(),
                verbs: VERBS,
                storage_version_hash: storage_version_hash(kind, release),
            });
            let subresources = kind.subresources().iter().map(|subresource| Resource {
                name: format!("{}/{subresource}", kind.plural()),
                singular_name: String::new(),
                namespaced: kind.is_namespaced(),
                kind: kind.name(),
                verbs: SUBRESOURCE_VERBS,
                storage_version_hash: None,
            });
            resources.extend(subresources);
        }
        Self {
            kind: "APIResourceList",
            api_version: "v1",
            group_version,
            resources,
        }
    }
}

/// The singular of a kind's name in paths, which older releases did not tell.
fn singular(kind: &Kind, release: Release) -> String {
    if release.minor() < 27 {
        return String::new();
    }
    kind.name().to_lowercase()
}

/// A digest of the version in which objects are stored, as real servers report it.
fn storage_version_hash(kind: &Kind, release: Release) -> Option<String> {
    (!kind.is_guest()).then(|| release.stored().storage_version_hash(kind.name()))
}

/// `/`: the paths that there are.
pub(crate) fn paths(scheme: &Scheme) -> Vec<String> {
    let mut paths: Vec<String> = ["/api", "/apis", "/apis/", "/openapi/v3", "/version"]
        .map(str::to_owned)
        .into();
    paths.push("/openapi/v3/".to_owned());
    paths.push(format!("/apis/{GROUP}"));
    let versions = scheme.versions().iter();
    paths.extend(versions.map(|version| format!("/apis/{}", version.api_version())));
    for kind in scheme.guests() {
        let (group, api_version) = (kind.group(), kind.api_version(HUB));
        let own = match group {
            "" => vec![format!("/api/{api_version}")],
            group => vec![format!("/apis/{group}"), format!("/apis/{api_version}")],
        };
        paths.extend(own);
    }
    for check in health::CHECKS {
        let parts = health::parts(check, scheme.release());
        paths.extend(parts.map(|part| format!("/{check}/{part}")));
        paths.push(format!("/{check}"));
    }
    paths.sort();
    paths.dedup();
    paths
}
