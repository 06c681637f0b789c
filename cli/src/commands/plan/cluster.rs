//! What a cluster says about itself, read through the version that it prefers: nobody is counted as a caller of an
//! old version because of us.

use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::meta::ObjectMeta;
use k8s_flowcontrol::{ApiVersion, Client, Error, GROUP, Release, Resource};
use std::collections::BTreeMap;

/// A cluster that was looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterState {
    pub(crate) context: String,
    /// The version as the server says it.
    pub(crate) git_version: Option<String>,
    pub(crate) release: Option<Release>,
    /// The served versions, the preferred one first.
    pub(crate) served: Vec<String>,
    pub(crate) objects: usize,
    /// Who wrote in versions that the end of the plan does not serve.
    pub(crate) writers: Vec<Writer>,
    /// Why it could not be looked at.
    pub(crate) error: Option<String>,
}

/// A field manager whose last write was in an old version. This is history: it may have been updated since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writer {
    pub(crate) manager: String,
    pub(crate) version: ApiVersion,
    pub(crate) objects: usize,
    /// The time of its last write.
    pub(crate) last: Option<String>,
}

/// Looks at a cluster. What goes wrong is a part of the answer.
pub(crate) async fn look_at(context: &str, client: Client, to: Option<Release>) -> ClusterState {
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
    // What cannot be read has no managers to speak of.
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
