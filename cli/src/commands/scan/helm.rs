//! Reading the releases that Helm stores in a cluster.

use crate::documents::documents;
use k8s_flowcontrol::client::ListProgress;
use k8s_flowcontrol::{Client, Error, Release};
use k8s_flowcontrol_analysis::scan::{HelmRevision, StoredRelease, find_current};
use k8s_flowcontrol_manifests::Source;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

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
        let next = pages.limited_page(page.metadata.token.as_deref(), items.len(), PAGE);
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
        "Secret" => StoredRelease::in_secret(release),
        _ => StoredRelease::in_config_map(release),
    }?;
    let mut revision = HelmRevision::new(&item.metadata.namespace, storage, &stored);
    let manifest = Source::new(
        format!("the manifest of {}.yaml", stored.name),
        stored.manifest.into_bytes(),
        false,
    );
    for document in documents(manifest).documents {
        if let Some(version) = document.api_version() {
            let name = document.name().unwrap_or_default();
            revision.add(document.written_kind(), name, version, target);
        }
    }
    Some(revision)
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
