//! Aggregated discovery: all groups, versions and resources in one document.

use super::groups::{SUBRESOURCE_VERBS, VERBS, singular};
use crate::kinds::{Group, Kind, Kinds};
use k8s_flowcontrol_types::{Fact, Release};
use serde_json::{Value, json};

/// The versions of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aggregated {
    V2Beta1,
    V2,
}

impl Aggregated {
    pub(crate) const GROUP: &'static str = "apidiscovery.k8s.io";
    pub(crate) const KIND: &'static str = "APIGroupDiscoveryList";

    /// The version with this name, if `release` has it.
    pub(crate) fn parse(name: &str, release: Release) -> Option<Self> {
        match name {
            "v2beta1" if release.has(Fact::AggregatedDiscoveryV2Beta1) => Some(Self::V2Beta1),
            "v2" if release.has(Fact::AggregatedDiscoveryV2) => Some(Self::V2),
            _ => None,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::V2Beta1 => "v2beta1",
            Self::V2 => "v2",
        }
    }
}

/// `/api` with `core`, else `/apis`, in aggregated form. The core group has the version v1 even without kinds: `kind: List` is a kind
/// of it, which kubectl takes from the version.
pub(crate) fn aggregated(kinds: &Kinds, core: bool, form: Aggregated) -> Value {
    let mut groups = kinds.groups();
    if !groups.iter().any(|group| group.name.is_empty()) {
        groups.push(Group {
            name: "",
            versions: vec!["v1"],
        });
    }
    let groups = groups.into_iter();
    let items = groups
        .filter(|group| group.name.is_empty() == core)
        .map(|group| {
            let versions = group.versions.iter().map(|version| {
                let served = kinds.served_in(group.name, version);
                let resources: Vec<_> = served
                    .map(|(kind, _)| resource(kind, kinds.release))
                    .collect();
                json!({"version": version, "resources": resources, "freshness": "Current"})
            });
            json!({
                "metadata": metadata(group.name, kinds.release),
                "versions": versions.collect::<Vec<_>>(),
            })
        });
    json!({
        "kind": Aggregated::KIND,
        "apiVersion": format!("{}/{}", Aggregated::GROUP, form.as_str()),
        "metadata": {},
        "items": items.collect::<Vec<_>>(),
    })
}

fn metadata(name: &str, release: Release) -> Value {
    let mut metadata = json!({"name": name});
    // Go wrote unset times as null until it learned to leave them out.
    if !release.has(Fact::OmitsUnsetTimes) {
        metadata["creationTimestamp"] = Value::Null;
    }
    metadata
}

fn resource(kind: &Kind, release: Release) -> Value {
    let response_kind = json!({"group": "", "version": "", "kind": kind.name()});
    let subresources = kind.subresources().iter().map(|subresource| {
        json!({
            "subresource": subresource,
            "responseKind": response_kind,
            "verbs": SUBRESOURCE_VERBS,
        })
    });
    json!({
        "resource": kind.plural(),
        "responseKind": response_kind,
        "scope": if kind.is_namespaced() { "Namespaced" } else { "Cluster" },
        "singularResource": singular(kind, release),
        "verbs": VERBS,
        "subresources": subresources.collect::<Vec<_>>(),
    })
}
