//! The built-in objects.

use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::{Release, Resource};

pub(crate) fn levels(release: Release) -> Vec<PriorityLevelConfiguration> {
    objects(release)
}

pub(crate) fn schemas(release: Release) -> Vec<FlowSchema> {
    objects(release)
}

fn objects<K: Resource>(release: Release) -> Vec<K> {
    bootstrap::objects(release)
        .into_iter()
        .filter(|object| object.kind.as_str() == K::KIND)
        .map(|object| serde_json::from_value(object.tree()).unwrap())
        .collect()
}

/// An object from JSON.
pub(crate) fn read<K: Resource>(json: serde_json::Value) -> K {
    serde_json::from_value(json).unwrap()
}
