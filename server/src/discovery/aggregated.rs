//! Aggregated discovery: all that a server serves, in one document.

use super::{SUBRESOURCE_VERBS, VERBS, singular};
use crate::guests;
use crate::scheme::{Kind, Scheme};
use k8s_flowcontrol_types::{ApiVersion, GROUP, Release};
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

    /// The version of that name, if `release` has it.
    pub(crate) fn parse(name: &str, release: Release) -> Option<Self> {
        match name {
            "v2beta1" if release.minor() >= 27 => Some(Self::V2Beta1),
            "v2" if release.minor() >= 30 => Some(Self::V2),
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

/// `/apis` for those who ask for all of it.
pub(crate) fn groups(scheme: &Scheme, form: Aggregated) -> Value {
    let versions = scheme.versions().iter();
    let versions = versions.map(|&served| version(scheme, served));
    let own = item(scheme, GROUP, versions.collect());
    list(form, std::iter::once(own).chain(guests(scheme, false)))
}

fn item(scheme: &Scheme, group: &str, versions: Value) -> Value {
    json!({"metadata": metadata(group, scheme.release()), "versions": versions})
}

fn guests(scheme: &Scheme, core: bool) -> Vec<Value> {
    let item = |group: &str, versions| item(scheme, group, versions);
    guests::aggregated(scheme, core, item, |kind| resource(kind, scheme.release()))
}

/// `/api` in the same form.
pub(crate) fn core(scheme: &Scheme, form: Aggregated) -> Value {
    list(form, guests(scheme, true))
}

fn list(form: Aggregated, items: impl IntoIterator<Item = Value>) -> Value {
    json!({
        "kind": Aggregated::KIND,
        "apiVersion": format!("{}/{}", Aggregated::GROUP, form.as_str()),
        "metadata": {},
        "items": Vec::from_iter(items),
    })
}

fn metadata(name: &str, release: Release) -> Value {
    let mut metadata = json!({"name": name});
    // Go wrote a time that is not there until it learned to leave it out.
    if release.minor() < 34 {
        metadata["creationTimestamp"] = Value::Null;
    }
    metadata
}

fn version(scheme: &Scheme, version: ApiVersion) -> Value {
    let kinds = scheme.kinds().iter();
    let kinds = kinds.filter(|kind| kind.is_served_in(version));
    let resources: Vec<_> = kinds.map(|kind| resource(kind, scheme.release())).collect();
    json!({"version": version.as_str(), "resources": resources, "freshness": "Current"})
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
