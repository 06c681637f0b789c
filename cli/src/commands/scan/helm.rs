//! The releases that Helm stores in a cluster: the next `helm upgrade` starts from the last one, and fails if the cluster no
//! longer serves a version in it.

mod stored;

use super::refusal::refused_from;
use crate::documents::{Document, documents};
use k8s_flowcontrol::client::ListProgress;
use k8s_flowcontrol::{Client, Error, Release};
use k8s_flowcontrol_manifests::Source;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The kinds of objects in which Helm stores releases, and the paths that list them.
const STORAGES: [(&str, &str); 2] = [
    (
        "Secret",
        "/api/v1/secrets?fieldSelector=type%3Dhelm.sh%2Frelease.v1",
    ),
    ("ConfigMap", "/api/v1/configmaps?labelSelector=owner%3Dhelm"),
];

/// The page size: each object may have a megabyte.
const PAGE: usize = 50;

/// A revision of a release that has objects in old versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HelmRevision {
    pub(crate) namespace: String,
    pub(crate) release: String,
    pub(crate) revision: u64,
    pub(crate) status: String,
    /// The kind of the stored object: Secret or ConfigMap.
    pub(crate) storage: &'static str,
    pub(crate) fails: Fails,
    pub(crate) objects: Vec<OldObject>,
}

/// The command that fails because of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Fails {
    /// The next `helm upgrade`, which starts from this revision.
    Upgrade,
    /// Only `helm rollback` to it.
    Rollback,
}

/// An object of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OldObject {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) version: String,
    #[serde(serialize_with = "super::refusal::as_release")]
    pub(crate) refused_from: u32,
}

/// The releases in one kind of storage.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) revisions: Vec<HelmRevision>,
    /// The names of malformed objects, without their contents.
    pub(super) broken: Vec<String>,
}

/// Reads the stored releases of each storage.
pub(super) async fn releases(
    client: &Client,
    target: Release,
) -> [(&'static str, Result<Kept, Error>); 2] {
    let [secrets, config_maps] = STORAGES;
    [
        (secrets.0, kept(client, secrets, target).await),
        (config_maps.0, kept(client, config_maps, target).await),
    ]
}

async fn kept(
    client: &Client,
    (storage, path): (&'static str, &str),
    target: Release,
) -> Result<Kept, Error> {
    let mut kept = Kept::default();
    let mut token = String::new();
    let mut pages = ListProgress::default();
    loop {
        let query = match token.as_str() {
            "" => format!("{path}&limit={PAGE}"),
            token => format!(
                "{path}&limit={PAGE}&continue={}",
                utf8_percent_encode(token, NON_ALPHANUMERIC)
            ),
        };
        let page = match client.get_raw(&query).accept("application/json").await {
            Ok(page) => page,
            // The remaining pages show a newer state, which is good enough here.
            Err(error)
                if error.is_expired() && pages.page(error.continue_token(), 0) == Ok(true) =>
            {
                token = error.continue_token().unwrap_or_default().to_owned();
                continue;
            }
            Err(error) => return Err(error),
        };
        let Ok(page) = serde_json::from_slice::<Page>(&page) else {
            kept.broken.push(format!("a list of {storage}s"));
            break;
        };
        let items = page.items.unwrap_or_default();
        let next = pages.page(page.metadata.token.as_deref(), items.len());
        for item in items {
            match revision(&item, storage, target) {
                Some(revision) => kept.revisions.push(revision),
                None => kept.broken.push(item.title(storage)),
            }
        }
        match next {
            Ok(true) => token = page.metadata.token.unwrap_or_default(),
            Ok(false) => break,
            Err(endless) => {
                kept.broken.push(format!("a list of {storage}s: {endless}"));
                break;
            }
        }
    }
    find_current(&mut kept.revisions);
    kept.revisions
        .retain(|revision| !revision.objects.is_empty());
    Ok(kept)
}

/// Reads a revision; none if it is malformed.
fn revision(item: &Item, storage: &'static str, target: Release) -> Option<HelmRevision> {
    let release = item.data.as_ref()?.release.as_deref()?;
    let stored = match storage {
        "Secret" => stored::in_secret(release),
        _ => stored::in_config_map(release),
    }?;
    let manifest = Source::new(
        format!("the manifest of {}.yaml", stored.name),
        stored.manifest.into_bytes(),
        false,
    );
    let found = documents(manifest);
    let old = |document: &Document| {
        let version = document.api_version()?.rsplit('/').next()?;
        Some(OldObject {
            kind: document.written_kind().to_owned(),
            name: document.name().unwrap_or_default().to_owned(),
            version: version.to_owned(),
            refused_from: refused_from(version, target)?,
        })
    };
    Some(HelmRevision {
        namespace: item.metadata.namespace.clone(),
        release: stored.name,
        revision: stored.version,
        status: stored.info.status,
        storage,
        fails: Fails::Rollback,
        objects: found.documents.iter().filter_map(old).collect(),
    })
}

/// Finds the revision from which the next upgrade of each release starts: the last deployed revision, or else the last
/// revision, unless the release is uninstalled.
fn find_current(revisions: &mut [HelmRevision]) {
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

/// A page of a list of Secrets or ConfigMaps. It has no `Debug`, so its secrets cannot be printed by accident.
#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    metadata: ListMeta,
    items: Option<Vec<Item>>,
}

#[derive(Default, Deserialize)]
struct ListMeta {
    #[serde(rename = "continue")]
    token: Option<String>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Metadata,
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    name: String,
    #[serde(default)]
    namespace: String,
}

#[derive(Deserialize)]
struct Data {
    release: Option<String>,
}

impl Item {
    fn title(&self, storage: &str) -> String {
        format!(
            "{storage} {}/{}",
            self.metadata.namespace, self.metadata.name
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(release: &str, revision: u64, status: &str) -> HelmRevision {
        HelmRevision {
            namespace: "a".into(),
            release: release.into(),
            revision,
            status: status.into(),
            storage: "Secret",
            fails: Fails::Rollback,
            objects: Vec::new(),
        }
    }

    #[test]
    fn an_upgrade_starts_from_the_last_deployed_revision() {
        let mut revisions = [
            kept("x", 9, "superseded"),
            kept("x", 10, "deployed"),
            kept("x", 11, "failed"),
            kept("y", 2, "failed"),
            kept("y", 1, "failed"),
            kept("z", 3, "uninstalled"),
        ];
        find_current(&mut revisions);
        let current: Vec<_> = revisions
            .iter()
            .filter(|revision| revision.fails == Fails::Upgrade)
            .map(|revision| (revision.release.as_str(), revision.revision))
            .collect();
        assert_eq!(current, [("x", 10), ("y", 2)]);
    }
}
