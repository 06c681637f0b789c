//! The state of a cluster, read through its preferred version: the plan itself must not use an old version.

use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::meta::ObjectMeta;
use k8s_flowcontrol::{ApiVersion, Client, Error, GROUP, Release, Resource};
use std::collections::BTreeMap;

/// The state of a cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterState {
    pub(crate) context: String,
    /// The version as the server reports it.
    pub(crate) git_version: Option<String>,
    pub(crate) release: Option<Release>,
    /// The served versions, the preferred one first.
    pub(crate) served: Vec<String>,
    pub(crate) objects: usize,
    /// Field managers that wrote in versions that the target release does not serve.
    pub(crate) writers: Vec<Writer>,
    /// The error that prevented reading the cluster.
    pub(crate) error: Option<String>,
}

/// A field manager whose last write was in an old version. The program may have been updated since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writer {
    pub(crate) manager: String,
    pub(crate) version: ApiVersion,
    pub(crate) objects: usize,
    /// The time of its last write.
    pub(crate) last: Option<String>,
}

/// Reads the state of a cluster. An error becomes part of the state.
pub(crate) async fn read(context: &str, client: Client, to: Option<Release>) -> ClusterState {
    let mut state = ClusterState {
        context: context.to_owned(),
        ..ClusterState::default()
    };
    if let Err(error) = fill(&mut state, &client, to).await {
        state.error = Some(error.to_string());
    }
    state
}

async fn fill(state: &mut ClusterState, client: &Client, to: Option<Release>) -> Result<(), Error> {
    let info = client.version().await?;
    state.release = info.git_version.parse().ok();
    state.git_version = Some(info.git_version);
    let group = client.api_group(GROUP).await?;
    let preferred = group.preferred_version.map(|version| version.version);
    let others = group.versions.into_iter().map(|version| version.version);
    state.served = preferred.clone().into_iter().collect();
    state
        .served
        .extend(others.filter(|version| Some(version) != preferred.as_ref()));
    let mut writers = BTreeMap::new();
    let schemas = client.negotiated::<v1::FlowSchema>().await?;
    let mut items = schemas.list().items();
    while let Some(schema) = items.next().await {
        count(schema?.metadata(), to, &mut writers);
        state.objects += 1;
    }
    let levels = client
        .negotiated::<v1::PriorityLevelConfiguration>()
        .await?;
    let mut items = levels.list().items();
    while let Some(level) = items.next().await {
        count(level?.metadata(), to, &mut writers);
        state.objects += 1;
    }
    state.writers = writers
        .into_iter()
        .map(|((manager, version), (objects, last))| Writer {
            manager,
            version,
            objects,
            last,
        })
        .collect();
    Ok(())
}

type Writers = BTreeMap<(String, ApiVersion), (usize, Option<String>)>;

fn count(metadata: &ObjectMeta, to: Option<Release>, writers: &mut Writers) {
    // Malformed managedFields count as empty.
    for entry in metadata.managed_fields.entries().unwrap_or_default() {
        let version = entry
            .api_version
            .as_deref()
            .and_then(|version| version.parse().ok());
        let Some(version): Option<ApiVersion> = version else {
            continue;
        };
        if version.is_served_by(to.unwrap_or_default()) {
            continue;
        }
        let manager = entry.manager.unwrap_or_default();
        let (objects, last) = writers.entry((manager, version)).or_default();
        *objects += 1;
        let time = entry.time.map(|time| time.to_string());
        if time > *last {
            *last = time;
        }
    }
}
