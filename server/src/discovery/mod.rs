//! Discovery: the groups, versions and resources that a server serves, and its release.

mod aggregated;
mod groups;

pub(crate) use aggregated::{Aggregated, aggregated};
pub(crate) use groups::{core_versions, group, groups, resources};

use crate::health;
use crate::kinds::Kinds;
use k8s_flowcontrol_types::{Fact, Release};
use serde::Serialize;

/// `/version`, with the fields in Go's order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version {
    major: &'static str,
    minor: String,
    #[serde(flatten)]
    compatibility: Option<Compatibility>,
    git_version: String,
    git_commit: &'static str,
    git_tree_state: &'static str,
    build_date: &'static str,
    go_version: &'static str,
    compiler: &'static str,
    platform: &'static str,
}

/// The release that the server emulates, and the oldest release with which it can share a control plane.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Compatibility {
    emulation_major: &'static str,
    emulation_minor: String,
    min_compatibility_major: &'static str,
    min_compatibility_minor: String,
}

pub(crate) fn version(release: Release) -> Version {
    let compatibility = Compatibility {
        emulation_major: "1",
        emulation_minor: release.minor().to_string(),
        min_compatibility_major: "1",
        min_compatibility_minor: release.minor().saturating_sub(1).to_string(),
    };
    Version {
        major: "1",
        minor: release.minor().to_string(),
        compatibility: release
            .has(Fact::VersionNamesEmulation)
            .then_some(compatibility),
        git_version: format!("v1.{}.{}", release.minor(), release.patch()),
        git_commit: "",
        git_tree_state: "",
        build_date: "1970-01-01T00:00:00Z",
        go_version: "",
        compiler: "",
        platform: "",
    }
}

/// `/`: the paths of the server.
pub(crate) fn paths(kinds: &Kinds) -> Vec<String> {
    let mut paths: Vec<String> = [
        "/api",
        "/apis",
        "/apis/",
        "/openapi/v2",
        "/openapi/v3",
        "/openapi/v3/",
        "/version",
    ]
    .map(str::to_owned)
    .into();
    for group in kinds.groups() {
        let root = match group.name {
            "" => "/api".to_owned(),
            name => format!("/apis/{name}"),
        };
        paths.extend(
            group
                .versions
                .iter()
                .map(|version| format!("{root}/{version}")),
        );
        paths.push(root);
    }
    for check in health::CHECKS {
        paths.extend(health::parts(check).map(|part| format!("/{check}/{part}")));
        paths.push(format!("/{check}"));
    }
    paths.sort();
    paths.dedup();
    paths
}
