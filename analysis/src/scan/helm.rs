//! The releases that Helm stores in a cluster: the next `helm upgrade` starts from the last one, and fails if the cluster no
//! longer serves a version in it.

use super::requested::removed_in;
use super::stored_release::StoredRelease;
use k8s_flowcontrol_types::Release;
use serde::Serialize;
use std::collections::BTreeMap;

/// A revision of a release that has objects in old versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HelmRevision {
    /// The namespace.
    pub namespace: String,
    /// The name of the release.
    pub release: String,
    /// The number of the revision.
    pub revision: u64,
    /// The status, such as `deployed`.
    pub status: String,
    /// The kind of the stored object: Secret or ConfigMap.
    pub storage: &'static str,
    /// The command that fails because of it.
    pub fails: Fails,
    /// The objects in old versions.
    pub objects: Vec<OldObject>,
}

/// The command that fails because of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Fails {
    /// The next `helm upgrade`, which starts from this revision.
    Upgrade,
    /// Only `helm rollback` to it.
    Rollback,
}

/// An object of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OldObject {
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The API version.
    pub version: String,
    /// The first minor release that does not serve the version.
    #[serde(serialize_with = "super::requested::as_release")]
    pub refused_from: u32,
}

impl HelmRevision {
    /// A revision that is stored in `storage`, without objects in old versions.
    pub fn new(namespace: &str, storage: &'static str, stored: &StoredRelease) -> Self {
        Self {
            namespace: namespace.to_owned(),
            release: stored.name.clone(),
            revision: stored.revision,
            status: stored.status.clone(),
            storage,
            fails: Fails::Rollback,
            objects: Vec::new(),
        }
    }

    /// Adds an object of the revision's manifest, unless servers of `target` serve its version.
    pub fn add(&mut self, kind: &str, name: &str, api_version: &str, target: Release) {
        let version = api_version.rsplit('/').next().unwrap_or_default();
        self.objects
            .extend(removed_in(version, target).map(|refused_from| OldObject {
                kind: kind.to_owned(),
                name: name.to_owned(),
                version: version.to_owned(),
                refused_from,
            }));
    }
}

/// Finds the revision from which the next upgrade of each release starts: the last deployed revision, or else the last
/// revision, unless the release is uninstalled.
pub fn find_current(revisions: &mut [HelmRevision]) {
    let mut current = BTreeMap::new();
    for (index, revision) in revisions.iter().enumerate() {
        let key = (revision.namespace.clone(), revision.release.clone());
        let rank = (revision.status == "deployed", revision.revision);
        let best = current.entry(key).or_insert((rank, index));
        if rank > best.0 {
            *best = (rank, index);
        }
    }
    for (_, index) in current.into_values() {
        if revisions[index].status != "uninstalled" {
            revisions[index].fails = Fails::Upgrade;
        }
    }
}
