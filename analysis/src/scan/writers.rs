//! Field managers that wrote in old versions, found in managedFields and in the last-applied annotation of `kubectl apply`.

use super::requested::removed_in;
use k8s_flowcontrol_types::meta::Time;
use k8s_flowcontrol_types::{GROUP, Release};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::SystemTime;

const CLIENT_SIDE: &str = "kubectl-client-side-apply";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The evidence for writes of one manager in one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Stamp {
    /// The field manager.
    pub manager: String,
    /// The API version.
    pub version: String,
    /// The place of the evidence.
    pub evidence: Evidence,
    /// The number of objects with this evidence.
    pub objects: usize,
    /// The time of the last write, if it is known.
    pub last: Option<String>,
    /// The first minor release that does not serve the version.
    #[serde(serialize_with = "super::requested::as_release")]
    pub refused_from: u32,
}

/// The place of the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub enum Evidence {
    /// An entry of managedFields.
    #[serde(rename = "managedFields")]
    ManagedFields,
    /// The annotation of `kubectl apply`.
    #[serde(rename = "last-applied")]
    LastApplied,
}

/// The evidence on all objects, by manager, version and place.
#[derive(Clone, Debug, Default)]
pub struct Stamps(BTreeMap<(String, String, Evidence), Stamp>);

impl Stamps {
    /// Adds the evidence on an object, a JSON tree: the versions that servers of `target` do not serve.
    pub fn add(&mut self, object: &Value, target: Release) {
        let metadata = &object["metadata"];
        let entries = metadata["managedFields"].as_array();
        let mut own = BTreeMap::new();
        let mut client_side = None;
        for entry in entries.into_iter().flatten() {
            let word = |field: &str| entry[field].as_str().map(str::to_owned);
            let (manager, time) = (word("manager").unwrap_or_default(), word("time"));
            if manager == CLIENT_SIDE {
                client_side.clone_from(&time);
            }
            if let Some(version) = version_of(entry) {
                let last: &mut Option<String> = own
                    .entry((manager, version, Evidence::ManagedFields))
                    .or_default();
                // Times are compared as text: all are in UTC and in one format.
                if time > *last {
                    *last = time;
                }
            }
        }
        let applied = metadata["annotations"][LAST_APPLIED].as_str();
        let applied = applied.and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(version) = applied.as_ref().and_then(version_of) {
            let key = (CLIENT_SIDE.to_owned(), version, Evidence::LastApplied);
            own.insert(key, client_side);
        }
        for (key, time) in own {
            self.count(key, time, target);
        }
    }

    fn count(&mut self, key: (String, String, Evidence), time: Option<String>, target: Release) {
        let Some(refused_from) = removed_in(&key.1, target) else {
            return;
        };
        let (manager, version, evidence) = key.clone();
        let stamp = self.0.entry(key).or_insert_with(|| Stamp {
            manager,
            version,
            evidence,
            objects: 0,
            last: None,
            refused_from,
        });
        stamp.objects += 1;
        if time > stamp.last {
            stamp.last = time;
        }
    }

    /// Splits the evidence into current writers and history. A writer is current if its write is newer than the start of the
    /// server, and the server may have received requests in that version since. Older evidence may be of a program that was
    /// updated since.
    pub(super) fn split(
        self,
        may_request: impl Fn(&Stamp) -> bool,
        started: Option<SystemTime>,
    ) -> (Vec<Stamp>, Vec<Stamp>) {
        let is_current = |stamp: &Stamp| {
            let last = stamp.last.as_deref().map(Time::from);
            let last = last.and_then(|time| time.system_time().ok());
            stamp.evidence == Evidence::ManagedFields
                && may_request(stamp)
                && started
                    .zip(last)
                    .is_some_and(|(started, last)| last >= started)
        };
        self.0.into_values().partition(is_current)
    }
}

fn version_of(value: &Value) -> Option<String> {
    let (group, version) = value["apiVersion"].as_str()?.split_once('/')?;
    (group == GROUP).then(|| version.to_owned())
}
