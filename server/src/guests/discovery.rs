//! What discovery tells of guests.

use crate::discovery::{Group, Resources};
use crate::scheme::{HUB, Kind, Scheme};
use serde_json::{Value, json};

/// A document about a guest's group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuestDocument {
    /// `/apis/<group>`.
    Group(&'static str),
    /// `/apis/<group>/<version>`, or `/api/<version>`.
    Resources(&'static str, &'static str),
}

impl GuestDocument {
    pub(crate) fn value(self, scheme: &Scheme) -> Value {
        let value = match self {
            Self::Group(name) => serde_json::to_value(Group::named(name, versions(scheme, name))),
            Self::Resources(group, version) => {
                let kinds = of(scheme, group, version);
                serde_json::to_value(Resources::of(kinds, scheme.release()))
            }
        };
        // Structs with string keys have a JSON form.
        value.unwrap_or_default()
    }
}

/// The entries of `/apis`.
pub(crate) fn group_entries(scheme: &Scheme) -> Vec<Group> {
    let groups = groups(scheme).into_iter().filter(|name| !name.is_empty());
    groups
        .map(|name| Group::entry(name, versions(scheme, name)))
        .collect()
}

/// The versions of the core group.
pub(crate) fn core_versions(scheme: &Scheme) -> Vec<&'static str> {
    versions(scheme, "")
}

/// The items of aggregated discovery: those of the core group, or all others.
pub(crate) fn aggregated(
    scheme: &Scheme,
    core: bool,
    item: impl Fn(&str, Value) -> Value,
    resource: impl Fn(&Kind) -> Value,
) -> Vec<Value> {
    let groups = groups(scheme).into_iter();
    let groups = groups.filter(|name| name.is_empty() == core);
    groups
        .map(|name| {
            let versions = versions(scheme, name).into_iter().map(|version| {
                let resources: Vec<_> = of(scheme, name, version).map(&resource).collect();
                json!({"version": version, "resources": resources, "freshness": "Current"})
            });
            item(name, versions.collect())
        })
        .collect()
}

fn of<'a>(scheme: &'a Scheme, group: &'a str, version: &'a str) -> impl Iterator<Item = &'a Kind> {
    scheme
        .guests()
        .filter(move |kind| (kind.group(), kind.version_name(HUB)) == (group, version))
}

/// The groups in the order in which they were given.
fn groups(scheme: &Scheme) -> Vec<&'static str> {
    let mut groups = Vec::new();
    for kind in scheme.guests() {
        if !groups.contains(&kind.group()) {
            groups.push(kind.group());
        }
    }
    groups
}

fn versions(scheme: &Scheme, group: &str) -> Vec<&'static str> {
    let mut versions = Vec::new();
    for kind in scheme.guests().filter(|kind| kind.group() == group) {
        if !versions.contains(&kind.version_name(HUB)) {
            versions.push(kind.version_name(HUB));
        }
    }
    versions
}
